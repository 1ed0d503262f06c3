#!/bin/bash
# ITK 5.2.1 of Debian 12, g++ 12.2: which pixels ShrinkImageFilter keeps, and where it says they are.
#
# Guess: the middle of each bin, 1 4 7 of ten by 3, at positions 1 4 7.
# Seen:  2 5 8, at positions 1.5 4.5 7.5. The origin is set so that the centres of both pictures meet,
#        which for an even rest lies between two pixels; the pixels are the next whole ones. Of nine
#        by 3 they are 1 4 7 at 1 4 7. So a label or an edge that is shrunk moves by half an input
#        pixel against its own coordinates, by the parity of the extent.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libinsighttoolkit5-dev=5.2.1-5+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib

cat >shrink.cpp <<'CPP'
#include <itkImage.h>
#include <itkShrinkImageFilter.h>
#include <iostream>

using Picture = itk::Image<short, 2>;

// show: a row of which each pixel has its position as its number, shrunk.
static void show(int extent, int factor) {
	auto row = Picture::New();
	Picture::RegionType region;
	region.SetSize(0, extent), region.SetSize(1, 1);
	row->SetRegions(region), row->Allocate();
	for (int i = 0; i < extent; i++) row->GetBufferPointer()[i] = i;
	auto shrink = itk::ShrinkImageFilter<Picture, Picture>::New();
	shrink->SetInput(row), shrink->SetShrinkFactor(0, factor), shrink->SetShrinkFactor(1, 1), shrink->Update();
	const int count = shrink->GetOutput()->GetLargestPossibleRegion().GetSize()[0];
	std::cout << extent << " by " << factor << ": pixels";
	for (int i = 0; i < count; i++) std::cout << ' ' << shrink->GetOutput()->GetBufferPointer()[i];
	std::cout << ", positions";
	for (int i = 0; i < count; i++) {
		Picture::PointType position;
		shrink->GetOutput()->TransformIndexToPhysicalPoint(Picture::IndexType{{i, 0}}, position);
		std::cout << ' ' << position[0];
	}
	std::cout << '\n';
}

int main() {
	show(9, 3), show(10, 3), show(11, 3), show(10, 2), show(11, 2), show(10, 4), show(12, 4);
}
CPP
g++ -std=c++17 -O1 -w -I"$work/tree/usr/include/ITK-5.2" -I"$work/tree/usr/include" shrink.cpp -L"$libraries" \
	-Wl,--allow-shlib-undefined -lITKCommon-5.2 -litksys-5.2 -lITKTransform-5.2 \
	-l:libitkvnl-5.2.so.1 -l:libitkvnl_algo-5.2.so.1 -o shrink 2>log || { cat log >&2 && exit 2; }
seen=$(LD_LIBRARY_PATH=$libraries:$libraries/x86_64-linux-gnu ./shrink)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
9 by 3: pixels 1 4 7, positions 1 4 7
10 by 3: pixels 2 5 8, positions 1.5 4.5 7.5
11 by 3: pixels 2 5 8, positions 2 5 8
10 by 2: pixels 1 3 5 7 9, positions 0.5 2.5 4.5 6.5 8.5
11 by 2: pixels 1 3 5 7 9, positions 1 3 5 7 9
10 by 4: pixels 3 7, positions 2.5 6.5
12 by 4: pixels 2 6 10, positions 1.5 5.5 9.5
SEEN
