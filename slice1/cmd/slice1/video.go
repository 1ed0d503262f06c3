package main

import (
	"cmp"
	"image"
	"maps"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// pixelFormats says what FFmpeg's other pixel formats are for -raw: the way to have them as elements
// or in one of imageslice.Formats. The words are without the le of samples of more than a byte,
// which FFmpeg's users may leave out.
var pixelFormats = []struct{ words, way string }{
	{words: "rgb24 bgr24", way: "these are elements, -raw u1 -shape -1,H,W,3"},
	{words: "rgba bgra argb abgr rgb0 bgr0 0rgb 0bgr", way: "these are elements, -raw u1 -shape -1,H,W,4"},
	{words: "rgb48 bgr48", way: "these are elements, -raw '<u2' -shape -1,H,W,3"},
	{words: "rgba64 bgra64", way: "these are elements, -raw '<u2' -shape -1,H,W,4"},
	{words: "gray gray8 y8", way: "these are elements, -raw u1 -shape -1,H,W"},
	{words: "ya8 gray8a", way: "these are elements, -raw u1 -shape -1,H,W,2"},
	{words: "gray9 gray10 gray12 gray14 gray16", way: "these are elements, -raw '<u2' -shape -1,H,W"},
	{words: "gray16be", way: "these are elements, -raw '>u2' -shape -1,H,W"},
	{words: "grayf32", way: "these are elements, -raw '<f4' -shape -1,H,W"},
	{words: "gbrp", way: "these are elements, planes of G, B and R: -raw u1 -shape -1,3,H,W"},
	{words: "gbrap", way: "these are elements, planes of G, B, R and alpha: -raw u1 -shape -1,4,H,W"},
	{words: "gbrpf32", way: "these are elements, planes of G, B and R: -raw '<f4' -shape -1,3,H,W"},
	{words: "p012 p016 yuv420p9 yuv420p10 yuv420p12 yuv420p14 yuv420p16 yuva420p yuv410p yuv411p yuvj411p",
		way: "not read; ffmpeg -pix_fmt nv12 makes frames that -raw nv12 reads"},
	{words: "nv20 yvyu422 p210 p216 y210 yuv422p9 yuv422p10 yuv422p12 yuv422p14 yuv422p16 yuva422p",
		way: "not read; ffmpeg -pix_fmt yuyv422 makes frames that -raw yuyv422 reads"},
	{words: "yuv440p yuvj440p nv24 nv42 p410 p416 yuv444p9 yuv444p10 yuv444p12 yuv444p14 yuv444p16 yuva444p pal8 monow monob rgb565 x2rgb10 gbrp9 gbrp10 gbrp12 gbrp14 gbrp16 xyz12",
		way: "not read; ffmpeg -pix_fmt rgb24 makes elements, -raw u1 -shape -1,H,W,3"},
}

// formOf returns the format of frames that -raw or FFmpeg calls by a name, or nil, and whether their
// colours have the full range, as in FFmpeg's yuvj420p. It is a usage error if FFmpeg has such
// frames and -raw has not.
func formOf(name string) (form *imageslice.Format, full bool, err error) {
	for _, f := range pixelFormats {
		if slices.Contains(strings.Fields(f.words), strings.TrimSuffix(name, "le")) {
			return nil, false, usagef("-raw %s: %s", name, f.way)
		}
	}
	for _, f := range imageslice.Formats() {
		word := cmp.Or(f.FFmpeg, f.Name)
		switch name {
		case f.Name, word, strings.TrimSuffix(word, "le"):
			return &f, false, nil
		case strings.Replace(word, "yuv4", "yuvj4", 1):
			return &f, true, nil
		}
	}
	return nil, false, nil
}

// formNames returns the names of all formats of frames.
func formNames() string {
	var names []string
	for _, f := range imageslice.Formats() {
		names = append(names, f.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

var videoMatrices = map[string]imageslice.Matrix{"bt601": imageslice.BT601, "bt709": imageslice.BT709, "bt2020": imageslice.BT2020}

// videoColours has the rules of libraries whose R, G and B are not the real numbers of a matrix.
var videoColours = map[string]imageslice.Colours{"swscale": imageslice.Swscale, "opencv": imageslice.OpenCV}

// video makes RGB from raw frames, with four bytes per pixel. The last byte is 255. It holds one
// frame.
type video struct {
	*array
	form          *imageslice.Format
	name          string // of the form
	matrix        imageslice.Matrix
	colours       imageslice.Colours
	full          bool
	width, height int
	pix           []byte            // the frame's bytes
	frame         *imageslice.Frame // the frame; nil: none yet
	number        int64             // its number
	part          image.RGBA        // rows that are not asked for whole
}

// setVideo makes a frames of a form and of the colours in words, which are -raw's. full says that
// colours have the full range, whether or not words do.
func (j *job) setVideo(a *array, form *imageslice.Format, full bool, words []string) error {
	v := &video{array: a, form: form, name: words[0], full: full}
	rest := words[1:]
	take := func() { rest = rest[1:] }
	if len(rest) > 0 {
		if m, ok := videoMatrices[rest[0]]; ok {
			v.matrix = m
			take()
		}
	}
	if len(rest) > 0 && rest[0] == "full" {
		v.full = true
		take()
	}
	if len(rest) > 0 {
		if c, ok := videoColours[rest[0]]; ok {
			v.colours = c
			take()
		}
	}
	if len(rest) > 0 {
		return usagef("-raw %s: %s: colours are one of %s, then full, then swscale or opencv", words[0], clip(rest[0]), strings.Join(slices.Sorted(maps.Keys(videoMatrices)), ", "))
	}
	if v.colours == imageslice.OpenCV && (v.full || len(words) > 2) {
		return usagef("-raw %s: opencv's cvtColor has limited BT.601 alone", strings.Join(words, ","))
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

// size returns the bytes of a frame, whose sides setShape has checked.
func (v *video) size() int64 {
	size, _ := v.form.Size(v.width, v.height, 0)
	return size
}

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
	f, err := v.form.Frame(v.pix, v.width, v.height, 0)
	if err != nil {
		return err
	}
	f.Matrix, f.FullRange, f.Colours = v.matrix, v.full, v.colours
	v.frame, v.number = f, i
	return nil
}
