#!/bin/bash
# OpenCV 4.6.0 of Debian 12: imread(..., IMREAD_UNCHANGED) of TIFF with alpha.
#
# Guess: "unchanged" hands out the file's numbers, in the order B, G, R, A, as it does for PNG.
# Seen:  of a TIFF of 8 bits that says its alpha is not premultiplied, as Pillow writes it, colours
#        come multiplied by alpha: 100 50 20 under alpha 128 is 50 25 10, and under alpha 0 all is
#        black. The same picture as PNG, as TIFF of 16 bits, or as TIFF that OpenCV wrote is
#        unchanged. So the same call has two meanings of alpha.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-opencv=4.6.0+dfsg-12 python3-pil=9.4.0-1.1+deb12u1 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree

libraries=$work/tree/usr/lib/x86_64-linux-gnu
python() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack PYTHONHOME=$work/tree/usr \
		PYTHONPATH=$work/tree/usr/lib/python3/dist-packages tree/usr/bin/python3.11 "$@"
}

cat >alpha.py <<'PY'
import cv2, numpy, struct
from PIL import Image
pixels = numpy.array([[[100, 50, 20, 128], [7, 0, 255, 0]]], "u1")

def show(label, name):
    read = cv2.imread(name, cv2.IMREAD_UNCHANGED)
    print(label + ":", *(read[..., [2, 1, 0, 3]] // (257 if read.dtype == "u2" else 1)).ravel())

Image.fromarray(pixels).save("pillow.png")
Image.fromarray(pixels).save("pillow.tif")
cv2.imwrite("opencv.tif", pixels[..., [2, 1, 0, 3]])
data = (pixels.astype("<u2") * 257).tobytes()
tags = [(256, 4, 1, 2), (257, 4, 1, 1), (258, 3, 4, 8 + len(data)), (259, 3, 1, 1), (262, 3, 1, 2), (273, 4, 1, 8),
        (277, 3, 1, 4), (278, 4, 1, 1), (279, 4, 1, len(data)), (338, 3, 1, 2)]
with open("sixteen.tif", "wb") as file:
    file.write(struct.pack("<2sHI", b"II", 42, 16 + len(data)) + data + struct.pack("<4H", 16, 16, 16, 16))
    file.write(struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags) + bytes(4))
show("PNG", "pillow.png")
show("TIFF of Pillow", "pillow.tif")
show("TIFF of OpenCV", "opencv.tif")
show("TIFF of 16 bits", "sixteen.tif")
PY
seen=$(python alpha.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
PNG: 100 50 20 128 7 0 255 0
TIFF of Pillow: 50 25 10 128 0 0 0 0
TIFF of OpenCV: 100 50 20 128 7 0 255 0
TIFF of 16 bits: 100 50 20 128 7 0 255 0
SEEN
