package main

import "math"

// planes are a slice as libraries for pictures and signals know it: rows of equal pixels
// in planes. Distances are in bytes.
type planes struct {
	first    int  // byte of the source: of the first pixel taken
	pixel    int  // bytes
	reversed bool // the bytes of each pixel are
	row      axis // of pixels
	rows     axis
	planes   axis
}

// planesOf returns joined axes as planes, ok if no more than two axes lie above a row's.
func planesOf(axes []axis, first, width int) (p planes, ok bool) {
	p = planes{first: first * width, pixel: width}
	var inBytes []axis
	for _, a := range axes {
		inBytes = append(inBytes, axis{a.n, a.src * width, a.dst * width})
	}
	const largest = 4 // bytes of a pixel that has a function of its own
	if k := len(inBytes) - 1; k > 0 {
		switch a := inBytes[k]; {
		case a.src == width && a.dst == width && a.n*width <= largest:
			p.pixel = a.n * width
			inBytes = inBytes[:k]
		case a.src == -1 && a.dst == 1 && a.n == 3:
			p.pixel, p.reversed = 3, true
			p.first -= 2
			inBytes = inBytes[:k]
		}
	}
	one := axis{n: 1}
	p.row, p.rows, p.planes = axis{1, p.pixel, p.pixel}, one, one
	for i, to := range []*axis{&p.row, &p.rows, &p.planes} {
		if k := len(inBytes) - 1 - i; k >= 0 {
			*to = inBytes[k]
		}
	}
	return p, len(inBytes) <= 3 && p.fits()
}

// fits reports whether a C int holds what the functions are told of a plane.
func (p *planes) fits() bool {
	for _, v := range []int{p.row.n * p.pixel, p.row.src, p.rows.n, p.rows.src, p.rows.dst} {
		if max(v, -v) > math.MaxInt32 {
			return false
		}
	}
	return true
}

// readsWithin reports whether rows that are read up to `each` bytes a pixel end within the source.
func (p *planes) readsWithin(each, size int) bool {
	end := p.first + p.row.n*each
	for _, a := range []axis{p.rows, p.planes} {
		end += max(0, a.src) * (a.n - 1)
	}
	return end <= size
}

// A planeCall is a function of libyuv or VOLK with its arguments, which runs on one plane after
// the other.
type planeCall struct {
	function           string
	first              int
	width, height      int
	srcPitch, dstPitch int
	lead               bool // the function begins with the second pixel
	planes             axis
}

// mirrors are libyuv's functions that mirror rows, by the bytes of a pixel.
var mirrors = [...]string{1: "MirrorPlane", 2: "MirrorUVPlane", 3: "RGB24Mirror", 4: "ARGBMirror"}

// yuvCall returns the function of libyuv that does the same, ok if there is one.
func (p *planes) yuvCall(size int) (c planeCall, ok bool) {
	c = planeCall{first: p.first, width: p.row.n, height: p.rows.n, srcPitch: p.rows.src, dstPitch: p.rows.dst, planes: p.planes}
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
		c.first -= (p.row.n - 1) * p.pixel
	case p.pixel == 1 && quads:
		c.function, c.lead = "ARGBExtractAlpha", true // which takes the last of four bytes
	case p.pixel == 3 && quads && p.readsWithin(4, size):
		c.function = "ARGBToRGB24"
	}
	return c, c.function != ""
}

// volkCall returns the function of VOLK that does the same to a row, the real parts of
// complex numbers, ok if there is one.
func (p *planes) volkCall(size int) (c planeCall, ok bool) {
	c = planeCall{first: p.first, width: p.row.n, height: p.rows.n, srcPitch: p.rows.src, dstPitch: p.rows.dst, planes: p.planes}
	if !p.reversed && p.row.src == 2*p.pixel && p.row.dst == p.pixel && p.readsWithin(2*p.pixel, size) {
		c.function = map[int]string{1: "volk_8ic_deinterleave_real_8i", 2: "volk_16ic_deinterleave_real_16i", 4: "volk_32fc_deinterleave_real_32f"}[p.pixel]
	}
	return c, c.function != ""
}
