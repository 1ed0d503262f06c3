#!/bin/bash
# netCDF4-python 1.6.2 of Debian 12 (netCDF 4.9.0): bytes and words without a fill value.
#
# Guess: a uint8 variable that names no _FillValue has none, for every byte is a number: 255 comes
#        back as 255.
# Seen:  255 comes back masked, 65535 of uint16 does, and -127 of int8: the library's own fill value
#        of the type counts as missing. White pixels are left out of means, and .filled(0) makes
#        them black. fill_value=False when the variable is made prevents it, and
#        set_auto_mask(False) when it is read.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-netcdf4=1.6.2-1+b1 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree

libraries=$work/tree/usr/lib/x86_64-linux-gnu
python() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack PYTHONHOME=$work/tree/usr \
		PYTHONPATH=$work/tree/usr/lib/python3/dist-packages tree/usr/bin/python3.11 "$@"
}

cat >white.py <<'PY'
import netCDF4
pictures = {"u1": [0, 254, 255, 1], "i1": [0, -128, -127, 127], "u2": [0, 65534, 65535, 1]}
with netCDF4.Dataset("white.nc", "w") as file:
    file.createDimension("x", 4)
    for kind, numbers in pictures.items():
        file.createVariable(kind, kind, ("x",))[:] = numbers
    file.createVariable("u1 without fill", "u1", ("x",), fill_value=False)[:] = pictures["u1"]
with netCDF4.Dataset("white.nc") as file:
    for name, variable in file.variables.items():
        print(f"{name}:", *variable[:], "mean", variable[:].mean().round(2), "attributes", variable.ncattrs())
    file.set_auto_mask(False)
    print("without masks:", *file["u1"][:])
PY
seen=$(python white.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
u1: 0 254 -- 1 mean 85.0 attributes []
i1: 0 -128 -- 127 mean -0.33 attributes []
u2: 0 65534 -- 1 mean 21845.0 attributes []
u1 without fill: 0 254 255 1 mean 127.5 attributes []
without masks: 0 254 255 1
SEEN
