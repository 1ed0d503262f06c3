package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// Frames become the same pixels as in package imageslice: from files, from pipes and from pipes of
// unknown length, whichever pixels are taken.
func TestFramesBecomeRGB(t *testing.T) {
	const count = 3
	r := rand.New(rand.NewPCG(1, 2))
	forms := map[string]*imageslice.Format{"p010le": nil, "yuvj420p": nil, "yuvj422p": nil, "yuvj444p": nil}
	for _, f := range imageslice.Formats() {
		forms[f.Name] = nil
		if f.FFmpeg != "" {
			forms[f.FFmpeg] = nil
		}
	}
	require.Len(t, forms, 10+3+6)
	for word := range forms {
		form, full, err := formOf(word)
		require.NoError(t, err)
		require.NotNil(t, form, word)
		require.Equal(t, strings.HasPrefix(word, "yuvj"), full) // FFmpeg's j is for JPEG's range
		forms[word] = form
	}
	for line := range strings.Lines(foreignFrames) {
		names, way, _ := strings.Cut(strings.TrimSpace(line), "\t")
		for word := range strings.FieldsSeq(names) {
			require.NotContains(t, forms, word)
			_, _, err := formOf(word)
			require.ErrorContains(t, err, "-raw "+word+": "+way)
		}
	}
	for _, word := range []string{"", "nv12le", "yuvj400p", "nv"} {
		form, _, err := formOf(word)
		require.NoError(t, err)
		require.Nil(t, form, word)
	}
	for name, form := range forms {
		for _, size := range []image.Point{{7, 5}, {64, 48}, {1, 1}, {800, 450}} {
			if size.X > 100 && name != "nv12" {
				continue
			}
			d := newDir(t)
			all, err := form.Size(size.X, size.Y, 0)
			require.NoError(t, err)
			bytesOfFrame := int(all)
			file := noise(r, 6+count*bytesOfFrame)
			d.write("in.yuv", file)
			rgb := []byte{}
			for i := range count {
				f, err := form.Frame(file[6+i*bytesOfFrame:][:bytesOfFrame], size.X, size.Y, 0)
				require.NoError(t, err)
				f.Matrix, f.FullRange = imageslice.BT709, true
				m := image.NewRGBA(f.Rect)
				require.NoError(t, imageslice.ToRGBA(m, f, f.Rect))
				for p := range size.X * size.Y {
					rgb = append(rgb, m.Pix[4*p:4*p+3]...)
				}
			}
			d.write("want.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{count, size.Y, size.X, 3}}, rgb))
			for _, index := range [][]string{{"[...]"}, {"[::-1, ::2, ::-1]"}, {"[1:, :, :, ::-1]"}, {"[:, -1, 0]"}, {"[2]"}, {"-axes", "0,3,1,2", "[:, :, ::3]"}, {"-axes", "3,1,0,2", "[:2, 0:1]"}, {"-to", "f4", "-mean", ".5", "-axes", "0,3,1,2", "[::2]"}} {
				d.works(append(append([]string{"-force"}, index...), "./want.npy", "./sliced.npy")...)
				for _, frames := range []string{"3", "-1"} {
					shape := fmt.Sprintf("%s,%d,%d", frames, size.Y, size.X)
					flags := append([]string{"-force", "-skip", "6", "-raw", name + ",bt709,full", "-shape", shape}, index...)
					d.works(append(flags, "./in.yuv", "./out.npy")...)
					require.True(t, bytes.Equal(d.read("sliced.npy"), d.read("out.npy")), "%s %v", flags, size)
					_, want := d.array("sliced.npy")
					d.passes(want, file, append(flags, "-", "-")...)
				}
			}
			colours := ",bt709,full"
			if strings.HasPrefix(name, "yuvj") {
				colours = ",bt709"
			}
			d.works("-raw", name+colours, "-shape", fmt.Sprintf("-1,%d,%d", size.Y, size.X), "-skip", "6", "[1]", "./in.yuv", "./one.png")
			m, err := png.Decode(bytes.NewReader(d.read("one.png")))
			require.NoError(t, err)
			require.Equal(t, rgb[3*size.X*size.Y:][:3], []byte{m.(*image.RGBA).Pix[0], m.(*image.RGBA).Pix[1], m.(*image.RGBA).Pix[2]})
		}
	}
}

// Words of -raw name the libraries whose R, G and B frames get.
func TestFramesWithColoursOfLibraries(t *testing.T) {
	d := newDir(t)
	file := noise(rand.New(rand.NewPCG(80, 6)), 16*8*3/2)
	d.write("in.yuv", file)
	for words, c := range map[string]imageslice.Frame{
		"nv12,opencv":             {Colours: imageslice.OpenCV},
		"i420,opencv":             {Colours: imageslice.OpenCV},
		"i420,swscale":            {Colours: imageslice.Swscale},
		"i420,bt709,swscale":      {Colours: imageslice.Swscale, Matrix: imageslice.BT709},
		"i420,full,swscale":       {Colours: imageslice.Swscale, FullRange: true},
		"i420,bt709,full,swscale": {Colours: imageslice.Swscale, Matrix: imageslice.BT709, FullRange: true},
		"yuvj420p,swscale":        {Colours: imageslice.Swscale, FullRange: true},
	} {
		f, err := imageslice.I420(file, 16, 8, 0)
		if strings.HasPrefix(words, "nv12") {
			f, err = imageslice.NV12(file, 16, 8, 0)
		}
		require.NoError(t, err)
		f.Matrix, f.FullRange, f.Colours = c.Matrix, c.FullRange, c.Colours
		want := make([]uint8, 3*16*8)
		require.NoError(t, imageslice.Convert(want, f, f.Rect, imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC}))
		d.works("-force", "-raw", words, "-shape", "8,16", "[...]", "./in.yuv", "./out.npy")
		_, got := d.array("out.npy")
		require.Equal(t, want, got, words)
	}
}

