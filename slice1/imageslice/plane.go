package imageslice

import (
	"errors"
	"image"
	"math"
	"strings"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/rows"
)

// ResizePlane resamples window r of each plane of numbers in src to all of a plane of dst, by
// filter f: logits, depths and masks of a model, or the planes of a CHW tensor. A plane of src has
// from.Y rows of from.X numbers, one of dst to.Y rows of to.X, and planes follow each other. An r
// that is empty is all of a plane. The window is cut out first, so no number outside of it counts:
// a letterbox's border does not blur into a mask.
//
// Linear is OpenCV's resize of CV_32F by INTER_LINEAR, and what torch's
// interpolate(mode="bilinear", align_corners=False) means: half-pixel centres, edges repeated, four
// neighbours. The numbers are those of OpenCV 4.6 to the last bit, except that OpenCV sums the last
// columns of a plane whose sides it halves in another order. Where coordinates are exact, as in all
// ratios of 1 to a power of two, that is at most 2.5 units of the last place of the largest
// neighbour from the real numbers, and torch 1.13 is as near. Otherwise coordinates are float32 in
// all three libraries: on logits, ResizePlane and OpenCV were at most 456 such units from the real
// numbers, torch 483, in 200 random cases (python3 testdata/resize/planes.py -distance 3 200; in
// the other ratios 2.05 and 2).
//
// Nearest is Pillow's, by centres. OpenCV's INTER_NEAREST and torch's "nearest" cut off instead:
// they take other numbers if a ratio is not whole. Bilinear, Bicubic, Lanczos, Box and Hamming are
// those of Pillow's mode F: weights and sums are float64, and each sum is rounded to float32,
// between columns and rows, too. They are Pillow 9.4's numbers to the last bit. Area is
// [errors.ErrUnsupported]; Box makes means. Numbers are not limited: Bicubic and Lanczos give some
// beyond those of src. NaN and infinities are multiplied and added like other numbers, so that a
// weight of 0 makes a NaN of infinity, as there.
//
// The errors are:
//
//   - slice1.ErrSize for a side of to or from that is not positive, and for an unknown f;
//   - slice1.ErrEmpty for a dst and a src without numbers;
//   - slice1.ErrBuffer for a dst or a src that has not the same number of whole planes as the other;
//   - slice1.ErrWindow for an r that leaves the planes;
//   - slice1.ErrOverlap for a dst in src's memory;
//   - slice1.ErrOverflow for a side of more than 2^31 - 1, and for work that Convert refuses with
//     t.Resize, too.
//
// If ResizePlane returns an error, it has written nothing. Any number of goroutines may call it at
// once. The options are Convert's. A dst of less than 4 MiB takes the caller's goroutine alone, a
// larger one up to GOMAXPROCS goroutines. Their rows together take at most 96 MiB.
func ResizePlane(dst []float32, to image.Point, src []float32, from image.Point, r image.Rectangle, f Filter, opts ...slice1.Option) error {
	w := requests.Get().(*request)
	defer w.release()
	planes, err := checkPlanes(dst, to, src, from, f)
	if err != nil {
		return err
	}
	if w.settings, err = settings(opts); err != nil {
		return err
	}
	switch whole := (image.Rectangle{Max: from}); {
	case r.Empty():
		r = whole
	case !r.In(whole):
		return refused(slice1.ErrWindow, "%v is not in %v, a plane", r, whole)
	}
	kernel, err := engine.KernelOf(&w.settings)
	if err != nil {
		return adopt(err)
	}
	x, y := rows.Axis{Size: r.Dx(), Scaled: to.X, End: to.X}, rows.Axis{Size: r.Dy(), Scaled: to.Y, End: to.Y}
	p, err := rows.NewPlanePlan(rows.Filter(f), x, y, planes, int32(kernel))
	if err != nil {
		return refused(slice1.ErrOverflow, "%s", strings.TrimPrefix(err.Error(), "rows: "))
	}
	low, _ := p.SourceColumns()
	resampled := &rows.Resampler{Plan: p, Pix: memoryOf(src).bytes(), Stride: 4 * from.X, Pixel: 4,
		Left: r.Min.X + low, Top: r.Min.Y, Rows: to.Y, Apart: from.Y, Pitch: 4 * to.X}
	defer resampled.Close()
	pitch, j := int64(resampled.Pitch), &w.job
	j.number = [2]program.ElementType{program.Float32, program.Float32}
	j.pitch, j.inPlace, j.values.Source = pitch, true, resampled
	j.band, j.minRows, j.sourceBytes = p.Band(), p.MinBand(), p.Bytes()*int64(planes)
	j.loops = [...]nest.Dim{{Extent: int64(len(dst) / to.X), Src: pitch, Dst: pitch}, {Extent: int64(to.X), Src: 4, Dst: 4}, {Extent: 1}, 7: {}}
	j.bound(p.Memory(), &w.settings)
	return j.store(unsafe.Pointer(&dst[0]), nil, &w.settings)
}

// checkPlanes returns how many planes there are, and ResizePlane's errors about them and f.
func checkPlanes(dst []float32, to image.Point, src []float32, from image.Point, f Filter) (int, error) {
	for i, n := range [...]int{to.X, to.Y, from.X, from.Y} {
		name := [...]string{"to.X", "to.Y", "from.X", "from.Y"}[i]
		switch {
		case n <= 0:
			return 0, refusedField(name, int64(n), 1, slice1.ErrSize, " is %d, must be at least 1", n)
		case n > math.MaxInt32:
			return 0, refusedField(name, int64(n), math.MaxInt32, slice1.ErrOverflow, " is %d, must be at most %d", n, math.MaxInt32)
		}
	}
	switch {
	case f < Bilinear || f > Area:
		return 0, refusedField("f", int64(f), int64(min(max(f, Bilinear), Area)), slice1.ErrSize, " is %d, must be 0 to %d", f, Area)
	case f == Area:
		return 0, refused(errors.ErrUnsupported, "Area resizes pictures alone; Box makes means of numbers")
	case len(src) == 0 && len(dst) == 0:
		return 0, refused(slice1.ErrEmpty, "dst and src have no planes")
	}
	size, n := int64(from.X)*int64(from.Y), int64(len(src))
	if n == 0 || n%size != 0 {
		return 0, refused(slice1.ErrBuffer, "src has %d numbers, planes of %d x %d have %d each: must be one or several", n, from.X, from.Y, size)
	}
	planes, size, n := n/size, int64(to.X)*int64(to.Y), int64(len(dst))
	if n%planes != 0 || n/planes != size {
		return 0, refused(slice1.ErrBuffer, "dst has %d numbers, must have %d for each of src's planes, which are %d", n, size, planes)
	}
	target, b := plane{pix: memoryOf(dst).bytes()}, plane{pix: memoryOf(src).bytes()}
	if target.meets(&b) {
		return 0, refused(slice1.ErrOverlap, "dst is in src's memory")
	}
	return int(planes), nil
}
