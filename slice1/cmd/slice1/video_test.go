package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math/bits"
	"math/rand/v2"
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
	for name, form := range videoForms {
		for _, size := range []image.Point{{7, 5}, {64, 48}, {1, 1}, {800, 450}} {
			if size.X > 100 && name != "nv12" {
				continue
			}
			d := newDir(t)
			bytesOfFrame := int(form.bytes(int64(size.X), int64(size.Y)))
			file := noise(r, 6+count*bytesOfFrame)
			d.write("in.yuv", file)
			rgb := []byte{}
			for i := range count {
				f, err := form.frame(file[6+i*bytesOfFrame:][:bytesOfFrame], size.X, size.Y, 0)
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
			d.works("-raw", name+",bt709,full", "-shape", fmt.Sprintf("-1,%d,%d", size.Y, size.X), "-skip", "6", "[1]", "./in.yuv", "./one.png")
			m, err := png.Decode(bytes.NewReader(d.read("one.png")))
			require.NoError(t, err)
			require.Equal(t, rgb[3*size.X*size.Y:][:3], []byte{m.(*image.RGBA).Pix[0], m.(*image.RGBA).Pix[1], m.(*image.RGBA).Pix[2]})
		}
	}
}

func TestFramesThatDoNotFitAreErrors(t *testing.T) {
	d := newDir(t)
	d.write("in.yuv", make([]byte, 100))
	for _, row := range []struct{ raw, shape, says string }{
		{"nv12", "3,2", "holds 100 bytes, [3, 2, 3] of nv12 takes 10"},
		{"nv12", "9,3,2", "holds 100 bytes, [9, 3, 2, 3] of nv12 takes 90"},
		{"nv12", "-1,4,5", "holds 100 bytes, [3, 4, 5, 3] of nv12 takes 96"},
		{"nv12", "4", "height and width expected"}, {"nv12", "1,0,4", "height and width expected"}, {"nv12", "2,2,-1", "height and width expected"},
		{"nv12", "1,2,3,4", "height and width expected"}, {"nv12", "1048577,2", "at most 1048576 pixels"}, {"nv12", "", "-shape needs a value"},
		{"nv12", "99999999999,1048576,1048576", map[int]string{32: "out of range", 64: "too large"}[bits.UintSize]},
		{"nv12", "1,16384,32768", map[int]string{32: "too large", 64: "holds 100 bytes"}[bits.UintSize]},
		{"nv12", "-1,16384,32768", map[int]string{32: "too large", 64: "holds 100 bytes"}[bits.UintSize]},
		{"nv12,bt709,bt601", "2,2", "colours are one of"}, {"nv12,full,full", "2,2", "colours are one of"}, {"nv12,full,bt709", "2,2", "colours are one of"},
		{"i420,bt700", "2,2", "one of bt2020, bt601, bt709, and then full"}, {"NV12", "2,2", "types are"},
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
