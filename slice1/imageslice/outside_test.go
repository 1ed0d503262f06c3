package imageslice_test

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// kind is a type of picture, with its order, ratio or form.
type kind struct {
	name string
	// lay returns a picture with bounds r, whose slices begin or end with its samples. take returns
	// memory for it.
	lay func(rng *rand.Rand, r image.Rectangle, take func(n int) []uint8) image.Image
}

// packedKind is a kind of pictures with one slice of pixels of `size` bytes.
func packedKind(name string, size, sample int, lay func(pix []uint8, stride int, r image.Rectangle) image.Image) kind {
	return kind{name, func(rng *rand.Rand, r image.Rectangle, take func(n int) []uint8) image.Image {
		stride := r.Dx()*size + rng.IntN(4)*sample
		return lay(take((r.Dy()-1)*stride+r.Dx()*size), stride, r)
	}}
}

// kinds are all kinds of pictures that the package knows.
func kinds(t *testing.T) (all []kind) {
	all = []kind{
		packedKind("Gray", 1, 1, func(p []uint8, s int, r image.Rectangle) image.Image { return &image.Gray{Pix: p, Stride: s, Rect: r} }),
		packedKind("Alpha", 1, 1, func(p []uint8, s int, r image.Rectangle) image.Image { return &image.Alpha{Pix: p, Stride: s, Rect: r} }),
		packedKind("Paletted", 1, 1, func(p []uint8, s int, r image.Rectangle) image.Image {
			return &image.Paletted{Pix: p, Stride: s, Rect: r, Palette: colours}
		}),
		packedKind("RGBA", 4, 1, func(p []uint8, s int, r image.Rectangle) image.Image { return &image.RGBA{Pix: p, Stride: s, Rect: r} }),
		packedKind("NRGBA", 4, 1, func(p []uint8, s int, r image.Rectangle) image.Image { return &image.NRGBA{Pix: p, Stride: s, Rect: r} }),
		packedKind("CMYK", 4, 1, func(p []uint8, s int, r image.Rectangle) image.Image { return &image.CMYK{Pix: p, Stride: s, Rect: r} }),
		packedKind("Gray16", 2, 2, func(p []uint8, s int, r image.Rectangle) image.Image {
			return &image.Gray16{Pix: p, Stride: s, Rect: r}
		}),
		packedKind("Alpha16", 2, 2, func(p []uint8, s int, r image.Rectangle) image.Image {
			return &image.Alpha16{Pix: p, Stride: s, Rect: r}
		}),
		packedKind("RGBA64", 8, 2, func(p []uint8, s int, r image.Rectangle) image.Image {
			return &image.RGBA64{Pix: p, Stride: s, Rect: r}
		}),
		packedKind("NRGBA64", 8, 2, func(p []uint8, s int, r image.Rectangle) image.Image {
			return &image.NRGBA64{Pix: p, Stride: s, Rect: r}
		}),
	}
	for o := imageslice.Order(0); ; o++ { // until an order is unknown
		_, tensor, err := imageslice.View(&imageslice.Pixels{Pix: make([]uint8, 8), Stride: 8, Rect: image.Rect(0, 0, 1, 1), Order: o})
		if err != nil {
			require.NotZero(t, o)
			break
		}
		all = append(all, packedKind(fmt.Sprintf("Pixels of order %d", o), tensor.Sizes[2], 1, func(p []uint8, s int, r image.Rectangle) image.Image {
			return &imageslice.Pixels{Pix: p, Stride: s, Rect: r, Order: o}
		}))
	}
	for _, ratio := range ratios {
		all = append(all, kind{fmt.Sprintf("YCbCr %v", ratio), func(rng *rand.Rand, r image.Rectangle, take func(n int) []uint8) image.Image {
			m := *image.NewYCbCr(r, ratio)
			m.Y, m.Cb, m.Cr = take(len(m.Y)), take(len(m.Cb)), take(len(m.Cr))
			return &m
		}})
		for form := range 3 {
			all = append(all, kind{fmt.Sprintf("Frame %v, form %d", ratio, form), func(rng *rand.Rand, r image.Rectangle, take func(n int) []uint8) image.Image {
				f := planar(rng, r, ratio, form)
				if f.Y = take(len(f.Y)); form == 0 {
					f.Cb, f.Cr = take(len(f.Cb)), take(len(f.Cr))
					return f
				}
				pairs := take(max(len(f.Cb), len(f.Cr)))
				if f.Cb, f.Cr = pairs, pairs[1:]; form == 2 {
					f.Cb, f.Cr = f.Cr, f.Cb
				}
				return f
			}})
		}
	}
	all = append(all, kind{"NYCbCrA", func(_ *rand.Rand, r image.Rectangle, take func(n int) []uint8) image.Image {
		m := *image.NewNYCbCrA(r, image.YCbCrSubsampleRatio420)
		m.Y, m.Cb, m.Cr, m.A = take(len(m.Y)), take(len(m.Cb)), take(len(m.Cr)), take(len(m.A))
		return &m
	}})
	for _, v := range rawVideo {
		all = append(all, kind{v.name, func(rng *rand.Rand, r image.Rectangle, take func(n int) []uint8) image.Image {
			stride := v.least(r.Max.X) + rng.IntN(4)
			f, err := v.frame(take(v.bytes(r.Max.Y, stride)), r.Max.X, r.Max.Y, stride)
			require.NoError(t, err)
			return f
		}})
	}
	known := map[string]bool{}
	for _, k := range all {
		known[fmt.Sprintf("%T", k.lay(rand.New(rand.NewPCG(0, 0)), image.Rect(0, 0, 1, 1), func(n int) []uint8 { return make([]uint8, n) }))] = true
	}
	for _, name := range imageslice.TypesOfPictures() {
		require.True(t, known[name], name)
	}
	return all
}

