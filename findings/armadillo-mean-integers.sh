#!/bin/bash
# Armadillo 11.4.2 of Debian 12 (C++), g++ 12.2: mean and median of integers.
#
# Guess: whatever type the result has, it lies between the least number and the largest.
# Seen:  the sum is kept in the elements' type: mean of the bytes 200 200 is 72, of two int
#        2147483647 it is -1, and the same along rows and columns of a matrix. 16-bit numbers are
#        right only where the sum fits. median has the mean of its two right.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libarmadillo-dev=1:11.4.2+dfsg-1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu

cat >mean.cpp <<'CPP'
#define ARMA_DONT_USE_WRAPPER
#include <armadillo>
using namespace arma;
template <class T> void show(const char* name, T a, T b) {
	Col<T> x{a, b};
	Mat<T> m(2, 2);
	m.row(0).fill(a), m.row(1).fill(b);
	std::cout << name << ' ' << +a << ' ' << +b << ": mean " << +mean(x) << ", of columns " << +mean(m, 0).eval()(0)
		<< ", median " << +median(x) << '\n';
}
int main() {
	show<u8>("u8", 200, 200);
	show<u8>("u8", 100, 110);
	show<s16>("s16", 30000, 30000);
	show<int>("int", 2147483647, 2147483647);
	show<float>("float", 200, 200);
}
CPP
g++ -O1 -I"$work/tree/usr/include" mean.cpp -o mean 2>log || { cat log >&2 && exit 2; }
seen=$(./mean)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
u8 200 200: mean 72, of columns 72, median 200
u8 100 110: mean 105, of columns 105, median 105
s16 30000 30000: mean -2768, of columns -2768, median 30000
int 2147483647 2147483647: mean -1, of columns -1, median 2147483647
float 200 200: mean 200, of columns 200, median 200
SEEN
