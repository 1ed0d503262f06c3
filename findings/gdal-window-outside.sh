#!/bin/bash
# GDAL 3.6.2 of Debian 12 (gdal_translate -srcwin) on x86-64.
#
# Guess: a window that leaves the picture is an error, or is cut to what is there.
# Seen:  what lies outside becomes 0, and the exit status is 0, also of a window wholly outside.
#        Options -epo and -eco make errors of the two.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install gdal-bin=3.6.2+dfsg-1+b2 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
export LD_LIBRARY_PATH=$work/tree/usr/lib/x86_64-linux-gnu:$work/tree/lib/x86_64-linux-gnu
# A row of ten grey pixels, 0 to 9, as a PGM file.
{ printf 'P5 10 1 255\n' && printf '\0\1\2\3\4\5\6\7\10\11'; } >row.pgm
# numbers N: the last N bytes of the input, in one line.
numbers() { tail -c "$1" | od -An -v -tu1 | xargs; }

export GDAL_DATA=$work/tree/usr/share/gdal
LD_LIBRARY_PATH+=$(find "$work/tree/usr/lib" -name '*.so.*' -printf ':%h\n' | sort -u | tr -d '\n')
seen=$(for window in '7 0' '20 0' '-2 0' '7 0 -epo' '20 0 -eco'; do
	set -- $window
	rm -f out.bin
	tree/usr/bin/gdal_translate -q ${3:-} -srcwin "$1" "$2" 5 1 -of ENVI row.pgm out.bin 2>/dev/null &&
		echo "$window: $(numbers 5 <out.bin)" || echo "$window: exit $?"
done)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
7 0: 7 8 9 0 0
20 0: 0 0 0 0 0
-2 0: 0 0 0 1 2
7 0 -epo: exit 1
20 0 -eco: exit 1
SEEN
