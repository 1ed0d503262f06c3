#!/bin/bash
# PDL 2.081 of Debian 12 (arrays of Perl): one byte of a picture marked as bad.
#
# Guess: that one is left out of sums and means, and the others count as before.
# Seen:  every white pixel is bad, too: a byte's bad value is 255, and once an array has bad numbers,
#        all 255 are. Of 1 2 255 255, with the 2 marked, the sum is 1, not 511. The array that it was
#        made of is changed as well: its sum was 513 and is 3. ushort loses 65535 in the same way. So
#        the brightest pixels leave a histogram because of one dead pixel.
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

cat >bad.pl <<'PL'
use PDL;
for ([byte, 1, 2, 255, 255], [ushort, 1, 2, 65535, 65535], [long, 1, 2, 65535, 65535], [double, 1, 2, 255, 255]) {
	my ($kind, @numbers) = @$_;
	my $x = pdl($kind, \@numbers);
	print "$kind $x, sum ", $x->sum;
	my $marked = $x->setbadif($x == 2);
	print ", marked $marked, sum ", $marked->sum, ", before $x, sum ", $x->sum, "\n";
}
PL
seen=$(perl bad.pl)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
byte [1 2 255 255], sum 513, marked [1 BAD BAD BAD], sum 1, before [1 2 BAD BAD], sum 3
ushort [1 2 65535 65535], sum 131073, marked [1 BAD BAD BAD], sum 1, before [1 2 BAD BAD], sum 3
long [1 2 65535 65535], sum 131073, marked [1 BAD 65535 65535], sum 131071, before [1 2 65535 65535], sum 131073
double [1 2 255 255], sum 513, marked [1 BAD 255 255], sum 511, before [1 2 255 255], sum 513
SEEN
