#!/bin/bash
# DevIL 1.7.8 of Debian 12: iluScale with ILU_NEAREST to a whole fraction of the size.
#
# Guess: every third pixel of a third, 0 3 6 9 and so on; 0 2 5 7 of ten to four.
# Seen:  0 2 5 8 11: the place is divided by a factor kept as a float a little above 1/3 and then cut
#        off, so that all but the first pixel are one too early. It is so by 3, 5, 7 and 10, and right
#        by 2 and where it enlarges. So a grid of every third pixel is a grid with one short step, and
#        what was widened threefold comes back with parts of its neighbours.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libdevil-dev=1.7.8-10+b3 libdevil1c2=1.7.8-10+b3 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu

cat >scale.c <<'C'
#include <IL/il.h>
#include <IL/ilu.h>
#include <stdio.h>

// show: a row of which each pixel has its position as its number, scaled.
static void show(int from, int to) {
	unsigned char row[256];
	for (int i = 0; i < from; i++) row[i] = i;
	ilTexImage(from, 1, 1, 1, IL_LUMINANCE, IL_UNSIGNED_BYTE, row);
	iluImageParameter(ILU_FILTER, ILU_NEAREST);
	iluScale(to, 1, 1);
	printf("%d to %d:", from, to);
	for (int i = 0; i < to; i++) printf(" %d", ilGetData()[i]);
	putchar('\n');
}

int main(void) {
	ILuint name;
	ilInit(), iluInit(), ilGenImages(1, &name), ilBindImage(name);
	show(30, 10), show(50, 10), show(70, 10), show(100, 10), show(10, 4), show(20, 10), show(40, 10), show(3, 9), show(10, 20);
}
C
gcc -O1 -I"$work/tree/usr/include" scale.c -L"$libraries" -Wl,--allow-shlib-undefined -lIL -lILU -o scale 2>log || { cat log >&2 && exit 2; }
seen=$(LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$work/tree/lib/x86_64-linux-gnu ./scale)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
30 to 10: 0 2 5 8 11 14 17 20 23 26
50 to 10: 0 4 9 14 19 24 29 34 39 44
70 to 10: 0 6 13 20 27 34 41 48 55 62
100 to 10: 0 9 19 29 39 49 59 69 79 89
10 to 4: 0 2 4 7
20 to 10: 0 2 4 6 8 10 12 14 16 18
40 to 10: 0 4 8 12 16 20 24 28 32 36
3 to 9: 0 0 0 1 1 1 2 2 2
10 to 20: 0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7 8 8 9 9
SEEN
