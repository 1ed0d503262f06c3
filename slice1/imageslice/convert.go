package imageslice

import (
	"image"
	"math"
	"strings"
	"sync"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/rows"
)

// Convert stores window r of m in dst, as the tensor that t describes. Steps are the same as in
// [Slice]. The channels are R, G and B, or the only channel of *image.Gray, Gray16, Alpha and
// Alpha16. Samples count 0 to 255; 16-bit samples are divided by 257. Each sample becomes a number
// of t.Type by the rules of [slice1.WithNumbers], with t.Affine's values. dst has exactly the
// length of the whole tensor (slice1.ErrBuffer): a picture that is smaller than expected would
// scramble a tensor of another shape.
//
//	t := imageslice.Tensor{Type: slice1.Float16, Width: 640, Height: 640, At: image.Point{Y: 140}, Fill: []float32{0.5}}
//	err := imageslice.Convert(dst, m, m.Bounds(), t) // 640 x 360 pixels, and grey above and below
//
// m is a picture that View takes, an *image.YCbCr of any ratio, an *image.NYCbCrA of 4:2:0 or a
// Frame. r is any window in m. If t.Fill is set, r may leave m, and pixels outside of m become
// t.Fill, too. YCbCr becomes RGB by color.YCbCrToRGB, and CMYK as in Pillow, at most 1 off
// color.CMYKToRGB. Both have 8 bits; the 16 bits of At(x, y).RGBA() differ from them. A Frame
// becomes RGB by its own formulas, and NYCbCrA as LibWebP has it, since golang.org/x/image/webp
// alone makes it; its At does not know that. Palettes are looked up. Alpha is dropped unless there
// is a t.Background, and colours are not divided by it: samples of *image.RGBA are already
// multiplied by alpha. With t.Resize, colours are made first, and their samples are then resampled.
//
// The errors are the same as [slice1.NewPlan]'s and as Slice's, except Slice's rules about
// cells of chroma, and these:
//
//   - slice1.ErrSize for a wrong number of values of Fill or Affine, an unknown Layout, a negative
//     Width or Height, and Channels that are not 0, 1 or 3;
//   - slice1.ErrDataType for a D that does not hold numbers of t.Type: uint8 for Uint8, and uint16
//     for Uint16, Float16 and BFloat16, for example;
//   - slice1.ErrWindow for a window that does not fit the tensor, and for a tensor that is larger
//     than what is placed in it, without t.Fill and t.Keep;
//   - slice1.ErrOverflow for a tensor with more numbers than an int counts, and for patches whose
//     row of blocks takes 96 MiB and more of R, G and B that are made of the picture;
//   - slice1.ErrOverflow for a t.Resize of which a pixel takes more than 2^20 pixels of an axis, of
//     more than 2^23 weights along an axis (a whole result has up to six for each pixel of the
//     window and eight for each of its own), or of which the rows that are resampled along one axis
//     only have more than 64 MiB and more than 16 times the bytes of the window and the result;
//   - with t.Resize, slice1.ErrSize for a side that is not positive and for an unknown t.Filter,
//     slice1.ErrStride for steps other than 1 and -1, and slice1.ErrWindow for an r that leaves m;
//   - slice1.ErrOverlap for a dst in m's memory.
//
// If Convert returns an error, it has written nothing. Any number of goroutines may call Convert at
// once. The options are slice1.WithKernel, WithParallelism, WithStreaming and WithLearning; others
// are [errors.ErrUnsupported]. The kernel also makes R, G and B of luma and chroma. Tensors of less
// than 4 MiB take the caller's goroutine alone, larger ones up to GOMAXPROCS goroutines. The rows
// of all goroutines of a t.Resize together take at most 96 MiB. On one goroutine, Convert without
// t.Resize does not allocate once runs for a layout have settled.
func Convert[D slice1.Number](dst []D, m image.Image, r image.Rectangle, t Tensor, opts ...slice1.Option) error {
	w := requests.Get().(*request)
	defer w.release()
	return w.convert(memoryOf(dst), m, r, &t, opts)
}

// request is the memory that a call of Convert or Draw needs besides its tensor. Later calls use it
// again, so they do not allocate.
type request struct {
	picture  planes
	target   plane // of another picture
	place    placement
	settings engine.Settings
	job      job
	source   rows.Colours
	drawing  drawing
	fill     [3]uint64

	encoded planes // of the frame that ToFrame makes
	frame   rows.Frame
}

