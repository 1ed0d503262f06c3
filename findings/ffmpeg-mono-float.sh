#!/bin/bash
# FFmpeg 5.1.9 of Debian 12: a sound of several channels made into fewer (-ac 1, -ac 2), as s16le and
# as f32le.
#
# Guess: the mean of two channels in one, whichever type the numbers have.
# Seen:  the type of the output chooses the volume. As s16le, channels of .4 are .4 whatever their
#        count. As f32le two are .566, times the root of two, four 1.166 and six 1.366, beyond full
#        scale. The type of the input does not matter. So a tensor that comes as f32le is not the
#        s16le one divided by 32768.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install ffmpeg=7:5.1.9-0+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$libraries/pulseaudio:$work/tree/lib/x86_64-linux-gnu

# one TYPE CHANNELS: a sample of .4 in each channel.
one() {
	for _ in $(seq "$2"); do
		if [ "$1" = s16le ]; then printf '\x33\x33'; else printf '\xcd\xcc\xcc\x3e'; fi
	done
}
# numbers TYPE: the first channel of raw samples, of full scale.
numbers() {
	if [ "$1" = s16le ]; then od -An -v -t d2 | awk '{ printf "%.3f", $1 / 32768 }'
	else od -An -v -t f4 | awk '{ printf "%.3f", $1 }'; fi
}
seen=$(for channels in "2 1" "4 1" "6 1" "6 2"; do
	set -- $channels
	for from in s16le f32le; do
		for to in s16le f32le; do
			one $from "$1" >in.raw
			tree/usr/bin/ffmpeg -v error -nostdin -f $from -ar 8000 -ac "$1" -i in.raw -f $to -ac "$2" - >out.raw
			echo "$1 channels of .4 as $from to $2 as $to: $(numbers $to <out.raw)"
		done
	done
done)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
2 channels of .4 as s16le to 1 as s16le: 0.400
2 channels of .4 as s16le to 1 as f32le: 0.566
2 channels of .4 as f32le to 1 as s16le: 0.400
2 channels of .4 as f32le to 1 as f32le: 0.566
4 channels of .4 as s16le to 1 as s16le: 0.400
4 channels of .4 as s16le to 1 as f32le: 1.166
4 channels of .4 as f32le to 1 as s16le: 0.400
4 channels of .4 as f32le to 1 as f32le: 1.166
6 channels of .4 as s16le to 1 as s16le: 0.400
6 channels of .4 as s16le to 1 as f32le: 1.366
6 channels of .4 as f32le to 1 as s16le: 0.400
6 channels of .4 as f32le to 1 as f32le: 1.366
6 channels of .4 as s16le to 2 as s16le: 0.400
6 channels of .4 as s16le to 2 as f32le: 0.966
6 channels of .4 as f32le to 2 as s16le: 0.400
6 channels of .4 as f32le to 2 as f32le: 0.966
SEEN
