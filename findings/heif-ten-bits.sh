#!/bin/bash
# heif-convert of libheif 1.15.1 and avifdec of libavif 0.11.1, both of Debian 12: 10 bits to PNG.
#
# Guess: PNG has 16 bits, and both spread 0..1023 over 0..65535, so that white stays white.
# Seen:  avifdec does: 512 is 32800 and 1023 is 65535. heif-convert, of the very same AVIF file,
#        shifts by 6: 32768 and 65472. So its white is 0.999 of full scale, and the two decoders of
#        one file agree on few greys but the darkest.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libheif-examples=1.15.1-1+deb12u1 libavif-bin=0.11.1-1+deb12u1 netpbm=2:11.01.00-2 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
run() { LD_LIBRARY_PATH=$work/tree/usr/lib/x86_64-linux-gnu PATH=$work/tree/usr/bin:$PATH "$@"; }

{ echo P2 32 32 1023 && seq 0 1023; } >levels.pgm
run pnmtopng levels.pgm >levels.png 2>log
run avifenc --yuv 400 --depth 10 --min 0 --max 0 levels.png levels.avif >>log 2>&1
run avifdec levels.avif avifdec.png >>log
run heif-convert levels.avif heif-convert.png >>log
for decoder in avifdec heif-convert; do # the first of three channels, of the greys 0, 1, 512 and 1023
	run pngtopnm $decoder.png 2>>log | run pnmtoplainpnm | tr -s ' ' '\n' | tail -n +5 | awk -v decoder=$decoder '
		NR == 1 { printf "%s:", decoder }
		(NR - 1) % 3 == 0 && (NR - 1) / 3 ~ /^(0|1|512|1023)$/ { printf " %d", $1 }
		END { print "" }'
done >levels
seen=$(cat levels)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
avifdec: 0 64 32800 65535
heif-convert: 0 64 32768 65472
SEEN
