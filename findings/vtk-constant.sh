#!/bin/bash
# VTK 9.1.0 of Debian 12 (Python): vtkImageMathematics with a constant, on bytes and other integers.
#
# Guess: the sum as C makes it, cut off or wrapped at the type's ends; -4 makes 96 of 100.
# Seen:  the constant is brought into the type first, and only then added: of bytes -4 is 0, so that
#        nothing is subtracted, and 300 is 255, which wraps: all is one darker. ushort is the same,
#        and .7 is nothing for any integer. MultiplyByK is not: 1.9 times 200 is 380 and wraps to
#        124. So a threshold or an offset that is subtracted this way leaves the picture as it was.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-numpy=1:1.24.2-1+deb12u1 libtbb12 libexpat1 || exit 2
# Of VTK itself two packages are enough, of the hundreds that it asks for.
(cd debs && apt-get -qq -o APT::Sandbox::User=root download {python3-vtk9,libvtk9.1}=9.1.0+really9.1.0+dfsg2-5+deb12u1) || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
libraries=$work/tree/usr/lib/x86_64-linux-gnu
python() {
	LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack:$work/tree/lib/x86_64-linux-gnu:$work/tree/usr/lib \
		PYTHONHOME=$work/tree/usr PYTHONPATH=$work/tree/usr/lib/python3/dist-packages tree/usr/bin/python3.11 "$@"
}

cat >constant.py <<'PY'
import numpy
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkImagingMath import vtkImageMathematics
def picture(numbers, kind):
    picture = vtkImageData()
    picture.SetDimensions(len(numbers), 1, 1)
    picture.GetPointData().SetScalars(numpy_to_vtk(numpy.array(numbers, kind), deep=True))
    return picture
def result(operation):
    operation.Update()
    return vtk_to_numpy(operation.GetOutput().GetPointData().GetScalars()).tolist()
for kind in "uint8", "uint16", "int16", "float32":
    for constant in -4, .7, 300:
        add = vtkImageMathematics()
        add.SetInputData(picture([3, 100, 120, 200], kind))
        add.SetOperationToAddConstant()
        add.SetConstantC(constant)
        print(kind, "3 100 120 200,", constant, "added:", *("%g" % x for x in result(add)))
multiply = vtkImageMathematics()
multiply.SetInputData(picture([3, 100, 120, 200], "uint8"))
multiply.SetOperationToMultiplyByK()
multiply.SetConstantK(1.9)
print("uint8 3 100 120 200, times 1.9:", *result(multiply))
PY
seen=$(python constant.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
uint8 3 100 120 200, -4 added: 3 100 120 200
uint8 3 100 120 200, 0.7 added: 3 100 120 200
uint8 3 100 120 200, 300 added: 2 99 119 199
uint16 3 100 120 200, -4 added: 3 100 120 200
uint16 3 100 120 200, 0.7 added: 3 100 120 200
uint16 3 100 120 200, 300 added: 303 400 420 500
int16 3 100 120 200, -4 added: -1 96 116 196
int16 3 100 120 200, 0.7 added: 3 100 120 200
int16 3 100 120 200, 300 added: 303 400 420 500
float32 3 100 120 200, -4 added: -1 96 116 196
float32 3 100 120 200, 0.7 added: 3.7 100.7 120.7 200.7
float32 3 100 120 200, 300 added: 303 400 420 500
uint8 3 100 120 200, times 1.9: 5 190 228 124
SEEN
