#!/bin/bash
# SDL 2.26.5 of Debian 12: SDL_ConvertAudio of float32 to 16 bits on x86-64.
#
# Guess: equal samples become equal numbers.
# Seen:  eight at a time are rounded and the rest of the array is cut off, at another scale: of 47
#        times -1 the first 40 are -32767 and the last seven -32768, .5 is 16384 and then 16383. So
#        the last samples of each block differ from the others, and a sound cut into blocks of another
#        length is another sound.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libsdl2-2.0-0=2.26.5+dfsg-1 libsdl2-dev=2.26.5+dfsg-1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu

cat >place.c <<'C'
#include <SDL.h>
#include <stdio.h>
#include <string.h>

static float buffer[1024];

// show: count times x as S16; equal ones in a row are printed once.
static void show(float x, int count) {
	for (int i = 0; i < count; i++) buffer[i] = x;
	SDL_AudioCVT cvt;
	if (SDL_BuildAudioCVT(&cvt, AUDIO_F32SYS, 1, 8000, AUDIO_S16SYS, 1, 8000) < 0) return;
	cvt.buf = (Uint8 *)buffer, cvt.len = count * 4;
	SDL_ConvertAudio(&cvt);
	const Sint16 *words = (const Sint16 *)buffer;
	printf("%d times %g:", count, x);
	for (int i = 0, run = 1; i < count; i++, run++) {
		if (i + 1 < count && words[i + 1] == words[i]) continue;
		printf(" %d times %d", run, words[i]), run = 0;
	}
	putchar('\n');
}

int main(void) {
	const int counts[] = {7, 8, 41, 47};
	for (int k = 0; k < 4; k++) show(.5f, counts[k]), show(-1, counts[k]), show(-.25f, counts[k]);
}
C
gcc -O1 -I"$work/tree/usr/include/SDL2" -I"$work/tree/usr/include/x86_64-linux-gnu" place.c -L"$libraries" -l:libSDL2-2.0.so.0 \
	-Wl,--allow-shlib-undefined -o place 2>log || { cat log >&2 && exit 2; }
seen=$(LD_LIBRARY_PATH=$libraries:$libraries/pulseaudio ./place)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
7 times 0.5: 7 times 16383
7 times -1: 7 times -32768
7 times -0.25: 7 times -8191
8 times 0.5: 8 times 16384
8 times -1: 8 times -32767
8 times -0.25: 8 times -8192
41 times 0.5: 40 times 16384 1 times 16383
41 times -1: 40 times -32767 1 times -32768
41 times -0.25: 40 times -8192 1 times -8191
47 times 0.5: 40 times 16384 7 times 16383
47 times -1: 40 times -32767 7 times -32768
47 times -0.25: 40 times -8192 7 times -8191
SEEN