var requests = sync.Pool{New: func() any { return new(request) }}

// release gives w back without its references to a picture.
func (w *request) release() {
	*w = request{job: job{room: w.job.room}, drawing: drawing{numbers: job{room: w.drawing.numbers.room}}}
	requests.Put(w)
}

// open opens picture m, and reads the options.
func (w *request) open(m image.Image, opts []slice1.Option) (err error) {
	if w.settings, err = settings(opts); err != nil {
		return err
	}
	return w.picture.openColours(m)
}

// check finds the place of window r of picture m, which is open, in tensor t, whose memory is
// `numbers`. It returns an error about any of these, which calls that memory `name`. The
// tensor may have `alternative` channels in place of the picture's. If clip is true, r may leave
// the picture.
func (w *request) check(name string, numbers memory, m image.Image, r image.Rectangle, t *Tensor, alternative int, clip bool) (err error) {
	if w.place, err = t.place(m, &w.picture, r, alternative, clip); err != nil {
		return err
	}
	if err := t.checkType(name, numbers.dataType); err != nil {
		return err
	}
	if err := w.place.checkLength(name, numbers.n, t, alternative); err != nil {
		return err
	}
	src, dst := w.types(name == "src", t)
	if err := t.checkValues(w.place.channels, alternative, src, dst); err != nil {
		return err
	}
	return separate(name, &w.picture, numbers.bytes())
}

// types returns the type of the elements that are read, and the type that is stored. draws is
// whether the tensor is the source.
func (w *request) types(draws bool, t *Tensor) (src program.ElementType, dst slice1.DataType) {
	switch {
	case draws:
		return engine.ElementTypeOf(t.dataType()), slice1.Uint8
	case w.picture.sample == slice1.Uint16 && t.Resize == (image.Point{}):
		return program.Sample257, t.dataType()
	}
	return program.Uint8, t.dataType()
}

// separate returns an error if pix, which the error calls `name`, has a byte in common with the
// memory of picture m. Gaps between rows count, too.
func separate(name string, m *planes, pix []byte) error {
	memory := plane{pix: pix}
	for i := range m.list {
		if m.list[i].meets(&memory) {
			return refused(slice1.ErrOverlap, "%s is in the picture's memory", name)
		}
	}
	return nil
}

func (w *request) convert(dst memory, m image.Image, r image.Rectangle, t *Tensor, opts []slice1.Option) error {
	if err := w.open(m, opts); err != nil {
		return err
	}
	if err := w.check("dst", dst, m, r, t, 3, len(t.Fill) > 0); err != nil {
		return err
	}
	p := &w.place
	if n := len(t.Background); t.Background != nil && n != 3 {
		return refused(slice1.ErrSize, "Background has %d values, must have three: R, G and B", n)
	}
	if err := t.checkRest(p); err != nil {
		return err
	}
	if err := w.setFill(t); err != nil {
		return err
	}
	if !p.inside.Empty() {
		if err := w.convertPixels(dst, t); err != nil {
			return err
		}
	}
	if len(t.Fill) > 0 {
		size := t.dataType().Size()
		fillAround(dst.bytes(), p, t.Layout, size, slice1.Bytes(w.fill[:])[:p.channels*size])
	}
	return nil
}

