#!/bin/bash
# h5py 3.7.0 with HDF5 1.10.8, of Debian 12: numbers that an 8-bit dataset cannot hold.
#
# Guess: HDF5 clamps when it converts: 300 becomes 255 and -1 becomes 0, however they are written.
# Seen:  so it is for a NumPy array of another type. Of the same numbers as a list or as one number,
#        h5py first makes an array of the dataset's type, which wraps: 300 becomes 44, -1 becomes
#        255. create_dataset(data=, dtype="u1") has both, too. So .tolist() or a loop over elements
#        changes what is in the file.
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

cat >write.py <<'PY'
import h5py, numpy, warnings
warnings.simplefilter("ignore")  # a later NumPy says that it will refuse 300
numbers = [300, -1, 7]
with h5py.File("numbers.h5", "w") as file:
    dataset = file.create_dataset("x", (3,), "u1")
    dataset[...] = numpy.array(numbers)
    print("int64 array:", *dataset[...])
    dataset[...] = numpy.array(numbers, "f4") + 0.7
    print("float32 array, 0.7 more:", *dataset[...])
    dataset[...] = numbers
    print("list:", *dataset[...])
    for i, number in enumerate(numbers):
        dataset[i] = number
    print("one by one:", *dataset[...])
    print("create_dataset of an array:", *file.create_dataset("a", data=numpy.array(numbers), dtype="u1")[...])
    print("create_dataset of a list:", *file.create_dataset("l", data=numbers, dtype="u1")[...])
PY
seen=$(python write.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
int64 array: 255 0 7
float32 array, 0.7 more: 255 0 7
list: 44 255 7
one by one: 44 255 7
create_dataset of an array: 255 0 7
create_dataset of a list: 44 255 7
SEEN
