#!/bin/bash
# VTK 9.1.0 of Debian 12 (Python): the extent and the places of vtkImageResample, magnified by 2 and
# other factors.
#
# Guess: twice as many pixels for a factor of 2, and the pixels' areas laid on each other.
# Seen:  2n - 1: the spacing is halved and the outermost centres stay, so that 512 are 1023 and 2 are
#        3. By 1.5 ten are 14 and the last centre is lost; by .5 ten are read at 0 2 4 6 8, and twice
#        as many again are 9. vtkImageResize reads 0 2.25 4.5 6.75 9 or, with its border on, .5 2.5
#        4.5 6.5 8.5 for the same five. So masks by one filter do not fit pictures by the other.
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

cat >resample.py <<'PY'
import numpy
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkImagingCore import vtkImageInterpolator, vtkImageResample, vtkImageResize
def positions(extent):
    picture = vtkImageData()
    picture.SetDimensions(extent, 1, 1)
    picture.GetPointData().SetScalars(numpy_to_vtk(numpy.arange(extent, dtype="float32"), deep=True))
    return picture
def show(name, operation):
    operation.Update()
    numbers = vtk_to_numpy(operation.GetOutput().GetPointData().GetScalars())
    print(f"{name}: {len(numbers)}", *([] if len(numbers) > 20 else ["at"] + ["%.3g" % x for x in numbers]))
for extent, factor in (512, 2), (2, 2), (10, 2), (10, 1.5), (10, .5), (10, .25), (11, .5):
    resample = vtkImageResample()
    resample.SetInputData(positions(extent))
    resample.SetInterpolationModeToLinear()
    resample.SetMagnificationFactors(factor, 1, 1)
    show(f"vtkImageResample, {extent} by {factor}", resample)
for border in False, True:
    resize = vtkImageResize()
    resize.SetInputData(positions(10))
    resize.SetInterpolator(vtkImageInterpolator())
    resize.SetOutputDimensions(5, 1, 1)
    resize.SetBorder(border)
    show(f"vtkImageResize, 10 to 5, border {border}", resize)
PY
seen=$(python resample.py)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
vtkImageResample, 512 by 2: 1023
vtkImageResample, 2 by 2: 3 at 0 0.5 1
vtkImageResample, 10 by 2: 19 at 0 0.5 1 1.5 2 2.5 3 3.5 4 4.5 5 5.5 6 6.5 7 7.5 8 8.5 9
vtkImageResample, 10 by 1.5: 14 at 0 0.667 1.33 2 2.67 3.33 4 4.67 5.33 6 6.67 7.33 8 8.67
vtkImageResample, 10 by 0.5: 5 at 0 2 4 6 8
vtkImageResample, 10 by 0.25: 3 at 0 4 8
vtkImageResample, 11 by 0.5: 6 at 0 2 4 6 8 10
vtkImageResize, 10 to 5, border False: 5 at 0 2.25 4.5 6.75 9
vtkImageResize, 10 to 5, border True: 5 at 0.5 2.5 4.5 6.5 8.5
SEEN
