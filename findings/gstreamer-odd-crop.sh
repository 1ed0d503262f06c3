#!/bin/bash
# GStreamer 1.22.0 of Debian 12: videocrop left=1 top=1 of I420, whose chroma has a sample for 2 x 2
# pixels.
#
# Guess: the offset goes down to an even one, as FFmpeg's crop does it, or chroma is resampled.
# Seen:  luma begins at 1,1 exactly, and chroma at its first sample, which lay at 0,0. So colours
#        move by one pixel against the picture, with each such crop.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install gstreamer1.0-tools=1.22.0-2+deb12u1 gstreamer1.0-plugins-base=1.22.0-3+deb12u7 \
	gstreamer1.0-plugins-good=1.22.0-5+deb12u4 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree

libraries=$work/tree/usr/lib/x86_64-linux-gnu
export GST_PLUGIN_SYSTEM_PATH=$libraries/gstreamer-1.0 GST_REGISTRY=$work/registry GST_REGISTRY_FORK=no
gst() { LD_LIBRARY_PATH=$libraries tree/usr/bin/gst-launch-1.0 -q "$@"; }

{ for row in 0 1 2 3 4 5 6 7; do for column in 0 1 2 3 4 5 6 7; do printf "\\$(printf %o $((row * 10 + column)))"; done; done
  for row in 0 2 4 6; do for column in 0 2 4 6; do printf "\\$(printf %o $((100 + row * 10 + column)))"; done; done
  head -c 16 /dev/zero; } >in
gst filesrc location=in ! rawvideoparse format=i420 width=8 height=8 ! videocrop left=1 top=1 ! filesink location=out
seen=$(echo "luma: $(od -v -An -t u1 -N 7 out)"; echo "chroma: $(od -v -An -t u1 -j 64 -N 4 out)"; wc -c <out)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
luma:   11  12  13  14  15  16  17
chroma:  100 102 104 106
96
SEEN