func TestFramesThatDoNotFitAreErrors(t *testing.T) {
	d := newDir(t)
	d.write("in.yuv", make([]byte, 100))
	for _, row := range []struct{ raw, shape, says string }{
		{"nv12", "3,2", "holds 100 bytes, [3, 2, 3] of nv12 takes 10"},
		{"nv12", "9,3,2", "holds 100 bytes, [9, 3, 2, 3] of nv12 takes 90"},
		{"nv12", "-1,4,5", "holds 100 bytes, [3, 4, 5, 3] of nv12 takes 96"},
		{"nv12", "-1,8,9", "holds 100 bytes, no multiple of the 112 that [8, 9, 3] of nv12 takes"},
		{"nv12", "4", "height and width expected"}, {"nv12", "1,0,4", "height and width expected"}, {"nv12", "2,2,-1", "height and width expected"},
		{"nv12", "1,2,3,4", "height and width expected"}, {"nv12", "1048577,2", "at most 1048576 pixels"}, {"nv12", "", "-shape needs a value"},
		{"nv12", "99999999999,1048576,1048576", map[int]string{32: "out of range", 64: "too large"}[bits.UintSize]},
		{"nv12", "1,16384,32768", map[int]string{32: "too large", 64: "holds 100 bytes"}[bits.UintSize]},
		{"nv12", "-1,16384,32768", map[int]string{32: "too large", 64: "holds 100 bytes"}[bits.UintSize]},
		{"nv12,bt709,bt601", "2,2", "colours are one of"}, {"nv12,full,full", "2,2", "colours are one of"}, {"nv12,full,bt709", "2,2", "colours are one of"},
		{"i420,bt700", "2,2", "one of bt2020, bt601, bt709, then full, then swscale or opencv"}, {"i420,swscale,full", "2,2", "full: colours are one of"}, {"i420,opencv,swscale", "2,2", "swscale: colours are one of"},
		{"nv12,bt709,opencv", "2,2", "limited BT.601 alone"}, {"yuvj420p,opencv", "2,2", "limited BT.601 alone"}, {"nv12,opencv", "-1,3,2", "even sides alone"},
		{"nv12,swscale", "-1,3,2", "must be planes"}, {"i420,swscale", "-1,3,2", "even number of rows"}, {"i420,bt2020,swscale", "-1,3,2", "must be BT601 or BT709"}, {"NV12", "2,2", "types are"},
		{"rgb24", "5,5", "-raw rgb24: these are elements, -raw u1 -shape -1,H,W,3\n"}, {"p012le,bt2020", "5,5", "-raw p012le: not read; "}, {"p012", "5,5", "ffmpeg -pix_fmt nv12 makes frames"}, {"yuvj420p,full,bt601", "2,2", "colours are one of"},
	} {
		args := []string{"-raw", row.raw, "-shape", row.shape, "[...]"}
		code, _, stderr := d.run(append(args, "./in.yuv", "./out.npy")...)
		assert.NotEqual(t, exitOK, code, row)
		assert.Contains(t, stderr, row.says)
		code, _, stderr = d.pipe(d.read("in.yuv"), append(args, "-", "-")...)
		assert.NotEqual(t, exitOK, code, row)
		assert.NotContains(t, stderr, "goroutine")
		if row.shape == "-1,4,5" {
			assert.Contains(t, stderr, "holds 100 bytes, no multiple of the 32 that [4, 5, 3] of nv12 takes")
		}
		assert.Equal(t, []string{"in.yuv"}, d.files())
	}
}