// eachByte calls f for each byte of each sample of a picture, in the same order each time.
func eachByte(m image.Image, f func(b *uint8)) {
	plane := func(pix []uint8, stride, step, rows, columns int) {
		for y := range rows {
			for x := range columns {
				f(&pix[y*stride+x*step])
			}
		}
	}
	if webp, ok := m.(*image.NYCbCrA); ok {
		plane(webp.A, webp.AStride, 1, webp.Rect.Dy(), webp.Rect.Dx())
		m = &webp.YCbCr
	}
	switch m := m.(type) {
	case *image.YCbCr:
		luma := m.Rect
		first, last := m.COffset(luma.Min.X, luma.Min.Y), m.COffset(luma.Max.X-1, luma.Max.Y-1)
		plane(m.Y, m.YStride, 1, luma.Dy(), luma.Dx())
		for _, chroma := range [][]uint8{m.Cb, m.Cr} {
			plane(chroma, m.CStride, 1, (last-first)/m.CStride+1, (last-first)%m.CStride+1)
		}
	case *imageslice.Frame:
		like := image.NewYCbCr(m.Rect, m.Ratio)
		plane(m.Y, m.YStride, max(1, m.YStep), m.Rect.Dy(), m.Rect.Dx())
		for _, chroma := range [][]uint8{m.Cb, m.Cr} {
			plane(chroma, m.CStride, max(1, m.CStep), len(like.Cb)/like.CStride, like.CStride)
		}
	default:
		pix, tensor, err := imageslice.View(m)
		if err != nil {
			panic(err)
		}
		size := tensor.DataType.Size()
		plane(pix, tensor.Strides[0]*size, 1, tensor.Sizes[0], tensor.Sizes[1]*tensor.Sizes[2]*size)
	}
}

// rooms are memory between inaccessible pages, full of canaries.
type rooms struct {
	list [][]uint8
	used int
}

func newRooms(t *testing.T) *rooms {
	r := &rooms{list: make([][]uint8, 9)} // of two pictures and a tensor
	for i := range r.list {
		r.list[i] = fenced(t, 4096, false)
	}
	return r
}

// empty fills all memory with canaries.
func (r *rooms) empty() {
	r.used = 0
	for _, m := range r.list {
		for i := range m {
			m[i] = 0x5a
		}
	}
}

// take returns n bytes at the beginning or at the end of a room.
func (r *rooms) take(rng *rand.Rand, n int) []uint8 {
	m := r.list[r.used]
	r.used++
	if rng.IntN(2) == 0 {
		return m[len(m)-n:]
	}
	return m[:n:n]
}

