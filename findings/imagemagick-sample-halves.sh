#!/bin/bash
# ImageMagick 6.9.11-60 of Debian 12 (convert -sample) on x86-64.
#
# Guess: -sample picks the pixel in the middle of each new pixel, where its offset of 50 % is: 1, 3,
#        5, 7, 9 of 10 columns made 5, as -filter point -resize and Pillow's nearest do.
# Seen:  0, 2, 4, 6, 8. A middle between two pixels is the lower one for it, and the upper one for
#        -filter point -resize: of 10 made 3 they pick 1, 4, 8 and 1, 5, 8. Of 10 made 4 no middle
#        lies so, and both pick 1, 3, 6, 8.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install imagemagick-6.q16=8:6.9.11.60+dfsg-1.6+deb12u15 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
export LD_LIBRARY_PATH=$work/tree/usr/lib/x86_64-linux-gnu:$work/tree/lib/x86_64-linux-gnu
# A row of ten grey pixels, 0 to 9, as a PGM file.
{ printf 'P5 10 1 255\n' && printf '\0\1\2\3\4\5\6\7\10\11'; } >row.pgm
# numbers N: the last N bytes of the input, in one line.
numbers() { tail -c "$1" | od -An -v -tu1 | xargs; }

parts=$(echo tree/usr/lib/x86_64-linux-gnu/ImageMagick-*/modules-Q16)
export MAGICK_CODER_MODULE_PATH=$parts/coders MAGICK_FILTER_MODULE_PATH=$parts/filters
MAGICK_CONFIGURE_PATH=$work/tree/etc/ImageMagick-6:$(echo "$work"/tree/usr/lib/x86_64-linux-gnu/ImageMagick-*/config-Q16):$work/tree/usr/share/ImageMagick-6
export MAGICK_CONFIGURE_PATH
seen=$(for columns in 3 4 5; do
	for way in -sample '-filter point -resize'; do
		echo "$way $columns: $(tree/usr/bin/convert-im6.q16 row.pgm $way "${columns}x1!" -depth 8 gray:- | numbers $columns)"
	done
done)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
-sample 3: 1 4 8
-filter point -resize 3: 1 5 8
-sample 4: 1 3 6 8
-filter point -resize 4: 1 3 6 8
-sample 5: 0 2 4 6 8
-filter point -resize 5: 1 3 5 7 9
SEEN
