#!/bin/bash
# PDL 2.081 of Debian 12 (arrays of Perl): a byte array beside a number below zero.
#
# Guess: comparisons and limits are those of numbers: every byte is greater than -1, and clip(-1,
#        250) changes none, as 300, which no byte holds either, is taken for what it is.
# Seen:  -1 becomes the byte 255 first: no byte is greater than -1, clip(-1, 250) makes all 250, and
#        lclip(-1) makes all 255. For 300 the array becomes short. ushort is the same with 65535. So
#        a mask of "above a threshold" is empty once the threshold falls below zero.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install pdl=1:2.081-2 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
perl() {
	LD_LIBRARY_PATH=$libraries PERL5LIB=$libraries/perl5/5.36:$work/tree/usr/share/perl5:$libraries/perl/5.36:$work/tree/usr/share/perl/5.36 \
		tree/usr/bin/perl "$@"
}

cat >bytes.pl <<'PL'
use PDL;
for my $kind (byte, ushort, short) {
	my $x = pdl($kind, [1, 2, 200]);
	print "$kind > -1: ", $x > -1, ", < 300: ", $x < 300, ", clip(-1, 250): ", $x->clip(-1, 250),
		", lclip(-1): ", $x->lclip(-1), ", clip(0, 300): ", $x->clip(0, 300), "\n";
}
PL
seen=$(perl bytes.pl)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
byte > -1: [0 0 0], < 300: [1 1 1], clip(-1, 250): [250 250 250], lclip(-1): [255 255 255], clip(0, 300): [1 2 200]
ushort > -1: [0 0 0], < 300: [1 1 1], clip(-1, 250): [250 250 250], lclip(-1): [65535 65535 65535], clip(0, 300): [1 2 200]
short > -1: [1 1 1], < 300: [1 1 1], clip(-1, 250): [1 2 200], lclip(-1): [1 2 200], clip(0, 300): [1 2 200]
SEEN
