#!/bin/bash
# netpbm 11.01.00 of Debian 12 (pamscale -nomix, which picks pixels) on x86-64.
#
# Guess: of 10 columns made 4 it picks 1, 3, 6, 8, which lie in the middle of the new pixels, as
#        nearest of Pillow, GDAL and ImageMagick do.
# Seen:  0, 2, 5, 7: it picks by the left edge of each new pixel, as OpenCV's INTER_NEAREST does. Of
#        10 made 5 it picks 0, 2, 4, 6, 8. Made twice as wide, the two rules agree.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install netpbm=2:11.01.00-2 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
export LD_LIBRARY_PATH=$work/tree/usr/lib/x86_64-linux-gnu:$work/tree/lib/x86_64-linux-gnu
# A row of ten grey pixels, 0 to 9, as a PGM file.
{ printf 'P5 10 1 255\n' && printf '\0\1\2\3\4\5\6\7\10\11'; } >row.pgm
# numbers N: the last N bytes of the input, in one line.
numbers() { tail -c "$1" | od -An -v -tu1 | xargs; }

seen=$(for columns in 4 5 20; do tree/usr/bin/pamscale -nomix -xsize $columns -ysize 1 row.pgm | numbers $columns; done)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
0 2 5 7
0 2 4 6 8
0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7 8 8 9 9
SEEN
