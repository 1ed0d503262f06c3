#!/bin/bash
# GStreamer 1.22.0 of Debian 12: videoscale, by its default method, of grey and of colours.
#
# Guess: one rule for all formats, with pixels' centres as Pillow, OpenCV and FFmpeg have them: [0
#        80 160 240] to eight is 0 20 60 100 140 180 220 240.
# Seen:  so it is for RGB and for grey of 16 bits. GRAY8 is stretched from end to end, its first
#        pixel on the first and its last on the last: 0 34 68 102 136 171 205 239. So the same grey
#        picture is up to 36 different by whether it is scaled before or after it is made RGB.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install gstreamer1.0-tools=1.22.0-2+deb12u1 gstreamer1.0-plugins-base=1.22.0-3+deb12u7 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree

libraries=$work/tree/usr/lib/x86_64-linux-gnu
export GST_PLUGIN_SYSTEM_PATH=$libraries/gstreamer-1.0 GST_REGISTRY=$work/registry GST_REGISTRY_FORK=no
gst() { LD_LIBRARY_PATH=$libraries tree/usr/bin/gst-launch-1.0 -q "$@"; }

scale() { # FORMAT: a row of four pixels to eight in that format
	printf '\0\120\240\360' >in
	gst filesrc location=in ! rawvideoparse format=gray8 width=4 height=1 ! videoconvert ! "video/x-raw,format=$1" ! \
		videoscale ! video/x-raw,width=8,height=1 ! videoconvert ! video/x-raw,format=GRAY8 ! filesink location=out
	echo "$1:" $(od -v -An -t u1 out)
}
seen=$(scale GRAY8 && scale RGB && scale GRAY16_LE)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
GRAY8: 0 34 68 102 136 171 205 239
RGB: 0 20 60 100 140 180 220 240
GRAY16_LE: 0 20 60 100 140 180 220 240
SEEN
