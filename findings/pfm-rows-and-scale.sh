#!/bin/bash
# PFM (float pictures): OpenCV 4.6.0, libvips 8.14.1, ImageMagick 6.9.11, pfstools 2.2.0 and FFmpeg
# 5.1.9, all of Debian 12, read two files that differ in the head's scale, -1 and -2.
#
# Guess: all turn the rows, which the file has from the bottom up, and all take the size of the
#        scale alike.
# Seen:  libvips and FFmpeg show the picture upside down. ImageMagick and pfstools multiply by the
#        scale, OpenCV and FFmpeg divide by it, libvips leaves it alone: a file's .25 is .5, .125 or
#        .25. So disparities, for which PFM is used, differ by a factor of four.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-opencv=4.6.0+dfsg-12 python3-numpy=1:1.24.2-1+deb12u1 libvips-tools=8.14.1-3+deb12u3 imagemagick-6.q16=8:6.9.11.60+dfsg-1.6+deb12u15 \
	pfstools=2.2.0-5+b1 ffmpeg=7:5.1.9-0+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$libraries/pulseaudio:$work/tree/lib/x86_64-linux-gnu:$work/tree/usr/lib
export PATH=$work/tree/usr/bin:$PATH

# The bottom row is .5, the top row .25.
for scale in 1 2; do
	printf 'Pf\n2 2\n-%s.0\n\0\0\0\77\0\0\0\77\0\0\200\76\0\0\200\76' $scale >$scale.pfm
done
# numbers: of each row the first number.
numbers() { od -An -v -t f4 -w8 | awk '{ printf "%.3f ", $1 }'; }
seen=$(for scale in 1 2; do
	PYTHONHOME=$work/tree/usr PYTHONPATH=$work/tree/usr/lib/python3/dist-packages python3.11 -c "
import cv2
print('-$scale, OpenCV: %.3f %.3f' % tuple(cv2.imread('$scale.pfm', -1)[:, 0]))"
	vips rawsave $scale.pfm out.raw && echo "-$scale, libvips: $(numbers <out.raw)"
	convert-im6.q16 $scale.pfm -depth 32 -define quantum:format=floating-point gray:out.raw
	echo "-$scale, ImageMagick: $(numbers <out.raw)"
	pfsinpfm $scale.pfm 2>log | pfsoutpfm out.pfm 2>>log
	echo "-$scale, pfstools: $(tail -c 16 out.pfm | od -An -v -t f4 -w8 | tac | awk '{ printf "%.3f ", $1 }')"
	echo "-$scale, FFmpeg: $(ffmpeg -v error -nostdin -i $scale.pfm -f rawvideo - | numbers)"
done)
diff - <(echo "$seen" | sed 's/ *$//') <<'SEEN' && echo "as seen"
-1, OpenCV: 0.250 0.500
-1, libvips: 0.500 0.250
-1, ImageMagick: 0.250 0.500
-1, pfstools: 0.250 0.500
-1, FFmpeg: 0.500 0.250
-2, OpenCV: 0.125 0.250
-2, libvips: 0.500 0.250
-2, ImageMagick: 0.500 1.000
-2, pfstools: 0.500 1.000
-2, FFmpeg: 0.250 0.125
SEEN
