#!/bin/bash
# FFmpeg 5.1.9 of Debian 12: grey pictures to planes of float (gbrpf32le), as models take them.
#
# Guess: three equal planes, grey / 255, as to rgb24 and to gbrp.
# Seen:  three different planes: mid-grey 128 is green 1, blue 0, red 0, and black is green .529.
#        It is the same from 8 bits, 16 bits and float. Back, from gbrpf32le to grayf32le, black is
#        .0625 and white .921. There is no message. By way of rgb24, grey is right.
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

# convert FORMAT PIXELS [FILTER]: 8 x 1 pixels of one number, the first pixel's green, blue, red.
convert() {
	for i in 1 2 3 4 5 6 7 8; do printf "$2"; done | ffmpeg -f rawvideo -pix_fmt "$1" -s 8x1 -i pipe: ${3:+-vf "$3"} \
		-f rawvideo -pix_fmt gbrpf32le pipe: | od -v -An -t f4 -w32 | awk '{ printf "%.3f ", $1 }'
	echo
}
seen=$(
	echo "gray 0: $(convert gray '\0')"
	echo "gray 128: $(convert gray '\200')"
	echo "gray 255: $(convert gray '\377')"
	echo "gray16 32896: $(convert gray16le '\200\200')"
	echo "float .5: $(convert grayf32le '\0\0\0\77')"
	echo "rgb24 128: $(convert rgb24 '\200\200\200')"
	echo "gray 128, by rgb24: $(convert gray '\200' format=rgb24)"
	for white in '\0\0\0\0' '\0\0\200\77'; do
		for i in $(seq 24); do printf "$white"; done | ffmpeg -f rawvideo -pix_fmt gbrpf32le -s 8x1 -i pipe: \
			-f rawvideo -pix_fmt grayf32le pipe: | od -An -t f4 -N4 | awk '{ printf "gbrpf32le to grayf32le: %.4f\n", $1 }'
	done
)
diff - <(echo "$seen" | sed 's/ *$//') <<'SEEN' && echo "as seen"
gray 0: 0.529 0.000 0.000
gray 128: 1.000 0.000 0.000
gray 255: 1.000 0.110 0.295
gray16 32896: 1.000 0.000 0.000
float .5: 1.000 0.000 0.000
rgb24 128: 0.500 0.500 0.500
gray 128, by rgb24: 0.500 0.500 0.500
gbrpf32le to grayf32le: 0.0625
gbrpf32le to grayf32le: 0.9213
SEEN
