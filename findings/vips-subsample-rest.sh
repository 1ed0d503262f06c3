#!/bin/bash
# libvips 8.14.1 of Debian 12 (vips subsample) on x86-64.
#
# Guess: every second pixel of 5 columns is 0, 2, 4, as [::2] has it in NumPy and a stride of 2 in
#        ONNX's Slice.
# Seen:  0, 2: only whole cells count, and 5 columns have two whole cells of 2. Every third of 10
#        columns is 0, 3, 6 without 9. vips shrink rounds up: 5 columns become 3.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libvips-tools=8.14.1-3+deb12u3 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
export LD_LIBRARY_PATH=$work/tree/usr/lib/x86_64-linux-gnu:$work/tree/lib/x86_64-linux-gnu
# A row of ten grey pixels, 0 to 9, as a PGM file.
{ printf 'P5 10 1 255\n' && printf '\0\1\2\3\4\5\6\7\10\11'; } >row.pgm
# numbers N: the last N bytes of the input, in one line.
numbers() { tail -c "$1" | od -An -v -tu1 | xargs; }

vips() { tree/usr/bin/vips "$@" 2>/dev/null; }
seen=$(vips crop row.pgm five.pgm 0 0 5 1
	vips subsample five.pgm out.pgm 2 1 && numbers 2 <out.pgm && tree/usr/bin/vipsheader -f width out.pgm
	vips subsample row.pgm out.pgm 3 1 && numbers 3 <out.pgm
	vips shrink five.pgm out.pgm 2 1 && numbers 3 <out.pgm)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
0 2
2
0 3 6
1 3 4
SEEN
