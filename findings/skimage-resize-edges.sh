#!/bin/bash
# scikit-image 0.19.3 of Debian 12: transform.resize to more pixels.
#
# Guess: beyond the outermost centres the edge's pixel is repeated, as by Pillow, OpenCV and torch:
#        0 80 160 240 made eight is 0 20 60 100 140 180 220 240.
# Seen:  the picture is mirrored at the centre of its outermost pixels: 20 20 60 100 140 180 220
#        220, and two pixels [0 255] made four are 64 64 191 191. Made three times as large, its
#        darkest pixel is the second: 27 0 27. mode="edge" gives the others' numbers. So a map that
#        is enlarged, heat or flow, turns round at its border.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-skimage=0.19.3-8 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree

libraries=$work/tree/usr/lib/x86_64-linux-gnu
python() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack PYTHONHOME=$work/tree/usr \
		PYTHONPATH=$work/tree/usr/lib/python3/dist-packages tree/usr/bin/python3.11 "$@"
}

cat >enlarge.py <<'PY'
import numpy
from skimage.transform import resize
def show(row, width, **options):
    picture = resize(numpy.array([row] * 4, "f8"), (4, width), order=1, preserve_range=True, **options)
    print(*row, "to", width, options.get("mode", "by default") + ":", *picture[0].round().astype(int))
for row, width in (([0, 80, 160, 240], 8), ([0, 255], 4), ([0, 80, 160, 240], 12)):
    show(row, width)
    show(row, width, mode="edge")
PY
seen=$(python enlarge.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
0 80 160 240 to 8 by default: 20 20 60 100 140 180 220 220
0 80 160 240 to 8 edge: 0 20 60 100 140 180 220 240
0 255 to 4 by default: 64 64 191 191
0 255 to 4 edge: 0 64 191 255
0 80 160 240 to 12 by default: 27 0 27 53 80 107 133 160 187 213 240 213
0 80 160 240 to 12 edge: 0 0 27 53 80 107 133 160 187 213 240 240
SEEN
