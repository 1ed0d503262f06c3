#!/bin/bash
# GStreamer 1.22.0 of Debian 12 (plugins-good 1.22.0-5+deb12u4): videoflip in a pipeline's text.
#
# Guess: videoflip method=horizontal-flip mirrors each row, as every tutorial has it.
# Seen:  it does nothing, with no word of warning. video-direction=horiz, the newer name, mirrors.
#        So frames are augmented, or a camera's mirror is undone, in name only.
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

flip() { # PROPERTY: a row of four grey pixels
	printf '\1\2\3\4' >in
	gst filesrc location=in ! rawvideoparse format=gray8 width=4 height=1 ! videoflip "$1" ! filesink location=out
	echo "$1:" $(od -v -An -t u1 out)
}
seen=$(flip method=horizontal-flip && flip method=rotate-180 && flip video-direction=horiz && flip video-direction=180)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
method=horizontal-flip: 1 2 3 4
method=rotate-180: 1 2 3 4
video-direction=horiz: 4 3 2 1
video-direction=180: 4 3 2 1
SEEN
