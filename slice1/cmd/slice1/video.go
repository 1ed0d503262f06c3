package main

import (
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// videoForm is how a raw frame lies in memory.
type videoForm struct {
	frame func(pix []uint8, width, height, stride int) (*imageslice.Frame, error)
	bytes func(width, height int64) int64
}

// planar and packed return the bytes of a frame of 4:2:0 and of 4:2:2.
func planar(width, height int64) int64 { return width*height + 2*((width+1)/2)*((height+1)/2) }
func packed(width, height int64) int64 { return 4 * ((width + 1) / 2) * height }

// videoForms has the forms by their names, and by FFmpeg's names where these differ.
var videoForms = map[string]videoForm{
	"nv12": {imageslice.NV12, planar}, "nv21": {imageslice.NV21, planar},
	"i420": {imageslice.I420, planar}, "yuv420p": {imageslice.I420, planar},
	"yuy2": {imageslice.YUY2, packed}, "yuyv422": {imageslice.YUY2, packed},
	"uyvy": {imageslice.UYVY, packed}, "uyvy422": {imageslice.UYVY, packed},
}

var videoMatrices = map[string]imageslice.Matrix{"bt601": imageslice.BT601, "bt709": imageslice.BT709, "bt2020": imageslice.BT2020}

// video makes RGB from raw frames, with four bytes per pixel. The last byte is 255. It holds one
// frame.
type video struct {
	*array
	form          videoForm
	matrix        imageslice.Matrix
	full          bool
	width, height int
	pix           []byte            // the frame's bytes
	frame         *imageslice.Frame // the frame; nil: none yet
	number        int64             // its number
	part          image.RGBA        // of a row
}

// parseVideo sets a to the frames of -raw nv12 and similar forms. a is an array [frames, height,
// width, 3] or, if -shape has two extents, one frame.
func (j *job) parseVideo(a *array, words []string) (err error) {
	v := &video{array: a, form: videoForms[words[0]]}
	for _, word := range words[1:] {
		m, ok := videoMatrices[word]
		switch {
		case ok:
			v.matrix = m
		case word == "full":
			v.full = true
		default:
			return usagef("-raw %s,%s: colours are %s, and full", words[0], clip(word), strings.Join(slices.Sorted(maps.Keys(videoMatrices)), ", "))
		}
	}
	if j.shape == "" || j.desc != "" {
		return usagef("-raw %s needs -shape of height and width, or of frames, height and width, and no -desc", words[0])
	}
	shape, err := parseShape(j.shape, -1)
	rank := len(shape)
	switch {
	case err != nil:
		return err
	case rank < 2 || rank > 3 || shape[rank-2] < 1 || shape[rank-1] < 1:
		return windowError(j.shape, 0, len(j.shape), nil, "height and width expected, or frames, height and width")
	case shape[rank-2] > 1<<20 || shape[rank-1] > 1<<20:
		return windowError(j.shape, 0, len(j.shape), slice1.ErrOverflow, "at most %d pixels along an axis", 1<<20)
	}
	v.height, v.width = shape[rank-2], shape[rank-1]
	size := v.size()
	if err := a.reserve(size); err != nil {
		return err
	}
	count := 1
	if rank == 3 {
		count = shape[0]
	}
	a.Type, a.video, a.raw = slice1.Uint8, v, true
	if count == -1 && a.pipe == nil {
		count = int(max(a.source.size-j.skip, 0) / size)
	} else if a.open = count == -1; a.open {
		count = int((maxOpen - min(j.skip, maxOpen/2)) / (4 * int64(v.width) * int64(v.height)))
	}
	a.Shape, a.strides = []int{v.height, v.width, 3}, []int{4 * v.width, 4, 1}
	if rank == 3 {
		a.Shape, a.strides = slices.Insert(a.Shape, 0, count), slices.Insert(a.strides, 0, 4*v.width*v.height)
	}
	switch have := a.source.size - j.skip; {
	case !a.open && (a.bytesOf(a.Shape) < 0 || int64(count) > maxAlloc/size):
		return a.tooLarge()
	case a.pipe == nil && have < 0:
		return beyond(j.skip, a.source.size)
	case a.pipe == nil && have != int64(count)*size:
		return fmt.Errorf("holds %d bytes, %d frames of %d take %d", have, count, size, int64(count)*size)
	}
	a.lie(j.skip, int64(count)*size)
	return nil
}

// size returns the bytes of a frame.
func (v *video) size() int64 { return v.form.bytes(int64(v.width), int64(v.height)) }

// bytesOf returns which bytes of the source are needed for elements from byte at on. They are the
// bytes of a whole frame: `span` bytes from byte `from` on. Elements that lie `step` bytes further
// need the bytes that lie `next` bytes further. If step is 0, no more elements are needed. If v
// already holds the frame, span is 0.
func (v *video) bytesOf(at, step int64) (from, span, next int64) {
	pixels, span := 4*int64(v.width)*int64(v.height), v.size()
	if v.frame != nil && v.number == at/pixels {
		span = 0
	}
	return at / pixels * v.size(), span, step / pixels * v.size()
}

// ReadAt implements io.ReaderAt for the pixels: offset 0 is the first byte of the first frame.
func (v *video) ReadAt(b []byte, at int64) (n int, err error) {
	row := 4 * int64(v.width)
	for n < len(b) {
		y := at / row
		if err := v.load(y / int64(v.height)); err != nil {
			return n, err
		}
		line, x, rest := int(y%int64(v.height)), int(at%row), b[n:]
		to, r, skip := &v.part, image.Rect(x/4, line, min((x+len(rest)+3)/4, v.width), line+1), x%4
		if x == 0 && int64(len(rest)) >= row {
			r = image.Rect(0, line, v.width, min(line+len(rest)/int(row), v.height))
			to = &image.RGBA{Pix: rest}
		} else if need := 4 * r.Dx(); cap(to.Pix) < need {
			to.Pix = make([]byte, need)
		}
		to.Stride, to.Rect = 4*r.Dx(), image.Rect(0, 0, r.Dx(), r.Dy())
		to.Pix = to.Pix[:to.Stride*r.Dy()]
		if err := imageslice.ToRGBA(to, v.frame, r); err != nil {
			return n, err
		}
		m := len(to.Pix)
		if to == &v.part {
			m = copy(rest, to.Pix[skip:])
		}
		n, at = n+m, at+int64(m)
	}
	return n, nil
}

// load makes v hold frame i.
func (v *video) load(i int64) (err error) {
	if v.frame != nil && v.number == i {
		return nil
	}
	size := v.size()
	if v.frame == nil {
		v.pix = make([]byte, size)
	}
	v.frame = nil
	if _, err := v.source.ReadAt(v.pix, v.Offset+i*size); err != nil {
		return err
	}
	f, err := v.form.frame(v.pix, v.width, v.height, 0)
	if err != nil {
		return err
	}
	f.Matrix, f.FullRange = v.matrix, v.full
	v.frame, v.number = f, i
	return nil
}