// convertPixels converts the pixels of the picture that the tensor takes: from the picture's
// memory, or from rows of R, G and B that are made.
//
// unsafe: check has found that all pixels lie in the picture's memory and in the tensor.
func (w *request) convertPixels(dst memory, t *Tensor) error {
	p, j, s := &w.place, &w.job, &w.source
	lines, columns, channels := p.rows, p.columns, t.ordered(w.picture.rgb)
	j.number = [2]program.ElementType{program.Uint8, engine.ElementTypeOf(t.dataType())}
	resizes, wideSamples := p.resized.x.Size > 0, w.picture.sample == slice1.Uint16
	grey := p.channels == 1 && channels.n == 3 || channels.n == 1 && resizes && wideSamples
	err := w.setSource(t.Background, grey, resizes)
	if err != nil {
		return err
	}
	makes := s.Maker != rows.NoMaker
	switch {
	case s.Grey:
		channels = upTo(1)
	case makes:
		channels = t.ordered(upTo(3))
	}
	src := &w.picture.list[0]
	strides := src.strides
	var resampled *rows.Resampler
	if resizes {
		if resampled, err = w.resampler(); err != nil {
			return err
		}
		defer resampled.Close()
		lines, columns.start = upTo(lines.n), columns.start-columns.lowest()
		strides = [3]int{resampled.Pitch, p.resized.pixel, 1}
		j.pitch, j.values.Source = int64(resampled.Pitch), resampled
		j.band, j.minRows, j.sourceBytes = resampled.Plan.Band(), resampled.Plan.MinBand(), resampled.Plan.Bytes()
	} else if makes {
		if strides, err = w.makeRows(&lines, &columns); err != nil {
			return err
		}
	}
	size := w.setNumbers(t, makes)
	wide := int64(t.dataType().Size())
	loop := func(x axis, stride, step int) nest.Dim {
		return nest.Dim{Extent: int64(x.n), Src: int64(x.step) * int64(stride*size), Dst: int64(step) * wide}
	}
	if makes && !resizes && w.makesInPlace(t, lines, columns, channels) {
		return j.store(unsafe.Add(dst.base, p.origin), nil, &w.settings)
	}
	if p.channels > channels.n { // grey, repeated
		channels = axis{0, 0, p.channels}
	}
	j.loops = [...]nest.Dim{loop(lines, strides[0], p.row), loop(columns, strides[1], p.column), loop(channels, strides[2], p.channel), 7: {}}
	offset := (lines.start*strides[0] + columns.start*strides[1] + channels.start*strides[2]) * size
	origin := unsafe.Add(dst.base, int64(p.origin)*wide)
	if resampled != nil && columns.step == 1 && p.row >= resampled.Length() && w.liesAsMade(channels.start) {
		// If three samples are made in pixels of four bytes, the caller stores the fourth byte
		// afterwards.
		resampled.Pitch, j.inPlace = p.row, true
		j.pitch, j.loops[0].Src = int64(p.row), j.loops[0].Dst
		offset, origin = 0, unsafe.Add(origin, -channels.start)
	}
	if p.side > 0 {
		if err := j.cut(&p.patches, wide); err != nil {
			return err
		}
	}
	if j.pitch > 0 {
		switch { // rows of luma and chroma are few, except for patches
		case resampled != nil:
			j.bound(resampled.Plan.Memory(), &w.settings)
		case p.side > 0:
			j.bound(0, &w.settings)
		}
		j.offset = offset
		return j.store(origin, nil, &w.settings)
	}
	return j.store(origin, unsafe.Pointer(&src.pix[offset]), &w.settings)
}

// makeRows sets the source's window to what the tensor takes, and its layout to rows of a plane for
// each channel. lines and columns then count from the first row and column that are made. It
// returns the strides of rows, columns and channels.
func (w *request) makeRows(lines, columns *axis) (strides [3]int, err error) {
	j, s := &w.job, &w.source
	left, width := columns.lowest(), columns.width()
	if width > math.MaxInt/4 { // on 32 bits
		return strides, refused(slice1.ErrOverflow, "the window takes %d columns, must take at most %d", width, math.MaxInt/4)
	}
	s.Window = rows.Window{Left: left, Width: width, Top: lines.start, Step: lines.step, Count: lines.n}
	s.Layout = rows.Layout{Pixel: 1, Stride: 3*width + 1, Plane: width}
	if s.Grey { // a stride of columns.step*columns.n would make one row of all in a job
		s.Layout = rows.Layout{Pixel: 1, Stride: 2 * width}
	}
	*lines, columns.start = upTo(lines.n), columns.start-left
	j.pitch, j.values.Source = int64(s.Layout.Stride), s
	return [3]int{s.Layout.Stride, 1, width}, nil
}

// setNumbers sets what becomes of the samples, and returns how many bytes one has. If makes is
// true, they are made, of bytes.
func (w *request) setNumbers(t *Tensor, makes bool) (size int) {
	j, size := &w.job, 1
	if !makes && w.picture.list[0].tensor.DataType == slice1.Uint16 {
		size, j.number[0] = 2, program.Sample257
	}
	j.setValues(&t.Affine, t.dataType())
	if n := numbersOf(&t.Affine, 0); j.number[0] == j.number[1] && !n.HasValue() {
		j.values.Scale, j.values.Bias = nil, nil
	}
	return size
}

