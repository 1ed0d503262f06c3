#!/bin/bash
# JPEG 2000 of 12 bits, read by six programs of Debian 12: OpenCV 4.6.0, GDAL 3.6.2, Pillow 9.4.0,
# FFmpeg 5.1.9, libvips 8.14.1 and opj_decompress of OpenJPEG 2.5.0.
#
# Guess: most hand out the file's numbers, so that 4095 is white; FFmpeg has gray12, vips ushort.
# Seen:  three meanings. OpenCV and GDAL have 4095. Pillow, FFmpeg (as gray16) and vips shift to 16
#        bits: 65520, where white of 16 bits is 65535. opj_decompress has 4095 in PGM and 65535 in
#        PNG, where 2048 is 32775; shifted, it is 32768. So a threshold or a window that was chosen
#        with one of them fits no other.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-opencv=4.6.0+dfsg-12 python3-pil=9.4.0-1.1+deb12u1 python3-numpy=1:1.24.2-1+deb12u1 \
	gdal-bin=3.6.2+dfsg-1+b2 ffmpeg=7:5.1.9-0+deb12u1 libvips-tools=8.14.1-3+deb12u3 \
	libopenjp2-tools=2.5.0-2+deb12u3 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$libraries/pulseaudio:$work/tree/lib/x86_64-linux-gnu
export GDAL_DATA=$work/tree/usr/share/gdal
PATH=$work/tree/usr/bin:$PATH

# 64 x 64 greys of 12 bits, the first six of them as below.
{ printf 'P5\n64 64\n4095\n' && for i in $(seq 683); do printf '\17\377\10\0\0\1\2\0\3\350\0\0'; done; } | head -c 8206 >grey.pgm
# numbers: the first six words of 16 bits, little endian.
numbers() { od -An -v -tu2 -N12 | xargs; }
opj_compress -i grey.pgm -o grey.jp2 >log 2>&1 && opj_decompress -i grey.jp2 -o out.pgm >>log 2>&1 &&
	opj_decompress -i grey.jp2 -o out.png >>log 2>&1 || { cat log >&2 && exit 1; }
seen=$(
	echo "opj_decompress PGM: $(tail -c 8192 out.pgm | od -An -v --endian=big -tu2 -N12 | xargs)"
	echo "opj_decompress PNG: $(ffmpeg -v error -nostdin -i out.png -f rawvideo -pix_fmt gray16le - | numbers)"
	PYTHONHOME=$work/tree/usr PYTHONPATH=$work/tree/usr/lib/python3/dist-packages python3.11 -c '
import cv2, numpy
from PIL import Image
print("OpenCV:", *cv2.imread("grey.jp2", cv2.IMREAD_UNCHANGED)[0, :6])
picture = Image.open("grey.jp2")
print("Pillow,", picture.mode + ":", *numpy.array(picture)[0, :6])'
	gdal_translate -q -of ENVI grey.jp2 out.bin && echo "GDAL: $(numbers <out.bin)"
	echo "FFmpeg: $(ffmpeg -v error -nostdin -i grey.jp2 -f rawvideo - | numbers)"
	vips rawsave grey.jp2 out.raw && echo "vips: $(numbers <out.raw)"
)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
opj_decompress PGM: 4095 2048 1 512 1000 0
opj_decompress PNG: 65535 32775 16 8193 16003 0
OpenCV: 4095 2048 1 512 1000 0
Pillow, I;16: 65520 32768 16 8192 16000 0
GDAL: 4095 2048 1 512 1000 0
FFmpeg: 65520 32768 16 8192 16000 0
vips: 65520 32768 16 8192 16000 0
SEEN
