package main

import (
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
	name          string // of the form
	matrix        imageslice.Matrix
	full          bool
	width, height int
	pix           []byte            // the frame's bytes
	frame         *imageslice.Frame // the frame; nil: none yet
	number        int64             // its number
	part          image.RGBA        // rows that are not asked for whole
}

// setVideo makes a frames of the form and the colours in words, which are -raw's.
func (j *job) setVideo(a *array, words []string) error {
	v := &video{array: a, form: videoForms[words[0]], name: words[0]}
	for i, word := range words[1:] {
		m, ok := videoMatrices[word]
		switch {
		case ok && i == 0:
			v.matrix = m
		case word == "full" && i == len(words)-2:
			v.full = true
		default:
			return usagef("-raw %s: %s: colours are one of %s, and then full", words[0], clip(word), strings.Join(slices.Sorted(maps.Keys(videoMatrices)), ", "))
		}
	}
	if j.shape == "" {
		return usagef("-raw %s needs -shape of height and width, or of frames, height and width, and no -desc", words[0])
	}
	a.Type, a.video = slice1.Uint8, v
	return nil
}

// setShape sets the size of a frame from the value of -shape: [height, width] of one frame, or
// [frames, height, width]. It returns the shape of the pixels, which have an axis of colours.
func (v *video) setShape(shape []int) ([]int, error) {
	rank := len(shape)
	switch {
	case rank < 2 || rank > 3 || shape[rank-2] < 1 || shape[rank-1] < 1:
		return nil, usagef("-shape %v: height and width expected, or frames, height and width", brackets(shape))
	case shape[rank-2] > 1<<20 || shape[rank-1] > 1<<20:
		return nil, usagef("-shape %v: at most %d pixels along an axis", brackets(shape), 1<<20)
	}
	v.height, v.width = shape[rank-2], shape[rank-1]
	if v.Shape = append(shape, 3); v.memory(v.Shape[rank-2:]) < 0 {
		return nil, v.tooLarge()
	}
	v.strides = []int{4 * v.width * v.height, 4 * v.width, 4, 1}[3-rank:]
	return v.Shape, nil
}

// size returns the bytes of a frame.
func (v *video) size() int64 { return v.form.bytes(int64(v.width), int64(v.height)) }

// ReadAt implements io.ReaderAt for the pixels: offset 0 is the first byte of the first frame.
func (v *video) ReadAt(b []byte, at int64) (n int, err error) {
	row := 4 * int64(v.width)
	for n < len(b) {
		y, x, rest := at/row, at%row, b[n:]
		if err := v.load(y / int64(v.height)); err != nil {
			return n, err
		}
		line := int(y % int64(v.height))
		to, rows := &v.part, int(min((x+int64(len(rest))+row-1)/row, int64(v.height-line)))
		if x == 0 && int64(len(rest)) >= int64(rows)*row {
			to = &image.RGBA{Pix: rest}
		} else if need := rows * int(row); cap(to.Pix) < need {
			to.Pix = make([]byte, need)
		}
		to.Stride, to.Rect = int(row), image.Rect(0, 0, v.width, rows)
		to.Pix = to.Pix[:rows*to.Stride]
		if err := imageslice.ToRGBA(to, v.frame, image.Rect(0, line, v.width, line+rows)); err != nil {
			return n, err
		}
		m := len(to.Pix)
		if to == &v.part {
			m = copy(rest, to.Pix[x:])
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
	if v.pix == nil {
		if err := v.reserve(size); err != nil {
			return err
		}
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
