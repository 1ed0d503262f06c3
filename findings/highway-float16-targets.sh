#!/bin/bash
# Highway 1.0.3 of Debian 12 (libhwy-dev), x86-64, g++ 12.2: float32 to float16 and bfloat16.
#
# Guess: DemoteTo rounds to the nearest, halves to even, keeps infinity and NaN, and does the same
#        for each target it is compiled for.
# Seen:  so it is to float16 where the machine has an instruction for it (AVX2). For SSE4 the code
#        cuts off, and has no large numbers: 70000 becomes 34976, infinity 32768, NaN 49152. To
#        bfloat16 it cuts off for both: 1.99609375 is 1.9921875. So a program that chooses its
#        target at run time writes other weights on an old machine.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libhwy-dev=1.0.3-3+deb12u1 || exit 2
ls debs/libhwy-dev*.deb | xargs -I{} dpkg -x {} tree

cat >demote.cc <<'C'
#include <hwy/highway.h>

#include <cmath>
#include <cstdio>

namespace hn = hwy::HWY_NAMESPACE;

int main() {
  const hn::CappedTag<float, 4> floats;
  const hn::Rebind<hwy::float16_t, decltype(floats)> halves;
  const hn::Rebind<hwy::bfloat16_t, decltype(floats)> brains;
  volatile float numbers[] = {2049, 2051, 1.0015f, 65520, 70000, INFINITY, NAN, 6e-5f, 1.99609375f};
  for (float x : numbers) {
    HWY_ALIGN float half[4], brain[4];
    hn::Store(hn::PromoteTo(floats, hn::DemoteTo(halves, hn::Set(floats, x))), floats, half);
    hn::Store(hn::PromoteTo(floats, hn::DemoteTo(brains, hn::Set(floats, x))), floats, brain);
    std::printf("%s %.9g: float16 %.9g, bfloat16 %.9g\n", hwy::TargetName(HWY_TARGET), std::fabs(x), std::fabs(half[0]), std::fabs(brain[0]));
  }
}
C
build() { g++ -O2 -DHWY_COMPILE_ONLY_STATIC -Itree/usr/include "$@" demote.cc -o "demote${#}"; }
build -mssse3 -msse4.2 -maes -mpclmul && build -mavx2 -mfma -mf16c -mbmi -mbmi2 -maes -mpclmul
grep -qw f16c /proc/cpuinfo || exit 2
seen=$(./demote4 && ./demote7)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
SSE4 2049: float16 2048, bfloat16 2048
SSE4 2051: float16 2050, bfloat16 2048
SSE4 1.00150001: float16 1.00097656, bfloat16 1
SSE4 65520: float16 65504, bfloat16 65280
SSE4 70000: float16 34976, bfloat16 69632
SSE4 inf: float16 32768, bfloat16 inf
SSE4 nan: float16 49152, bfloat16 nan
SSE4 5.99999985e-05: float16 5.99622726e-05, bfloat16 5.98430634e-05
SSE4 1.99609375: float16 1.99609375, bfloat16 1.9921875
AVX2 2049: float16 2048, bfloat16 2048
AVX2 2051: float16 2052, bfloat16 2048
AVX2 1.00150001: float16 1.00195312, bfloat16 1
AVX2 65520: float16 inf, bfloat16 65280
AVX2 70000: float16 inf, bfloat16 69632
AVX2 inf: float16 inf, bfloat16 inf
AVX2 nan: float16 nan, bfloat16 nan
AVX2 5.99999985e-05: float16 6.00218773e-05, bfloat16 5.98430634e-05
AVX2 1.99609375: float16 1.99609375, bfloat16 1.9921875
SEEN