// only runs f, which may write the bytes of dst's samples and of no other memory. If f returns an
// error, it may write none.
func (r *rooms) only(t *testing.T, name string, dst func(each func(b *uint8)), f func() error) error {
	var before, samples []uint8
	for _, m := range r.list {
		before = append(before, m...)
	}
	dst(func(b *uint8) { samples = append(samples, *b) })
	err := f()
	made := make([]uint8, 0, len(samples))
	dst(func(b *uint8) { made = append(made, *b) })
	if err != nil {
		require.Equal(t, samples, made, "%s: %v", name, err)
	}
	i := 0
	dst(func(b *uint8) { *b = samples[i]; i++ })
	for i, m := range r.list {
		require.Equal(t, before[:len(m)], m, "%s: room %d", name, i)
		before = before[len(m):]
	}
	i = 0
	dst(func(b *uint8) { *b = made[i]; i++ })
	return err
}

// Resize, Copy, ToRGBA, ToFrame, Draw and Convert of every pair of kinds, of random sizes, windows,
// strides, filters and kernels: the memory of pictures and tensors lies beside inaccessible pages,
// and nothing but dst's samples is written. What is made is right.
func TestNothingOutsideOfTheDestinationIsWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(76, 1))
	var kernels []slice1.Option
	for _, k := range slice1.Kernels() {
		if k.Usable {
			kernels = append(kernels, slice1.WithKernel(k.Name))
		}
	}
	all, memory := kinds(t), newRooms(t)
	const rounds = 5 // one for each place of alpha
	resized, framed := map[[2]string]bool{}, 0
	bounds := func() image.Rectangle { return image.Rect(rng.IntN(4), rng.IntN(4), 4+rng.IntN(20), 4+rng.IntN(10)) }
	lay := func(k kind, r image.Rectangle, opaque int) image.Image { // every fourth byte is 255, wherever alpha is
		m, i := k.lay(rng, r, func(n int) []uint8 { return memory.take(rng, n) }), 0
		eachByte(m, func(b *uint8) {
			if *b = uint8(rng.Uint32()); i%4 == opaque {
				*b = 255
			}
			i++
		})
		return m
	}
	for _, to := range all {
		for _, from := range all {
			for round := range rounds {
				memory.empty()
				src, dst := lay(from, bounds(), round), lay(to, bounds(), 4)
				r, f, o := random(rng, src.Bounds()), imageslice.Filter(rng.IntN(7)), kernels[rng.IntN(len(kernels))]
				if rng.IntN(3) == 0 {
					r = src.Bounds()
				}
				name := fmt.Sprintf("%s %v of %s %v, %v, filter %d", to.name, dst.Bounds(), from.name, src.Bounds(), r, f)
				samples := func(each func(b *uint8)) { eachByte(dst, each) }
				if memory.only(t, "Resize "+name, samples, func() error { return imageslice.Resize(dst, src, r, f, o) }) == nil {
					resized[[2]string{to.name, from.name}] = true
					requireResized(t, name, dst, src, r, f)
				}
				if memory.only(t, "Copy "+name, samples, func() error { return imageslice.Copy(dst, src, r, 1, 1) }) == nil {
					b := dst.Bounds()
					for y := range b.Dy() {
						for x := range b.Dx() {
							require.Equal(t, src.At(r.Min.X+x, r.Min.Y+y), dst.At(b.Min.X+x, b.Min.Y+y), name)
						}
					}
				}
				if frame, ok := dst.(*imageslice.Frame); ok && memory.only(t, "ToFrame "+name, samples, func() error { return imageslice.ToFrame(frame, src, r, o) }) == nil {
					requireFrame(t, name, frame, src, r.Min)
					framed++
				}
				if rgba, ok := dst.(*image.RGBA); ok && memory.only(t, "ToRGBA "+name, samples, func() error { return imageslice.ToRGBA(rgba, src, r, o) }) == nil {
					b := dst.Bounds()
					for y := range b.Dy() {
						for x := range b.Dx() {
							want, _, _ := straightAt(src, r.Min.X+x, r.Min.Y+y)
							if p, ok := src.(*image.Paletted); ok {
								c := p.At(r.Min.X+x, r.Min.Y+y).(color.RGBA)
								want = [3]uint8{c.R, c.G, c.B}
							}
							require.Equal(t, color.RGBA{want[0], want[1], want[2], 255}, rgba.RGBAAt(b.Min.X+x, b.Min.Y+y), name)
						}
					}
				}
			}
		}
		for range 4 * rounds {
			memory.empty()
			m := lay(to, bounds(), 4)
			a := imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.Layout(rng.IntN(2)), BGR: rng.IntN(2) == 0, StepX: 1 - 2*rng.IntN(2), StepY: 1 - 2*rng.IntN(2), Fill: []float32{7}, Channels: []int{0, 1, 3}[rng.IntN(3)]}
			if rng.IntN(3) == 0 {
				a.Background = []uint8{1, 100, 254}
			}
			if rng.IntN(2) == 0 {
				a.Resize, a.Filter = image.Pt(1+rng.IntN(9), 1+rng.IntN(9)), imageslice.Filter(rng.IntN(7))
			}
			r, o := random(rng, m.Bounds()), kernels[rng.IntN(len(kernels))]
			shape, err := a.Size(m, r)
			if err != nil {
				continue
			}
			numbers := memory.take(rng, shape[0]*shape[1]*shape[2])
			name := fmt.Sprintf("%s, %v of %v, %+v", to.name, r, m.Bounds(), a)
			tensor := func(each func(b *uint8)) {
				for i := range numbers {
					each(&numbers[i])
				}
			}
			require.NoError(t, memory.only(t, "Convert "+name, tensor, func() error { return imageslice.Convert(numbers, m, r, a, o) }), name)
			want := make([]uint8, len(numbers))
			require.NoError(t, imageslice.Convert(want, m, r, a, slice1.WithKernel("go")))
			require.Equal(t, want, numbers, name)
			a.Resize = image.Point{}
			if shape, err = a.Size(m, r); err == nil && shape[0]*shape[1]*shape[2] <= len(numbers) {
				samples := func(each func(b *uint8)) { eachByte(m, each) }
				_ = memory.only(t, "Draw "+name, samples, func() error { return imageslice.Draw(m, r, numbers[:shape[0]*shape[1]*shape[2]], a, o) })
			}
		}
	}
	t.Logf("%d kinds, %d pairs are resized, %d frames are made", len(all), len(resized), framed)
	require.Greater(t, framed, 300)
	for _, pair := range resizes(all) {
		require.True(t, resized[pair], pair)
	}
}

