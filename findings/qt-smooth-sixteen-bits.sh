#!/bin/bash
# QImage of Qt 5.15.8 by PyQt5 5.15.9, both of Debian 12: scaling and saving of Format_Grayscale16.
#
# Guess: the result has 16 bits, as the picture has; for a way that has only 8 bits there is none.
# Seen:  scaled() with FastTransformation keeps Grayscale16. With SmoothTransformation it returns
#        Format_RGB32, 8 bits a colour: 1 to 4 become 0, 1000 and 1001 become 1028. save() to PGM,
#        which holds 16 bits, writes 8 and returns True; PNG keeps all. So a depth map survives one
#        argument and one suffix only.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-pyqt5=5.15.9+dfsg-1 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
python() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack PYTHONHOME=$work/tree/usr \
		PYTHONPATH=$work/tree/usr/lib/python3/dist-packages tree/usr/bin/python3.11 "$@"
}

cat >scale.py <<'PY'
import numpy
from PyQt5.QtCore import Qt
from PyQt5.QtGui import QImage
greys = numpy.array([[1, 2, 3, 4, 1000, 1001, 40000, 40001]], "u2")
picture = QImage(greys.tobytes(), 8, 1, 16, QImage.Format_Grayscale16).copy()
def show(name, picture):
    kind = {QImage.Format_Grayscale16: "Grayscale16", QImage.Format_Grayscale8: "Grayscale8", QImage.Format_RGB32: "RGB32"}
    red = [picture.pixelColor(x, 0).rgba64().red() for x in range(picture.width())]
    print(name + ",", kind[picture.format()] + ":", *red)
show("picture", picture)
show("fast", picture.scaled(4, 1, Qt.IgnoreAspectRatio, Qt.FastTransformation))
show("smooth", picture.scaled(4, 1, Qt.IgnoreAspectRatio, Qt.SmoothTransformation))
show("mirrored", picture.mirrored(True, False))
for suffix in "png", "pgm":
    print("save:", picture.save("out." + suffix))
    show(suffix, QImage("out." + suffix))
print(open("out.pgm", "rb").read()[:12])
PY
seen=$(QT_QPA_PLATFORM=offscreen python scale.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
picture, Grayscale16: 1 2 3 4 1000 1001 40000 40001
fast, Grayscale16: 1 3 1000 40000
smooth, RGB32: 0 0 1028 40092
mirrored, Grayscale16: 40001 40000 1001 1000 4 3 2 1
save: True
png, Grayscale16: 1 2 3 4 1000 1001 40000 40001
save: True
pgm, Grayscale8: 0 0 0 0 1028 1028 40092 40092
b'P5\n8 1\n255\n\x00'
SEEN
