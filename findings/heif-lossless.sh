#!/bin/bash
# heif-enc -L of libheif 1.15.1, with x265 of Debian 12: "lossless" HEIC of RGB.
#
# Guess: -L alone changes colours by 1 or so, for YCbCr is rounded. With -p chroma=444 and
#        --matrix_coefficients=0, which the program's help names for lossless encoding, not at all.
# Seen:  -L alone still halves chroma: of noise 99 % of samples differ, by up to 206. With -p
#        chroma=444 a third differ, by 1, and --matrix_coefficients=0 changes nothing of that. So no
#        form of the command keeps a colour picture.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libheif-examples=1.15.1-1+deb12u1 netpbm=2:11.01.00-2 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
run() { LD_LIBRARY_PATH=$work/tree/usr/lib/x86_64-linux-gnu PATH=$work/tree/usr/bin:$PATH "$@"; }

# The numbers of a linear congruential generator, the same in every awk.
noise() { awk -v n="$1" 'BEGIN { for (x = 1; n-- > 0; ) { x = (x * 1103515 + 12345) % 2147483; print int(x / 37) % 256 } }'; }
{ echo P3 64 64 255 && noise 12288; } >colours.ppm
run pnmtopng colours.ppm >colours.png 2>log
numbers() { run pngtopnm "$1" 2>>log | run pnmtoplainpnm | tr -s ' ' '\n' | tail -n +5; }
lossless() { # PICTURE OPTIONS...
	run heif-enc -L "${@:2}" "$1.png" -o out.heic >>log && run heif-convert out.heic out.png >>log
	paste <(numbers "$1.png") <(numbers out.png) | awk -v label="$*" '
		{ d = $1 - $2; if (d < 0) d = -d; if (d > most) most = d; if (d) n++ }
		END { printf "%s: %d %% differ, by up to %d\n", label, 100 * n / NR, most }'
}
seen=$(lossless colours && lossless colours -p chroma=444 && lossless colours -p chroma=444 --matrix_coefficients=0)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
colours: 99 % differ, by up to 206
colours -p chroma=444: 34 % differ, by up to 1
colours -p chroma=444 --matrix_coefficients=0: 34 % differ, by up to 1
SEEN
