#!/bin/bash
# numba 0.56.4 with NumPy 1.24.2, of Debian 12: a[1:] += a[:-1], where one slice overlaps the other.
#
# Guess: as in NumPy, where each element gets its old neighbour: 0 1 2 3 ... becomes 0 1 3 5 ... For
#        a[1:] = a[:-1] numba agrees with NumPy.
# Seen:  elements are added in order, each to what the one before has become, so a running sum
#        comes out: 0 1 3 6 10 15 21 28. a += a[::-1] of 0 to 7 ends in 11 12 13 14 where NumPy has
#        7 7 7 7, and a[:-1] += a[1:] agrees. So the same function answers otherwise once it is
#        compiled.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-numba=0.56.4+dfsg-2 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree

libraries=$work/tree/usr/lib/x86_64-linux-gnu
python() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack PYTHONHOME=$work/tree/usr \
		PYTHONPATH=$work/tree/usr/lib/python3/dist-packages tree/usr/bin/python3.11 "$@"
}

cat >overlap.py <<'PY'
import numba, numpy
def copy(a): a[1:] = a[:-1]
def add(a): a[1:] += a[:-1]
def add_back(a): a[:-1] += a[1:]
def add_reversed(a): a += a[::-1]
for function in copy, add, add_back, add_reversed:
    for name, run in ("NumPy", function), ("numba", numba.njit(function)):
        numbers = numpy.arange(8)
        run(numbers)
        print(f"{function.__name__}, {name}:", *numbers)
PY
seen=$(python overlap.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
copy, NumPy: 0 0 1 2 3 4 5 6
copy, numba: 0 0 1 2 3 4 5 6
add, NumPy: 0 1 3 5 7 9 11 13
add, numba: 0 1 3 6 10 15 21 28
add_back, NumPy: 1 3 5 7 9 11 13 7
add_back, numba: 1 3 5 7 9 11 13 7
add_reversed, NumPy: 7 7 7 7 7 7 7 7
add_reversed, numba: 7 7 7 7 11 12 13 14
SEEN
