package main

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"runtime"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1"
)

// check slices a PNG picture with each kernel in C that this build has and the host can run, and
// compares each byte. It returns the names of these kernels, the strongest last. It fails if one of
// them slices wrongly, if this build lacks a kernel in C that the architecture has, and if no kernel
// in C is usable. The picture must have pixels of four bytes.
func check(file string) (names []string, err error) {
	src, shape, err := read(file)
	if err != nil {
		return nil, err
	}
	w, out, err := slice1.ParseIndex("[10:200:3, ::-1, :3]", shape)
	if err != nil {
		return nil, err
	}
	dst, want := make([]byte, out[0]*out[1]*out[2]), sliced(src, shape)
	usable := map[string]bool{}
	for _, k := range slice1.Kernels() {
		usable[k.Name] = k.Usable
	}
	for number, set := range csrc.Sets {
		if set.Arch == runtime.GOARCH && !set.InGo && !csrc.Built(int32(number)) {
			return nil, errors.New("built without " + set.Name)
		}
		if !usable[set.Name] {
			continue
		}
		clear(dst)
		if err := slice1.Copy(dst, src, slice1.NewDesc(slice1.Uint8, shape, w), slice1.WithKernel(set.Name)); err != nil {
			return nil, err
		}
		if !bytes.Equal(dst, want) {
			return nil, errors.New(set.Name + " slices wrongly")
		}
		names = append(names, set.Name)
	}
	if names == nil {
		return nil, errors.New("no kernel in C is usable here")
	}
	return names, nil
}

// sliced returns the bytes that [10:200:3, ::-1, :3] takes of a picture of that shape, whose pixels
// have four bytes.
func sliced(src []byte, shape []int) (want []byte) {
	for y := 10; y < 200; y += 3 {
		for x := shape[1] - 1; x >= 0; x-- {
			want = append(want, src[(y*shape[1]+x)*4:][:3]...)
		}
	}
	return want
}

// read returns the pixels of a PNG file and their shape: height, width and 4.
func read(file string) (pixels []byte, shape []int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	decoded, err := png.Decode(f)
	if err != nil {
		return nil, nil, err
	}
	m, ok := decoded.(*image.RGBA)
	if !ok {
		return nil, nil, fmt.Errorf("%s is a %T", file, decoded)
	}
	return m.Pix, []int{m.Rect.Dy(), m.Rect.Dx(), 4}, nil
}
