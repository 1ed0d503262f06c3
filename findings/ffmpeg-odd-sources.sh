#!/bin/bash
# FFmpeg 5.1.9 of Debian 12: test pictures of odd size by lavfi.
#
# Guess: -i color=red:s=5x3 is 5 x 3, at least when the output format has no subsampled chroma.
# Seen:  4 x 2, even as rgb24, gray or gbrp: sources color and testsrc2 cut the size down to what
#        4:2:0 could hold. testsrc, smptebars and nullsrc give 5 x 3. So a test of odd sizes that
#        makes its frames by color tests even ones.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install ffmpeg=7:5.1.9-0+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree

libraries=$work/tree/usr/lib/x86_64-linux-gnu
ffmpeg() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$libraries/pulseaudio tree/usr/bin/ffmpeg -v error -nostdin "$@"
}

seen=$(for source in color=red testsrc2 testsrc smptebars nullsrc; do
	for format in rgb24 gray; do
		separator=: && [ $source = color=red ] || separator==
		ffmpeg -f lavfi -i $source${separator}s=5x3 -frames:v 1 -pix_fmt $format -f rawvideo pipe: >frame
		echo "$source $format: $(wc -c <frame) bytes"
	done
done)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
color=red rgb24: 24 bytes
color=red gray: 8 bytes
testsrc2 rgb24: 24 bytes
testsrc2 gray: 8 bytes
testsrc rgb24: 45 bytes
testsrc gray: 15 bytes
smptebars rgb24: 45 bytes
smptebars gray: 15 bytes
nullsrc rgb24: 45 bytes
nullsrc gray: 15 bytes
SEEN
