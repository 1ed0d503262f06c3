#!/bin/bash
# h5py 3.7.0 with HDF5 1.10.8, of Debian 12: arrays written to a float16 dataset.
#
# Guess: HDF5 converts as NumPy's astype does: halves to even, infinity from 65520 on, for float32
#        and for integers alike.
# Seen:  halves go away from zero: 2049 becomes 2050, 2053 becomes 2054; float32 65520 becomes
#        65504. Integers go by another way, halves to even, and 70000 becomes NaN, where the float32
#        70000 becomes infinity. A list is converted by NumPy first. So a file made in two ways
#        differs.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-h5py=3.7.0-8 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree

libraries=$work/tree/usr/lib/x86_64-linux-gnu
python() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack PYTHONHOME=$work/tree/usr \
		PYTHONPATH=$work/tree/usr/lib/python3/dist-packages tree/usr/bin/python3.11 "$@"
}

cat >half.py <<'PY'
import h5py, numpy
numbers = [2049, 2051, 2053, -2049, 65519, 65520, 70000]
with h5py.File("half.h5", "w") as file:
    dataset = file.create_dataset("x", (len(numbers),), "f2")
    def show(name, data):
        dataset[...] = data
        print(f"{name}:", *dataset[...].astype(float))
    for kind in "float32", "float64", "int32", "int64":
        show(kind, numpy.array(numbers, kind))
    numpy.seterr(over="ignore")
    show("NumPy's float16", numpy.array(numbers, "f4").astype("f2"))
    show("list of float", [float(number) for number in numbers])
PY
seen=$(python half.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
float32: 2050.0 2052.0 2054.0 -2050.0 65504.0 65504.0 inf
float64: 2050.0 2052.0 2054.0 -2050.0 65504.0 65504.0 inf
int32: 2048.0 2052.0 2052.0 -2048.0 65504.0 inf nan
int64: 2048.0 2052.0 2052.0 -2048.0 65504.0 inf nan
NumPy's float16: 2048.0 2052.0 2052.0 -2048.0 65504.0 inf inf
list of float: 2048.0 2052.0 2052.0 -2048.0 65504.0 inf inf
SEEN
