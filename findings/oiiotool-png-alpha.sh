#!/bin/bash
# oiiotool of OpenImageIO 2.4.7 (Debian 12): a PNG with alpha, read and written, nothing else.
#
# Guess: PNG's alpha is not premultiplied, nor is what is written, so bytes come back as they were,
#        or within 1.
# Seen:  colours are multiplied by alpha in 8 bits on the way in and divided on the way out: 200 100
#        50 under alpha 3 become 170 85 0, all under alpha 0 becomes black, and some under alpha 128
#        lose 1. --iconfig oiio:UnassociatedAlpha 1 leaves them as they were. So what lies under a
#        mask is lost by a mere copy.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install openimageio-tools=2.4.7.1+dfsg-2 netpbm=2:11.01.00-2 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$libraries/pulseaudio:$work/tree/lib/x86_64-linux-gnu
PATH=$work/tree/usr/bin:$PATH

printf '\144\62\24\200\310\144\62\3\12\24\36\0\377\377\377\1' >pixels
{ printf 'P7\nWIDTH 4\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n' && cat pixels; } | pamtopng >in.png
numbers() { pngtopam -alphapam "$1" | tail -c 16 | od -An -v -tu1 | xargs; }
oiiotool in.png -o copy.png
oiiotool --iconfig oiio:UnassociatedAlpha 1 in.png -o same.png
oiiotool in.png --flop -o flop.png
seen=$(echo "in: $(numbers in.png)" && echo "copy: $(numbers copy.png)" && echo "flop: $(numbers flop.png)" &&
	echo "UnassociatedAlpha: $(numbers same.png)")
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
in: 100 50 20 128 200 100 50 3 10 20 30 0 255 255 255 1
copy: 99 49 19 128 170 85 0 3 0 0 0 0 255 255 255 1
flop: 255 255 255 1 0 0 0 0 170 85 0 3 99 49 19 128
UnassociatedAlpha: 100 50 20 128 200 100 50 3 10 20 30 0 255 255 255 1
SEEN