// makesInPlace reports whether colours lie in the tensor as they are made, and sets the job to make
// them there: in its planes, or in its pixels of three bytes.
func (w *request) makesInPlace(t *Tensor, lines, columns, channels axis) bool {
	p, j, s := &w.place, &w.job, &w.source
	row := nest.Dim{Extent: int64(lines.n), Src: int64(p.row), Dst: int64(p.row)}
	switch {
	case j.values.Scale != nil || j.number[0] != j.number[1]:
		return false
	case p.liesInPlanes(t, columns, channels): // the engine sees a row as its first channel
		s.Layout = rows.Layout{Pixel: 1, Stride: p.row, Plane: p.channel}
		j.loops = [...]nest.Dim{row, {Extent: int64(columns.n), Src: 1, Dst: 1}, 7: {}}
	case p.liesInPixels(t, columns, channels):
		s.Layout = rows.Layout{Pixel: 3, Stride: p.row, Plane: channels.step}
		j.loops = [...]nest.Dim{row, {Extent: int64(columns.n), Src: 3, Dst: 3}, {Extent: 3, Src: 1, Dst: 1}, 7: {}}
	default:
		return false
	}
	j.pitch, j.inPlace, j.sourceBytes = int64(p.row), true, 3*int64(lines.n)*int64(columns.n)
	return true
}

// liesInPlanes reports whether columns and channels of colours lie in the tensor's planes as they
// are made.
func (p *placement) liesInPlanes(t *Tensor, columns, channels axis) bool {
	ascending := channels.step == 1 && columns.step == 1
	return ascending && p.side == 0 && t.Layout == CHW && p.channels == 3 && channels.n == 3 && p.column == 1
}

// liesInPixels reports whether colours lie in the tensor's pixels of three bytes as they are made:
// R, G and B, or B, G and R.
func (p *placement) liesInPixels(t *Tensor, columns, channels axis) bool {
	return p.side == 0 && t.Layout == HWC && p.channels == 3 && channels.n == 3 && p.column == 3 && p.channel == 1 && columns.step == 1
}

// liesAsMade reports whether the pixels of the job, whose lowest channel is given, lie in the
// tensor as a resize makes them, so that they can be made there. In pixels of four bytes each
// channel must have its place in the tensor's: otherwise bytes before or behind the tensor would be
// written.
func (w *request) liesAsMade(lowest int) bool {
	p, j := &w.place, &w.job
	channel := &j.loops[2]
	return p.side == 0 && j.values.Scale == nil && p.column == p.resized.pixel &&
		(channel.Extent == 1 || channel.Src == channel.Dst && lowest == p.origin)
}

// setSource sets w.source to what makes R, G and B of the picture, if it has none that are taken as
// they are. background is Tensor.Background. If grey is true, R, G and B become one channel. If
// narrow is true, samples of 16 bits become bytes.
func (w *request) setSource(background []uint8, grey, narrow bool) (err error) {
	p, s := &w.picture, &w.source
	s.Maker, s.Pix, s.Stride = p.makes, p.Pix, p.Stride
	blends := background != nil && (p.alpha >= 0 || s.Maker == rows.OfIndices)
	if s.Maker == rows.NoMaker && (grey || blends || narrow && p.sample == slice1.Uint16) {
		s.Maker = rows.OfPixels
	}
	if s.Grey = grey; s.Maker == rows.OfPixels || s.Maker == rows.NoMaker {
		size, step := p.sample.Size(), 0
		if p.colours.n == 3 {
			step = p.colours.step * size
		}
		red := p.colours.start * size
		s.Format = rows.PixelFormat{Size: p.channels * size, Red: red, Green: red + step, Blue: red + 2*step}
	}
	var blend *[3]uint8
	if blends {
		s.Alpha.Background = [3]uint8(background)
		blend = &s.Alpha.Background
	}
	if blends && p.alpha >= 0 {
		size := max(1, p.sample.Size())
		s.Alpha.Pix, s.Alpha.Stride, s.Alpha.Step, s.Alpha.Multiplied = p.Pix[p.alpha*size:], p.Stride, max(1, p.channels)*size, p.multiplied
	}
	switch s.Maker {
	case rows.OfLuma:
		s.Luma = p.frame.ycbcr()
		s.Luma.Kernel, err = engine.KernelOf(&w.settings)
	case rows.OfIndices:
		s.SetPalette(p.palette, blend)
	}
	return adopt(err)
}

