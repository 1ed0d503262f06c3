#!/bin/bash
# Octave 7.3.0 of Debian 12: median of integers.
#
# Guess: the middle number, and of two in the middle their mean, as mean has it: 201 of 200 and 201.
# Seen:  of an even count of bytes it is 128 wherever the two in the middle are bright: their sum
#        stops at 255 before it is halved. int16 and int32 have it at their own ends: two times 30000
#        is 16384. An odd count, and mean, are right. So a median filter of even size cuts off all
#        that is brighter than half.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install octave=7.3.0-2 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu

cat >show.m <<'M'
show = @(name, x) printf ("%s: median %g, mean %g\n", name, median (x), mean (x));
show ("uint8 200 201", uint8 ([200 201]))
show ("uint8 255 255 255 255", uint8 ([255 255 255 255]))
show ("uint8 100 110", uint8 ([100 110]))
show ("uint8 200 201 202", uint8 ([200 201 202]))
show ("int16 30000 30000", int16 ([30000 30000]))
show ("int32 2000000000 2000000000", int32 ([2e9 2e9]))
M
export LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$libraries/octave/7.3.0:$work/tree/usr/lib:$work/tree/lib/x86_64-linux-gnu
seen=$(OCTAVE_HOME=$work/tree/usr tree/usr/bin/octave-cli --no-init-file show.m)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
uint8 200 201: median 128, mean 200.5
uint8 255 255 255 255: median 128, mean 255
uint8 100 110: median 105, mean 105
uint8 200 201 202: median 201, mean 201
int16 30000 30000: median 16384, mean 30000
int32 2000000000 2000000000: median 1.07374e+09, mean 2e+09
SEEN
