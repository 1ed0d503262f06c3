#!/bin/bash
# FFmpeg 5.1.9 of Debian 12: colours of 8 bits to formats of more bits.
#
# Guess: white stays white: 255 becomes 65535 in rgb48le, 1023 in gbrp10le and 1.0 in gbrpf32le,
#        just as grey does from gray to gray16le (x 257).
# Seen:  rgb24's 255 becomes 65283, 1020 and 0.9961547; 128 becomes 32767, 512 and 0.4999924. Grey
#        is exact. So a picture that goes through float planes to be normalised is 0.4 % darker than
#        its bytes divided by 255.
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

widen() { # FROM TO TYPE: the first number, of od's TYPE, of pictures that are all 0, 128, 255
	echo "$1 $2:" $(for byte in '\0' '\200' '\377'; do
		head -c 192 /dev/zero | tr '\0' "$byte" |
			ffmpeg -f rawvideo -pix_fmt "$1" -s 8x8 -i pipe: -frames:v 1 -pix_fmt "$2" -f rawvideo pipe: |
			od -v -An -N "${3:1}" -t "$3"
	done)
}
seen=$(widen gray gray16le u2 && widen gray gbrp u1 && widen rgb24 rgb48le u2 &&
	widen rgb24 gbrp10le u2 && widen rgb24 gbrpf32le f4)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
gray gray16le: 0 32896 65535
gray gbrp: 0 128 255
rgb24 rgb48le: 0 32767 65283
rgb24 gbrp10le: 0 512 1020
rgb24 gbrpf32le: 0 0.49999237 0.9961547
SEEN
