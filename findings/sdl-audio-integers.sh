#!/bin/bash
# SDL 2.26.5 of Debian 12: SDL_ConvertAudio between integer types, one channel, one rate, on x86-64.
#
# Guess: a wider type holds every number of a narrower one, so that there and back is exact.
# Seen:  it is not, as all goes through float32 at a scale that differs by the direction. Through 32
#        bits or float32, the louder half of the 65536 numbers of 16 bits comes back one step nearer
#        to 0. Through 16 bits 191 of the 256 bytes come back lower, 128, which is silence, as 127.
#        The least number is no longer the least: -32768 is -2147483392, the byte 0 is -32767. So
#        samples that only pass through are not the ones that came.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libsdl2-2.0-0=2.26.5+dfsg-1 libsdl2-dev=2.26.5+dfsg-1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu

cat >back.c <<'C'
#include <SDL.h>
#include <stdio.h>
#include <string.h>

static char buffer[1 << 20];

// convert: the samples in buffer, from one type to another; the bytes of the result.
static int convert(SDL_AudioFormat from, SDL_AudioFormat to, int bytes) {
	SDL_AudioCVT cvt;
	if (SDL_BuildAudioCVT(&cvt, from, 1, 8000, to, 1, 8000) < 0) return -1;
	cvt.buf = (Uint8 *)buffer, cvt.len = bytes;
	SDL_ConvertAudio(&cvt);
	return cvt.len_cvt;
}

int main(void) {
	static Sint16 words[65536];
	static Uint8 bytes[256];
	for (int i = 0; i < 65536; i++) words[i] = i - 32768;
	for (int i = 0; i < 256; i++) bytes[i] = i;
	const SDL_AudioFormat wide[] = {AUDIO_S32SYS, AUDIO_F32SYS};
	for (int k = 0; k < 2; k++) {
		memcpy(buffer, words, sizeof words);
		int n = convert(AUDIO_S16SYS, wide[k], sizeof words);
		if (k == 0) printf("-32768 as S32: %d\n", ((Sint32 *)buffer)[0]);
		else printf("-32768 as F32: %g\n", ((float *)buffer)[0]);
		convert(wide[k], AUDIO_S16SYS, n);
		int changed = 0;
		for (int i = 0; i < 65536; i++) changed += ((Sint16 *)buffer)[i] != words[i];
		printf("S16 to %s and back: %d of 65536 changed, 30000 is %d, -30000 is %d\n", k ? "F32" : "S32", changed, ((Sint16 *)buffer)[62768],
			((Sint16 *)buffer)[2768]);
	}
	memcpy(buffer, bytes, sizeof bytes);
	int n = convert(AUDIO_U8, AUDIO_S16SYS, sizeof bytes);
	printf("0 127 128 255 of U8 as S16: %d %d %d %d\n", ((Sint16 *)buffer)[0], ((Sint16 *)buffer)[127], ((Sint16 *)buffer)[128], ((Sint16 *)buffer)[255]);
	convert(AUDIO_S16SYS, AUDIO_U8, n);
	int changed = 0;
	for (int i = 0; i < 256; i++) changed += (Uint8)buffer[i] != bytes[i];
	printf("U8 to S16 and back: %d of 256 changed, 128 is %d, 255 is %d\n", changed, (Uint8)buffer[128],
		(Uint8)buffer[255]);
}
C
gcc -O1 -I"$work/tree/usr/include/SDL2" -I"$work/tree/usr/include/x86_64-linux-gnu" back.c -L"$libraries" -l:libSDL2-2.0.so.0 \
	-Wl,--allow-shlib-undefined -o back 2>log || { cat log >&2 && exit 2; }
seen=$(LD_LIBRARY_PATH=$libraries:$libraries/pulseaudio ./back)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
-32768 as S32: -2147483392
S16 to S32 and back: 32641 of 65536 changed, 30000 is 29999, -30000 is -29999
-32768 as F32: -1
S16 to F32 and back: 32751 of 65536 changed, 30000 is 29999, -30000 is -29999
0 127 128 255 of U8 as S16: -32767 -256 0 32511
U8 to S16 and back: 191 of 256 changed, 128 is 127, 255 is 253
SEEN