// resampler returns what makes the resampled rows of the picture, from its memory or from rows that
// w.source makes.
func (w *request) resampler() (*rows.Resampler, error) {
	kernel, err := engine.KernelOf(&w.settings)
	if err != nil {
		return nil, adopt(err)
	}
	p, src := &w.place, &w.picture.list[0]
	r := &rows.Resampler{Top: p.resized.top, Rows: p.rows.n, Reversed: p.rows.step < 0}
	pixel := 4
	if w.source.Maker != rows.NoMaker {
		if r.Colours = &w.source; w.source.Grey {
			pixel = 1
		}
	} else {
		r.Pix, r.Stride, r.Pixel = src.pix, src.strides[0], src.sizes[2]
		pixel = r.Pixel
	}
	filter, x, y := rows.Filter(p.resized.filter), p.resized.x, p.resized.y
	if w.source.Maker == rows.OfLuma && w.source.Alpha.Pix == nil {
		r.Plan, err = rows.NewLumaPlan(filter, x, y, p.resized.rowsFirst, pixel, &w.source.Luma, p.resized.left, int32(kernel))
	} else {
		r.Plan, err = rows.NewPlan(filter, x, y, p.resized.rowsFirst, pixel, r.Colours == nil, int32(kernel))
	}
	if err != nil {
		return nil, refused(slice1.ErrOverflow, "%s", strings.TrimPrefix(err.Error(), "rows: "))
	}
	if p.columns.n > math.MaxInt/4 { // on 32 bits
		return nil, refused(slice1.ErrOverflow, "the tensor takes %d columns, must take at most %d", p.columns.n, math.MaxInt/4)
	}
	p.resized.pixel, p.resized.opaque = r.Plan.Pixel(), r.Colours != nil && r.Plan.Opaque()
	low, _ := r.Plan.SourceColumns()
	r.Left, r.Pitch = p.resized.left+low, r.Length()+1
	return r, nil
}

// setFill sets w.fill to t.Fill as the tensor stores it, one value for each channel.
func (w *request) setFill(t *Tensor) error {
	n, channels := len(t.Fill), w.place.channels
	if n == 0 {
		return nil
	}
	if n != 1 && n != channels {
		return refused(slice1.ErrSize, "Fill has %d values, the tensor %d channels: must have one for each or one for all", n, channels)
	}
	step := int64(4)
	if n == 1 {
		step = 0
	}
	j := &w.job
	j.number = [2]program.ElementType{program.Float32, engine.ElementTypeOf(t.dataType())}
	j.setValues(&slice1.Affine{}, t.dataType())
	j.loops = [...]nest.Dim{{Extent: 1}, {Extent: 1}, {Extent: int64(channels), Src: step, Dst: int64(t.dataType().Size())}, 7: {}}
	return j.store(unsafe.Pointer(&w.fill), unsafe.Pointer(&t.Fill[0]), &w.settings)
}

// fillAround stores a pixel, one value of `size` bytes for each channel, wherever p has no pixel of
// the picture.
func fillAround(dst []byte, p *placement, l Layout, size int, pixel []byte) {
	switch {
	case p.side > 0:
		fillPatches(dst, p, l, size, pixel)
		return
	case l == HWC:
		fillPlane(dst, p, pixel)
		return
	}
	plane := p.channel * size
	for c := range p.channels {
		fillPlane(dst[c*plane:][:plane], p, pixel[c*size:][:size])
	}
}

// fillPlane is fillAround for a plane of pixels. It fills a pattern first, and copies that as fast
// as memory allows.
func fillPlane(plane []byte, p *placement, pixel []byte) {
	var room [12 << 10]byte // whole pixels of 1 to 3 channels
	pattern := room[:min(len(room)/len(pixel)*len(pixel), len(plane))]
	for n := copy(pattern, pixel); n < len(pattern); n *= 2 {
		copy(pattern[n:], pattern[:n])
	}
	store := func(start, end int) { // pixels
		for part := plane[start*len(pixel) : end*len(pixel)]; len(part) > 0; {
			part = part[copy(part, pattern):]
		}
	}
	inside := p.inside
	if inside.Empty() {
		store(0, p.width*p.height)
		return
	}
	store(0, inside.Min.Y*p.width+inside.Min.X)
	for y := inside.Min.Y; y < inside.Max.Y-1; y++ { // from the right margin of a row to the left one of the next
		store(y*p.width+inside.Max.X, (y+1)*p.width+inside.Min.X)
	}
	store((inside.Max.Y-1)*p.width+inside.Max.X, p.width*p.height)
}
