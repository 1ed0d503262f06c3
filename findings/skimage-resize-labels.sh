#!/bin/bash
# scikit-image 0.19.3 of Debian 12: transform.resize(labels, shape, order=0, preserve_range=True).
#
# Guess: order 0 is the nearest pixel, so only labels of the input come out, whatever their type.
# Seen:  made smaller, the picture is first blurred (anti_aliasing): labels 0 7 1 become 0 6 1, and
#        as float32 0.41 6.24 1.35. anti_aliasing=False gives 0 7 1; so does the default for bool.
#        Made larger, labels stay.
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

cat >labels.py <<'PY'
import numpy
from skimage.transform import resize
labels = numpy.repeat([[0, 0, 0, 7, 7, 7, 1, 1, 1]], 3, 0)
def show(name, picture, width, **options):
    small = resize(picture, (3, width), order=0, preserve_range=True, **options)
    print(f"{name} to {width}:", *small[0].astype("f8").round(2))
show("uint8", labels.astype("u1"), 3)
show("int64", labels, 3)
show("float32", labels.astype("f4"), 3)
show("float32, anti_aliasing=False", labels.astype("f4"), 3, anti_aliasing=False)
show("bool", labels == 7, 3)
show("uint8", labels[:, 2:4].astype("u1"), 4)
PY
seen=$(python labels.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
uint8 to 3: 0.0 6.0 1.0
int64 to 3: 0.0 6.0 1.0
float32 to 3: 0.41 6.24 1.35
float32, anti_aliasing=False to 3: 0.0 7.0 1.0
bool to 3: 0.0 1.0 0.0
uint8 to 4: 0.0 0.0 7.0 7.0
SEEN
