#!/bin/bash
# PDL 2.081 of Debian 12 (arrays of Perl): wfits of ushort, read by PDL and by astropy 5.2.1.
#
# Guess: the numbers come back: FITS has 16 bits with a sign and takes unsigned ones with BZERO
#        32768, as astropy writes them.
# Seen:  32768 is subtracted, and no BZERO says so: 0 1 40000 65535 comes back as -32768 -32767 7232
#        32767 in both. If all numbers are below 32768, they are written as they are. So in one
#        series of frames those with a bright pixel are moved by 32768. What astropy wrote, PDL
#        reads well.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install pdl=1:2.081-2 python3-astropy=5.2.1-2+deb12u1 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
perl() {
	LD_LIBRARY_PATH=$libraries PERL5LIB=$libraries/perl5/5.36:$work/tree/usr/share/perl5:$libraries/perl/5.36:$work/tree/usr/share/perl/5.36 \
		tree/usr/bin/perl "$@"
}
python() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack PYTHONHOME=$work/tree/usr \
		PYTHONPATH=$work/tree/usr/lib/python3/dist-packages tree/usr/bin/python3.11 "$@"
}

cat >write.pl <<'PL'
use PDL; use PDL::IO::FITS;
wfits(ushort("0 1 300"), "small.fits"), wfits(ushort("0 1 40000 65535"), "large.fits");
print "PDL, $_: ", rfits("$_.fits"), " ", rfits("$_.fits")->type, "\n" for "small", "large";
PL
cat >read.py <<'PY'
from astropy.io import fits
for name in "small", "large":
    with fits.open(name + ".fits") as file:
        print(f"astropy, {name}:", *file[0].data, "BZERO", file[0].header.get("BZERO"))
PY
seen=$(perl write.pl && python read.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
PDL, small: [0 1 300] short
PDL, large: [-32768 -32767 7232 32767] short
astropy, small: 0 1 300 BZERO None
astropy, large: -32768 -32767 7232 32767 BZERO None
SEEN
