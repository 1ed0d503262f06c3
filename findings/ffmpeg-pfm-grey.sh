#!/bin/bash
# FFmpeg 5.1.9 of Debian 12: a grey picture written as PFM, which holds float.
#
# Guess: black is 0 and white is 1, as in grayf32le, and rows go from the bottom up, as PFM has it.
# Seen:  black is .0625 and white .9178: numbers of limited range, made of a full one. The writer
#        takes grayf32be by default, and the way to that big-endian type differs from the way to
#        grayf32le; asked for -pix_fmt grayf32le it writes 0 and 1. The top row comes first, so
#        OpenCV shows the picture upside down. FFmpeg reads 16 and 234 back.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install ffmpeg=7:5.1.9-0+deb12u1 python3-opencv=4.6.0+dfsg-12 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$libraries/pulseaudio
PATH=$work/tree/usr/bin:$PATH

# Two rows: black, then white.
printf '\0\0\377\377' >grey.raw
write() { ffmpeg -v error -nostdin -f rawvideo -pix_fmt gray -s 2x2 -i grey.raw "$@"; }
write out.pfm && write -pix_fmt grayf32le little.pfm
seen=$(
	PYTHONHOME=$work/tree/usr PYTHONPATH=$work/tree/usr/lib/python3/dist-packages python3.11 -c "
import cv2
for name in 'out', 'little':
    print(name + '.pfm, OpenCV: %.4f %.4f' % tuple(cv2.imread(name + '.pfm', -1)[:, 0]))"
	echo "out.pfm, FFmpeg:" $(ffmpeg -v error -nostdin -i out.pfm -f rawvideo -pix_fmt gray - | od -An -v -t u1)
	for kind in grayf32le:little grayf32be:big; do
		echo "${kind%:*}:" $(write -f rawvideo -pix_fmt ${kind%:*} - | od -An -v --endian=${kind#*:} -t f4)
	done
)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
out.pfm, OpenCV: 0.9178 0.0625
little.pfm, OpenCV: 1.0000 0.0000
out.pfm, FFmpeg: 16 16 234 234
grayf32le: 0 0 1 1
grayf32be: 0.06251621 0.06251621 0.9178149 0.9178149
SEEN
