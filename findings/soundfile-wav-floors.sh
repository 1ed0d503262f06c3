#!/bin/bash
# soundfile 0.12.1 of Debian 12 (Python; libsndfile 1.2.0): float samples written with 16 bits.
#
# Guess: rounded to the nearest, and every container of 16 bits gets the same numbers.
# Seen:  FLAC gets the nearest, WAV, AIFF and CAF the next lower number: 1.9 steps are 1, -.1 is -1,
#        and noise is half a step lower on average. Of bytes WAV has the next lower, too. With 24
#        bits it is the same. So the same array is two sounds, one with a constant in it, by the
#        suffix of the file.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-soundfile=0.12.1-1 libsndfile1=1.2.0-1+deb12u1 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
python() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$work/tree/lib/x86_64-linux-gnu PYTHONHOME=$work/tree/usr \
		PYTHONPATH=$work/tree/usr/lib/python3/dist-packages tree/usr/bin/python3.11 "$@"
}

cat >write.py <<'PY'
import numpy, soundfile
steps = numpy.array([0, .4, .6, 1.9, -.1, -.6, -1.9])
noise = numpy.random.default_rng(1).uniform(-1000, 1000, 100000)
for container, kind, bits in ("FLAC", "PCM_16", 16), ("WAV", "PCM_16", 16), ("AIFF", "PCM_16", 16), ("CAF", "PCM_16", 16), ("FLAC", "PCM_24", 24), ("WAV", "PCM_24", 24), ("FLAC", "PCM_S8", 8), ("WAV", "PCM_U8", 8):
    scale = 2. ** (bits - 1)
    def written(x):
        soundfile.write("out", x / scale, 8000, format=container, subtype=kind)
        return soundfile.read("out", dtype="int32")[0] >> (32 - bits)
    print(container, kind + ":", *written(steps), end=", ")
    loud = noise / 1000 * min(1000, scale / 2)
    print("error of noise, mean %.2f" % (written(loud) - loud).mean())
PY
seen=$(python write.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
FLAC PCM_16: 0 0 1 2 0 -1 -2, error of noise, mean -0.00
WAV PCM_16: 0 0 0 1 -1 -1 -2, error of noise, mean -0.50
AIFF PCM_16: 0 0 0 1 -1 -1 -2, error of noise, mean -0.50
CAF PCM_16: 0 0 0 1 -1 -1 -2, error of noise, mean -0.50
FLAC PCM_24: 0 0 1 2 0 -1 -2, error of noise, mean -0.00
WAV PCM_24: 0 0 0 1 -1 -1 -2, error of noise, mean -0.50
FLAC PCM_S8: 0 0 1 2 0 -1 -2, error of noise, mean -0.00
WAV PCM_U8: 0 0 0 1 -1 -1 -2, error of noise, mean -0.50
SEEN
