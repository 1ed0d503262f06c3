#!/bin/bash
# pygame 2.1.2 of Debian 12: blit with BLEND_MULT and BLEND_RGB_MULT.
#
# Guess: a * b / 255, rounded in some way, so that white changes nothing.
# Seen:  a * b / 256, cut off: white times white is 254, 100 times white is 99, and 1 times white is
#        0. So each pass of light through a white mask darkens a picture by 1, and ten passes by ten.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-pygame=2.1.2+dfsg-5+b1 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
python() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack PYTHONHOME=$work/tree/usr \
		PYTHONPATH=$work/tree/usr/lib/python3/dist-packages tree/usr/bin/python3.11 "$@"
}

cat >multiply.py <<'PY'
import numpy, pygame
def surface(greys):
    picture = pygame.Surface((len(greys), 1), 0, 24)
    pygame.surfarray.blit_array(picture, numpy.repeat(numpy.array(greys, "u1"), 3).reshape(-1, 1, 3))
    return picture
for name in "BLEND_RGB_MULT", "BLEND_MULT":
    for passes in 1, 10:
        picture = surface([255, 200, 100, 10, 1])
        for _ in range(passes):
            picture.blit(surface([255] * 5), (0, 0), special_flags=getattr(pygame, name))
        print(f"{name}, {passes} times white:", *pygame.surfarray.array3d(picture)[:, 0, 0])
PY
seen=$(PYGAME_HIDE_SUPPORT_PROMPT=1 python multiply.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
BLEND_RGB_MULT, 1 times white: 254 199 99 9 0
BLEND_RGB_MULT, 10 times white: 245 190 90 0 0
BLEND_MULT, 1 times white: 254 199 99 9 0
BLEND_MULT, 10 times white: 245 190 90 0 0
SEEN
