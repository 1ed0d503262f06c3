#!/bin/bash
# SIMDe 0.7.4 of Debian 12 (Intel's vector functions on other machines), aarch64 by gcc 12 and QEMU.
#
# Guess: a conversion that Intel's instruction cannot do gives Intel's answer, the least int32, in
#        every width, for that is what code ported by SIMDe was tested with.
# Seen:  so it is of four numbers, in _mm_cvtps_epi32 and _mm_cvttps_epi32. Of eight, in
#        _mm256_cvtps_epi32 and _mm256_cvttps_epi32, 3e9 is the largest int32 and NaN is 0, as ARM
#        has it. So a loop of eight with a rest of four gives two answers for one number.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libsimde-dev=0.7.4~rc2-2 gcc-12-aarch64-linux-gnu=12.2.0-14cross1 \
	libc6-dev-arm64-cross=2.36-8cross1 qemu-user-static=1:7.2+dfsg-7+deb12u18+b3 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree

cat >convert.c <<'C'
#include <math.h>
#include <stdio.h>
#include <simde/x86/avx2.h>

int main(void) {
  volatile float given[8] = {3e9f, -3e9f, NAN, INFINITY, 2.5f, -2.5f, 2.7f, 1e20f}; /* at run time */
  float x[8];
  int four[8], eight[8];
  for (int i = 0; i < 8; i++) x[i] = given[i];
  simde_mm_storeu_si128((simde__m128i *)four, simde_mm_cvtps_epi32(simde_mm_loadu_ps(x)));
  simde_mm_storeu_si128((simde__m128i *)(four + 4), simde_mm_cvtps_epi32(simde_mm_loadu_ps(x + 4)));
  simde_mm256_storeu_si256((simde__m256i *)eight, simde_mm256_cvtps_epi32(simde_mm256_loadu_ps(x)));
  for (int i = 0; i < 8; i++) printf("%g: four %d, eight %d\n", x[i], four[i], eight[i]);
  simde_mm_storeu_si128((simde__m128i *)four, simde_mm_cvttps_epi32(simde_mm_loadu_ps(x)));
  simde_mm256_storeu_si256((simde__m256i *)eight, simde_mm256_cvttps_epi32(simde_mm256_loadu_ps(x)));
  for (int i = 0; i < 3; i++) printf("cut off, %g: four %d, eight %d\n", x[i], four[i], eight[i]);
}
C
export LD_LIBRARY_PATH=$work/tree/usr/lib/x86_64-linux-gnu
PATH=$work/tree/usr/bin:$PATH aarch64-linux-gnu-gcc-12 -w -O2 -static -Itree/usr/include convert.c -o convert -lm
seen=$(tree/usr/bin/qemu-aarch64-static ./convert)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
3e+09: four -2147483648, eight 2147483647
-3e+09: four -2147483648, eight -2147483648
nan: four -2147483648, eight 0
inf: four -2147483648, eight 2147483647
2.5: four 2, eight 2
-2.5: four -2, eight -2
2.7: four 3, eight 3
1e+20: four -2147483648, eight 2147483647
cut off, 3e+09: four -2147483648, eight 2147483647
cut off, -3e+09: four -2147483648, eight -2147483648
cut off, nan: four -2147483648, eight 0
SEEN
