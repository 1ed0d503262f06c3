#!/bin/bash
# FFmpeg 5.1.9 of Debian 12: scale with flags=neighbor of a float picture (grayf32le).
#
# Guess: nearest neighbour copies numbers, so two of each come out, exactly, whatever they are.
# Seen:  numbers go through 16 bits: 1.5 becomes 1, -0.25 and NaN become 0, and 0.07914681 becomes
#        0.07914855 (5187 / 65535). hflip leaves them as they are. So depth maps, heat maps and
#        pictures normalised by mean and deviation are destroyed by a filter that only chooses
#        pixels.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install ffmpeg=7:5.1.9-0+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree

libraries=$work/tree/usr/lib/x86_64-linux-gnu
ffmpeg() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$libraries/pulseaudio tree/usr/bin/ffmpeg -v error -nostdin "$@"
}

numbers='\000\000\300\077\000\000\200\276\000\000\300\177\271\027\242\075' # 1.5 -0.25 NaN 0.07914681
through() {
	echo "$1:" $(printf "$numbers" | ffmpeg -f rawvideo -pix_fmt grayf32le -s 4x1 -i pipe: -vf "$1" -f rawvideo pipe: |
		od -v -An -t f4)
}
seen=$(through null && through hflip && through scale=iw:2*ih:flags=neighbor && through scale=2*iw:ih:flags=neighbor)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
null: 1.5 -0.25 nan 0.07914681
hflip: 0.07914681 nan -0.25 1.5
scale=iw:2*ih:flags=neighbor: 1 0 0 0.079148546 1 0 0 0.079148546
scale=2*iw:ih:flags=neighbor: 1 1 0 0 0 0 0.079148546 0.079148546
SEEN
