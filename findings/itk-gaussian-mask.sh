#!/bin/bash
# ITK 5.2.1 of Debian 12, g++ 12.2: DiscreteGaussianImageFilter of integer pictures in two dimensions.
#
# Guess: a picture of one number stays as it is; of 255 there may be 254 left.
# Seen:  each pass along an axis cuts off what is below the next integer by a rounding error, so that
#        numbers anywhere in the range lose 1 or 2: with variance 1, 98 of the 256 bytes, with
#        variance 2, 68. A mask of 1 becomes 0 everywhere, of 2 as well, of 3 it is 3. Negative
#        numbers of short move up. Through float all stay. So a mask is gone after smoothing, and
#        whether a level is kept depends on its number and the variance.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libinsighttoolkit5-dev=5.2.1-5+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib

cat >mask.cpp <<'CPP'
#include <itkDiscreteGaussianImageFilter.h>
#include <itkImage.h>
#include <iostream>

// smoothed: what is in the middle of a picture of the number alone.
template <class T> T smoothed(T number, double variance) {
	using Picture = itk::Image<T, 2>;
	auto picture = Picture::New();
	typename Picture::RegionType region;
	region.SetSize(0, 9), region.SetSize(1, 9);
	picture->SetRegions(region), picture->Allocate(), picture->FillBuffer(number);
	auto gaussian = itk::DiscreteGaussianImageFilter<Picture, Picture>::New();
	gaussian->SetInput(picture), gaussian->SetVariance(variance), gaussian->Update();
	return gaussian->GetOutput()->GetBufferPointer()[40];
}

template <class T> void show(const char *name, int from, int to) {
	for (double variance : {.5, 1., 2., 4.}) {
		int changed = 0;
		std::cout << name << ' ' << from << " to " << to << ", variance " << variance << ":";
		for (int n = from; n <= to; n++) {
			const int is = smoothed<T>(n, variance);
			if (is != n && changed++ < 3) std::cout << ' ' << n << " is " << is << ',';
		}
		std::cout << ' ' << changed << " changed\n";
	}
}

int main() {
	show<unsigned char>("uchar", 0, 255);
	show<short>("short", -300, -1);
	std::cout << "float 1, rounded to six places: " << std::lround(smoothed<float>(1, 1) * 1e6) / 1e6 << '\n';
}
CPP
g++ -std=c++17 -O1 -w -I"$work/tree/usr/include/ITK-5.2" -I"$work/tree/usr/include" mask.cpp -L"$libraries" \
	-Wl,--allow-shlib-undefined -lITKCommon-5.2 -litksys-5.2 -lITKSmoothing-5.2 -lITKTransform-5.2 \
	-l:libitkvnl-5.2.so.1 -l:libitkvnl_algo-5.2.so.1 -o mask 2>log || { cat log >&2 && exit 2; }
seen=$(LD_LIBRARY_PATH=$libraries:$libraries/x86_64-linux-gnu ./mask)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
uchar 0 to 255, variance 0.5: 0 changed
uchar 0 to 255, variance 1: 1 is 0, 2 is 0, 4 is 3, 98 changed
uchar 0 to 255, variance 2: 1 is 0, 2 is 0, 4 is 3, 68 changed
uchar 0 to 255, variance 4: 21 is 20, 42 is 41, 84 is 83, 12 changed
short -300 to -1, variance 0.5: 0 changed
short -300 to -1, variance 1: -296 is -294, -295 is -294, -293 is -291, 110 changed
short -300 to -1, variance 2: -289 is -288, -284 is -282, -283 is -282, 76 changed
short -300 to -1, variance 4: -253 is -252, -241 is -240, -235 is -234, 12 changed
float 1, rounded to six places: 1
SEEN
