#!/bin/bash
# imageio 2.4.1 of Debian 12: imwrite of integers that are no bytes, to PNG.
#
# Guess: numbers from 0 to 255 are written as they are, whatever integer type they have.
# Seen:  as uint8 and uint16 they are. int64, which numpy.array makes of whole numbers, and int32
#        are stretched, so that the least is 0 and the largest 255: 0 100 200 is 0 127 255, and 100
#        101 is 0 255. There is a warning of a lossy conversion, none of other contrast. So two
#        frames of one film get two scales, and labels become greys.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-imageio=2.4.1-5 python3-pil=9.4.0-1.1+deb12u1 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree

libraries=$work/tree/usr/lib/x86_64-linux-gnu
python() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack PYTHONHOME=$work/tree/usr \
		PYTHONPATH=$work/tree/usr/lib/python3/dist-packages tree/usr/bin/python3.11 "$@"
}

cat >write.py <<'PY'
import imageio, logging, numpy
from PIL import Image
logging.disable()
for numbers in [0, 100, 200], [100, 101], [0, 1, 2, 3]:
    for kind in "uint8", "uint16", "int64", "int32":
        imageio.imwrite("out.png", numpy.array([numbers], kind))
        print(*numbers, "as", kind + ":", *numpy.array(Image.open("out.png"))[0])
PY
seen=$(python write.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
0 100 200 as uint8: 0 100 200
0 100 200 as uint16: 0 100 200
0 100 200 as int64: 0 127 255
0 100 200 as int32: 0 127 255
100 101 as uint8: 100 101
100 101 as uint16: 100 101
100 101 as int64: 0 255
100 101 as int32: 0 255
0 1 2 3 as uint8: 0 1 2 3
0 1 2 3 as uint16: 0 1 2 3
0 1 2 3 as int64: 0 85 170 255
0 1 2 3 as int32: 0 85 170 255
SEEN
