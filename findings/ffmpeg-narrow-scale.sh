#!/bin/bash
# FFmpeg 5.1.9 of Debian 12: scale, of a picture that is two or three pixels wide.
#
# Guess: bilinear and bicubic interpolate between two pixels as between many: [0 240] to four is 0
#        60 180 240, as Pillow, OpenCV and FFmpeg itself on wider pictures have it.
# Seen:  of two and of three pixels every filter makes copies: 0 0 240 240. From four on it
#        interpolates. So small crops, and maps of two or three cells, come out as blocks.
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

twice() { # FILTER WIDTH PIXELS...
	echo "$1 $2:" $(printf "$3" | ffmpeg -f rawvideo -pix_fmt gray -s "$2x1" -i pipe: \
		-vf "scale=2*iw:1:flags=$1" -f rawvideo pipe: | od -v -An -t u1)
}
seen=$(for filter in bilinear bicubic lanczos; do
	twice $filter 2 '\0\360' && twice $filter 3 '\0\170\360' && twice $filter 4 '\0\120\240\360'
done)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
bilinear 2: 0 0 240 240
bilinear 3: 0 0 120 120 240 240
bilinear 4: 0 20 60 100 140 180 220 240
bicubic 2: 0 0 240 240
bicubic 3: 0 0 120 120 240 240
bicubic 4: 0 17 63 97 143 177 223 240
lanczos 2: 0 0 240 240
lanczos 3: 0 0 120 120 240 240
lanczos 4: 0 19 61 99 141 179 221 240
SEEN
