#!/bin/bash
# pygame 2.1.2 of Debian 12: transform.smoothscale.
#
# Guess: white stays white at any size; enlarging is centred (0 60 180 240 of 0 240) or lets the
#        ends meet (0 80 160 240).
# Seen:  shrinking darkens: white becomes 254, and 100 becomes 99. Enlarging does neither: 0 240 to
#        four is 0 60 120 180, moved by half a pixel, and the last pixel's number is not reached. So
#        a picture that is scaled twice is darker and sits elsewhere. It is the same by plain C
#        ("GENERIC") and by SSE.
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

cat >scale.py <<'PY'
import numpy, pygame
def surface(greys):
    picture = pygame.Surface((len(greys), 3), 0, 24)
    pygame.surfarray.blit_array(picture, numpy.repeat(numpy.array(greys, "u1"), 9).reshape(-1, 3, 3))
    return picture
def row(picture): return pygame.surfarray.array3d(picture)[:, 0, 0]
for backend in "GENERIC", "SSE":
    pygame.transform.set_smoothscale_backend(backend)
    for greys, width in ([0, 240], 4), ([0, 80, 160, 240], 8), ([255] * 8, 3), ([100] * 8, 3), ([255] * 8, 12):
        print(f"{backend}, {len(greys)} to {width}:", *row(pygame.transform.smoothscale(surface(greys), (width, 3))))
PY
seen=$(PYGAME_HIDE_SUPPORT_PROMPT=1 python scale.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
GENERIC, 2 to 4: 0 60 120 180
GENERIC, 4 to 8: 0 30 60 90 120 150 180 210
GENERIC, 8 to 3: 254 254 254
GENERIC, 8 to 3: 99 99 99
GENERIC, 8 to 12: 255 255 255 255 255 255 255 255 255 255 255 255
SSE, 2 to 4: 0 60 120 180
SSE, 4 to 8: 0 30 60 90 120 150 180 210
SSE, 8 to 3: 254 254 254
SSE, 8 to 3: 99 99 99
SSE, 8 to 12: 255 255 255 255 255 255 255 255 255 255 255 255
SEEN