// resizes are pairs that Resize takes.
func resizes(all []kind) (pairs [][2]string) {
	for _, name := range []string{"Gray", "RGBA", "NRGBA"} {
		pairs = append(pairs, [2]string{name, name})
	}
	packed := func(k kind) bool { return len(k.name) > 6 && k.name[:6] == "Pixels" }
	for _, from := range all {
		pairs = append(pairs, [2]string{"Gray", from.name})
		if !slices.Contains([]string{"Gray", "Alpha", "NRGBA", "Gray16", "Alpha16"}, from.name) {
			pairs = append(pairs, [2]string{"RGBA", from.name})
		}
		for _, to := range all {
			if packed(from) && packed(to) {
				pairs = append(pairs, [2]string{to.name, from.name})
			}
		}
	}
	return pairs
}

// requireResized requires that dst has the samples that Convert makes of window r of src.
func requireResized(t *testing.T, name string, dst, src image.Image, r image.Rectangle, f imageslice.Filter) {
	b := dst.Bounds()
	a := imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC, Resize: b.Size(), Filter: f}
	if _, ok := dst.(*image.Gray); ok {
		a.Channels = 1
	}
	shape, err := a.Size(src, r)
	require.NoError(t, err)
	want := make([]uint8, shape[0]*shape[1]*shape[2])
	require.NoError(t, imageslice.Convert(want, src, r, a, slice1.WithKernel("go")))
	same := dst.ColorModel() == src.ColorModel()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			for _, v := range samplesAt(dst, x, y) {
				require.EqualValues(t, want[0], v, "%s at %d,%d", name, x, y)
				want = want[1:]
			}
			if _, ok := src.(*image.RGBA); !ok && !(same && dst.ColorModel() == color.GrayModel) {
				require.EqualValues(t, 0xffff, alphaOf(dst.At(x, y)), name)
			}
		}
	}
}
