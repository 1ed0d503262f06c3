#!/bin/bash
# libyuv 0.0~git20230123 of Debian 12: ARGBScale beside ScalePlane, same filter.
#
# Guess: both place and round alike, channel by channel, and white stays white.
# Seen:  ARGBScale makes 253 of white, at most sizes, by all filters but kFilterNone, with and
#        without SIMD; at exactly half of both sides it is 255. ScalePlane keeps 255. And 0 240 to
#        four is 0 60 180 240 by ScalePlane, 0 78 159 238 by ARGBScale, where the ends meet: to
#        twice the width a grey moves by up to half a pixel against the same grey as ARGB.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libyuv-dev=0.0~git20230123.b2528b0-1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu

cat >scale.c <<'C'
#include <libyuv.h>
#include <stdio.h>
#include <string.h>
static void show(const char* name, int width, int height, const uint8_t* row, int to_width, int to_height) {
	static uint8_t plane[80 * 80], argb[80 * 80 * 4], out[80 * 80], out_argb[80 * 80 * 4];
	for (int i = 0; i < width * height; i++) memset(argb + 4 * i, plane[i] = row[i % width], 4);
	ScalePlane(plane, width, width, height, out, to_width, to_width, to_height, kFilterBilinear);
	ARGBScale(argb, 4 * width, width, height, out_argb, 4 * to_width, to_width, to_height, kFilterBilinear);
	printf("%s, %dx%d to %dx%d:", name, width, height, to_width, to_height);
	for (int i = 0; i < 4; i++) printf(" %d", out[i]);
	for (int i = 0; i < 4; i++) printf("%s %d", i ? "" : ", ARGB", out_argb[4 * i]);
	puts("");
}
int main() {
	uint8_t white[40];
	memset(white, 255, 40);
	for (int plain = 0; plain < 2; plain++) {
		MaskCpuFlags(plain ? 1 : -1);
		show("white", 40, 40, white, 80, 80);
		show("white", 40, 40, white, 17, 30);
		show("white", 40, 40, white, 20, 20);
		show("0 240", 2, 4, (uint8_t[]){0, 240}, 4, 4);
	}
}
C
gcc -w -I"$work/tree/usr/include" scale.c -o scale -L"$libraries" -lyuv -Wl,--allow-shlib-undefined || exit 2
seen=$(LD_LIBRARY_PATH=$libraries ./scale)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
white, 40x40 to 80x80: 255 255 255 255, ARGB 253 253 253 253
white, 40x40 to 17x30: 255 255 255 255, ARGB 253 253 253 253
white, 40x40 to 20x20: 255 255 255 255, ARGB 255 255 255 255
0 240, 2x4 to 4x4: 0 60 180 240, ARGB 0 78 159 238
white, 40x40 to 80x80: 255 255 255 255, ARGB 253 253 253 253
white, 40x40 to 17x30: 255 255 255 255, ARGB 253 253 253 253
white, 40x40 to 20x20: 255 255 255 255, ARGB 255 255 255 255
0 240, 2x4 to 4x4: 0 60 180 240, ARGB 0 78 159 238
SEEN
