#!/bin/bash
# Radiance pictures (.hdr): OpenCV 4.6.0, libvips 8.14.1 and pfstools 2.2.0, all of Debian 12.
#
# Guess: a number that the format holds, such as 1, 4 and 100, comes back from any reader; all do
#        the same with the head's EXPOSURE, and all set rows upright that go from the bottom up.
# Seen:  what cv2.imwrite has made of 1, 4 and 100 is 1.0039, 4.0156 and 100.25 in libvips, which
#        adds half a step. pfstools divides by EXPOSURE, the two others ignore it. Of the order +Y,
#        bottom row first, OpenCV reads no picture, the two others one upside down.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-opencv=4.6.0+dfsg-12 python3-numpy=1:1.24.2-1+deb12u1 libvips-tools=8.14.1-3+deb12u3 pfstools=2.2.0-5+b1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$work/tree/lib/x86_64-linux-gnu:$work/tree/usr/lib
export PATH=$work/tree/usr/bin:$PATH
python() {
	PYTHONHOME=$work/tree/usr PYTHONPATH=$work/tree/usr/lib/python3/dist-packages python3.11 "$@"
}

# show FILE: the first number of each row, from the top.
show() {
	python -c "
import cv2
picture = cv2.imread('$1', -1)
print('$1, OpenCV:', *['no picture'] if picture is None else picture[:, 0, 0])" 2>log
	vips rad2float "$1" out.v && vips rawsave out.v out.raw && rows "$1, libvips" <out.raw
	pfsinrgbe "$1" 2>log | pfsoutpfm out.pfm 2>>log && tail -c 384 out.pfm | rows "$1, pfstools" tac
}
rows() { echo "$1: $(od -An -v -t f4 -w96 | ${2:-cat} | awk '{ printf "%.4f ", $1 }')"; }

python -c "
import cv2, numpy
cv2.imwrite('written.hdr', numpy.repeat(numpy.array([1, 4, 100, .5], 'f4'), 24).reshape(4, 8, 3))"
sed 's/^FORMAT/EXPOSURE=2.0\nFORMAT/' written.hdr >exposure.hdr
sed 's/^-Y/+Y/' written.hdr >upward.hdr
seen=$(for file in written exposure upward; do show $file.hdr; done)
diff - <(echo "$seen" | sed 's/ *$//') <<'SEEN' && echo "as seen"
written.hdr, OpenCV: 1.0 4.0 100.0 0.5
written.hdr, libvips: 1.0039 4.0156 100.2500 0.5020
written.hdr, pfstools: 1.0000 4.0000 100.0000 0.5000
exposure.hdr, OpenCV: 1.0 4.0 100.0 0.5
exposure.hdr, libvips: 1.0039 4.0156 100.2500 0.5020
exposure.hdr, pfstools: 0.5000 2.0000 50.0000 0.2500
upward.hdr, OpenCV: no picture
upward.hdr, libvips: 1.0039 4.0156 100.2500 0.5020
upward.hdr, pfstools: 1.0000 4.0000 100.0000 0.5000
SEEN
