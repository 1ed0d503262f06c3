#!/bin/bash
# numexpr 2.8.4 with NumPy 1.24.2, of Debian 12: a % b with numbers below zero.
#
# Guess: the sign is NumPy's, which is the divisor's, for all types, since expressions are NumPy's
#        with fewer passes.
# Seen:  for float it is: -7 % 3 is 2. For integers it is C's, the dividend's: -7 % 3 is -1, and 7 %
#        -3 is 1. So the same expression on the same numbers answers otherwise for int64 and
#        float64, and an index that is wrapped by % stays below zero.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-numexpr=2.8.4-1+b2 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
python() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack PYTHONHOME=$work/tree/usr \
		PYTHONPATH=$work/tree/usr/lib/python3/dist-packages tree/usr/bin/python3.11 "$@"
}

cat >modulo.py <<'PY'
import numexpr, numpy
for kind in "int32", "int64", "float32", "float64":
    a, b = numpy.array([-7, 7, -1], kind), numpy.array([3, -3, 10], kind)
    print(f"{kind}: numexpr", *numexpr.evaluate("a % b").tolist(), "NumPy", *(a % b).tolist())
PY
seen=$(python modulo.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
int32: numexpr -1 1 -1 NumPy 2 -2 9
int64: numexpr -1 1 -1 NumPy 2 -2 9
float32: numexpr 2.0 -2.0 9.0 NumPy 2.0 -2.0 9.0
float64: numexpr 2.0 -2.0 9.0 NumPy 2.0 -2.0 9.0
SEEN
