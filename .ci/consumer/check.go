package main

import (
	"bytes"
	"errors"
	"runtime"

	"github.com/seed2e45c115/dml/slice1"
)

// check slices an array with each kernel in C that this build has and the host can run, and
// compares each byte with plain Go's. It returns the names of these kernels, the strongest last. It
// fails if one of them slices wrongly, if this build lacks a kernel in C that the architecture has,
// and if no kernel in C is usable.
func check() (names []string, err error) {
	shape := []int{210, 300, 4}
	src := make([]byte, 210*300*4)
	for i := range src {
		src[i] = byte(i * 0x9e3779b1 >> 13)
	}
	w, _, err := slice1.ParseIndex("[10:200:3, ::-1, :3]", shape)
	if err != nil {
		return nil, err
	}
	want, d := make([]byte, 64*300*3), slice1.NewDesc(slice1.Uint8, shape, w)
	if err := slice1.Copy(want, src, d, slice1.WithKernel("go")); err != nil {
		return nil, err
	}
	usable := map[string]bool{}
	for _, k := range slice1.Kernels() {
		usable[k.Name] = k.Usable
	}
	for _, name := range map[string][]string{"amd64": {"avx2", "avx512"}, "arm64": {"neon"}}[runtime.GOARCH] {
		if can, built := usable[name]; !built {
			return nil, errors.New("built without " + name)
		} else if !can {
			continue
		}
		dst := make([]byte, len(want))
		if err := slice1.Copy(dst, src, d, slice1.WithKernel(name)); err != nil {
			return nil, err
		}
		if !bytes.Equal(dst, want) {
			return nil, errors.New(name + " slices wrongly")
		}
		names = append(names, name)
	}
	if names == nil {
		return nil, errors.New("no kernel in C is usable here")
	}
	return names, nil
}