// The ways that are named for FFmpeg's other words are ways: what they name is read.
func TestWaysOfFramesAreWays(t *testing.T) {
	d := newDir(t)
	d.write("in.raw", make([]byte, 3*4*6*16))
	found := 0
	for line := range strings.Lines(foreignFrames) {
		_, way, _ := strings.Cut(strings.TrimSpace(line), "\t")
		flags := "-raw u1 -shape -1,H,W,3"
		switch _, elements, ok := strings.Cut(way, "elements"); {
		case ok:
			flags = elements[strings.Index(elements, "-raw"):]
		default:
			_, form, _ := strings.Cut(way, "-pix_fmt ")
			form, _, _ = strings.Cut(form, " ")
			require.Contains(t, way, "that -raw "+form+" reads")
			flags = "-raw " + form + " -shape -1,H,W"
		}
		d.works(append(words("-force "+strings.NewReplacer("H", "4", "W", "6").Replace(flags)), "[...]", "./in.raw", "./out.npy")...)
		found++
	}
	require.Greater(t, found, 12)
}

// Coded frames may be larger than what is visible of them. Then the shape is the coded size, and
// the index cuts. The visible part has the colours that it has as frames of its own, of full cells.
func TestFramesOfALargerCodedSize(t *testing.T) {
	d := newDir(t)
	r := rand.New(rand.NewPCG(5, 6))
	const width, height, coded, rows = 34, 22, 48, 24
	for _, name := range []string{"i420", "nv12", "yuy2"} {
		form, _, err := formOf(name)
		require.NoError(t, err)
		size, err := form.Size(coded, rows, 0)
		require.NoError(t, err)
		file := noise(r, 2*int(size))
		d.write("in.yuv", file)
		want := []byte{}
		for i := range 2 {
			f, err := form.Frame(file[i*len(file)/2:][:len(file)/2], coded, rows, 0)
			require.NoError(t, err)
			f.Rect = image.Rect(0, 0, width, height)
			m := image.NewRGBA(f.Rect)
			require.NoError(t, imageslice.ToRGBA(m, f, f.Rect))
			for p := range width * height {
				want = append(want, m.Pix[4*p:4*p+3]...)
			}
		}
		d.makes(want, "-raw", name, "-shape", "-1,24,48", "[:, :22, :34]", "./in.yuv")
		d.makes(want[:len(want)/2], "-raw", name, "-shape", "-1,24,48", "[0, :22, :34]", "./in.yuv")
	}
}
