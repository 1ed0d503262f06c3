#!/bin/bash
# FFmpeg 5.1.9 of Debian 12: FITS files of astropy 5.2.1, whole numbers.
#
# Guess: numbers that the pixel format holds come through as they are: 8 bits as gray, 16 bits as
#        gray16.
# Seen:  every picture is stretched, so that its least number is 0 and its largest white: 10 60 110
#        is 0 32768 65535, and bytes 0 50 200 are 0 64 255. Only where the head has DATAMIN and
#        DATAMAX, as FFmpeg's own files do, these count. So two exposures of one series get two
#        scales.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install ffmpeg=7:5.1.9-0+deb12u1 python3-astropy=5.2.1-2+deb12u1 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$libraries/pulseaudio
PATH=$work/tree/usr/bin:$PATH

PYTHONHOME=$work/tree/usr PYTHONPATH=$work/tree/usr/lib/python3/dist-packages python3.11 -c "
import numpy
from astropy.io import fits
for name, kind, numbers in ('short', 'i2', [10, 60, 110]), ('word', 'u2', [10, 60, 40000]), ('byte', 'u1', [0, 50, 200]):
    fits.writeto(name + '.fits', numpy.array([numbers], kind))"
seen=$(
	for name in short word; do
		echo "$name:" $(ffmpeg -v error -nostdin -i $name.fits -f rawvideo -pix_fmt gray16le - | od -An -v -t u2)
	done
	echo "byte:" $(ffmpeg -v error -nostdin -i byte.fits -f rawvideo -pix_fmt gray - | od -An -v -t u1)
	printf '\1\2\3\4' | ffmpeg -v error -nostdin -f rawvideo -pix_fmt gray -s 4x1 -i pipe: own.fits
	echo "1 2 3 4, by FFmpeg:" $(ffmpeg -v error -nostdin -i own.fits -f rawvideo -pix_fmt gray - | od -An -v -t u1)
)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
short: 0 32768 65535
word: 0 82 65535
byte: 0 64 255
1 2 3 4, by FFmpeg: 1 2 3 4
SEEN
