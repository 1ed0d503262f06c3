package main

import "slices"

// The peers that are libraries in C.
const (
	libyuv = "libyuv"
	volk   = "volk"
	fftw   = "fftw"
	hptt   = "hptt"
)

// All peers. peer.py has the same names for the peers in Python.
var (
	peersInPython = []string{numpy, onnxRuntime}
	peersInC      = []string{libyuv, volk, fftw, hptt}
)

func peerNames() []string { return slices.Concat(peersInPython, peersInC) }

func isPeer(name string) bool { return slices.Contains(peerNames(), name) }

// A peerInC is a library in C that was found when the program began.
type peerInC struct {
	name, version string
	// runs returns a function that does a slicing reps times, or nil if the library has no such
	// operation. That function repeats the work in C, as a program in C would.
	runs func(s *slicing) func(reps int)
}

// contender returns the library as a contender. ok reports whether it can do the slicing. With
// calls, each slice is a call from Go, as a program in Go makes it, like each run of a plan is.
func (l *peerInC) contender(s *slicing, calls bool) (c contender, ok bool) {
	run := l.runs(s)
	if run == nil {
		return c, false
	}
	return s.repeated(l.name, func(reps int) error {
		if !calls {
			run(reps)
			return nil
		}
		for range reps {
			run(1)
		}
		return nil
	}), true
}

// planes describes a slice like libraries for pictures and signals do: planes of rows of pixels of
// one size. Strides are in bytes.
type planes struct {
	start    int  // where the first pixel's lowest byte is in the source, in bytes
	pixel    int  // bytes of a pixel
	reversed bool // whether the bytes of each pixel change their order
	row      axis // from pixel to pixel
	rows     axis // from row to row
	planes   axis // from plane to plane
}

// planesOf returns joined axes as planes. ok reports whether there are at most two axes around the
// axis of a row. The functions take C ints. These hold all numbers of the slices of the table.
func planesOf(axes []axis, start, width int) (p planes, ok bool) {
	p = planes{start: start * width, pixel: width}
	var inBytes []axis
	for _, x := range axes {
		inBytes = append(inBytes, axis{x.n, x.src * width, x.dst * width})
	}
	const largest = 4 // bytes of the largest pixel that libyuv's functions know
	if k := len(inBytes) - 1; k > 0 {
		switch x := inBytes[k]; {
		case x.src == width && x.dst == width && x.n*width <= largest:
			p.pixel = x.n * width
			inBytes = inBytes[:k]
		case x.src == -1 && x.dst == 1 && x.n == 3:
			p.pixel, p.reversed = 3, true
			p.start -= 2
			inBytes = inBytes[:k]
		}
	}
	single := axis{n: 1}
	p.row, p.rows, p.planes = axis{1, p.pixel, p.pixel}, single, single
	for i, side := range []*axis{&p.row, &p.rows, &p.planes} {
		if k := len(inBytes) - 1 - i; k >= 0 {
			*side = inBytes[k]
		}
	}
	return p, len(inBytes) <= 3
}

// readsWithin reports whether all rows end within the source of size bytes if a function reads
// pixelSize bytes for every pixel.
func (p *planes) readsWithin(pixelSize, size int) bool {
	end := p.start + p.row.n*pixelSize
	for _, x := range []axis{p.rows, p.planes} {
		end += max(0, x.src) * (x.n - 1)
	}
	return end <= size
}

// A planeCall is a function of libyuv or VOLK with its arguments. It runs on one plane after the
// other.
type planeCall struct {
	function           string
	start              int
	width, height      int
	srcPitch, dstPitch int
	lead               bool // whether the first pixel of each row is copied apart, since the function reads bytes before each pixel
	planes             axis
}

// mirrors are libyuv's functions that mirror rows, by the bytes of a pixel.
var mirrors = [...]string{1: "MirrorPlane", 2: "MirrorUVPlane", 3: "RGB24Mirror", 4: "ARGBMirror"}

// yuvCall returns the call of libyuv that does the slice on one plane. ok reports whether there is
// one. size is the size of the source in bytes.
func (p *planes) yuvCall(size int) (c planeCall, ok bool) {
	c = planeCall{start: p.start, width: p.row.n, height: p.rows.n, srcPitch: p.rows.src, dstPitch: p.rows.dst, planes: p.planes}
	packed, quads := p.row.dst == p.pixel, p.row.src == 4
	switch {
	case p.pixel == 1 && !p.reversed && packed && p.rows.src == 1 && p.rows.n > 1 && p.row.src > 1:
		c.function = "TransposePlane"
		c.width, c.height, c.srcPitch = p.rows.n, p.row.n, p.row.src
	case !packed:
	case p.reversed && p.row.src == 3:
		c.function = "RAWToRGB24"
	case p.reversed && quads && p.readsWithin(4, size):
		c.function = "ARGBToRAW"
	case p.reversed:
	case p.row.src == p.pixel:
		c.function = "CopyPlane"
		c.width *= p.pixel
	case p.row.src == -p.pixel && p.pixel < len(mirrors):
		c.function = mirrors[p.pixel]
		c.start -= (p.row.n - 1) * p.pixel
	case p.pixel == 1 && quads:
		c.function, c.lead = "ARGBExtractAlpha", true // It takes the last of four bytes.
	case p.pixel == 3 && quads && p.readsWithin(4, size):
		c.function = "ARGBToRGB24"
	}
	return c, c.function != ""
}

// volkCall returns the call of VOLK that does the slice on one row: it takes the real parts of
// complex numbers. ok reports whether there is one. size is the size of the source in bytes.
func (p *planes) volkCall(size int) (c planeCall, ok bool) {
	c = planeCall{start: p.start, width: p.row.n, height: p.rows.n, srcPitch: p.rows.src, dstPitch: p.rows.dst, planes: p.planes}
	if !p.reversed && p.row.src == 2*p.pixel && p.row.dst == p.pixel && p.readsWithin(2*p.pixel, size) {
		c.function = map[int]string{1: "volk_8ic_deinterleave_real_8i", 2: "volk_16ic_deinterleave_real_16i", 4: "volk_32fc_deinterleave_real_32f"}[p.pixel]
	}
	return c, c.function != ""
}
