#!/bin/bash
# MRtrix3 3.0.3 of Debian 12: mrconvert -datatype of float32 numbers.
#
# Guess: rounded, and what is beyond the type becomes its end, on both sides alike.
# Seen:  rounded, with halves away from zero, and then of uint8 and uint16 what is below 0 is 0, and
#        what is above the end wraps: 255.6 is 0, 300 is 44. Of int8 and of uint32 both sides wrap:
#        -200 is 56, -1 is 4294967295. Infinity is 0, as NaN is. So the brightest voxels become the
#        darkest ones.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir debs tree
# The program alone, not the windows and the pictures that it asks for.
(cd debs && apt-get -qq -o APT::Sandbox::User=root download mrtrix3=3.0.3-3+b1) || exit 2
dpkg -x debs/*.deb tree
export LD_LIBRARY_PATH=$work/tree/usr/lib/x86_64-linux-gnu:$work/tree/usr/lib PATH=$work/tree/usr/bin:$PATH

numbers="0.5 1.5 2.5 254.6 255.6 300 -0.6 -1 -200 70000 nan inf"
set -- $numbers
seen=$(echo "of: $numbers"
for type in uint8 int8 uint16 int16 uint32 float32; do
	printf 'mrtrix image\ndim: %d,1,1\nvox: 1,1,1\nlayout: +0,+1,+2\ndatatype: Float32LE\nfile: in.dat 0\nEND\n' $# >in.mih
	perl -e 'print pack "f<*", @ARGV' -- $numbers >in.dat
	mrconvert -quiet -force in.mih -datatype $type out.mif
	echo "$type: $(mrdump -quiet out.mif | tr '\n' ' ' | sed 's/ *$//')"
done)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
of: 0.5 1.5 2.5 254.6 255.6 300 -0.6 -1 -200 70000 nan inf
uint8: 1 2 3 255 0 44 0 0 0 112 0 0
int8: 1 2 3 -1 0 44 -1 -1 56 112 0 0
uint16: 1 2 3 255 256 300 0 0 0 4464 0 0
int16: 1 2 3 255 256 300 -1 -1 -200 4464 0 0
uint32: 1 2 3 255 256 300 4294967295 4294967295 4294967096 70000 0 0
float32: 0.5 1.5 2.5 254.6 255.6 300 -0.6 -1 -200 70000 -nan inf
SEEN
