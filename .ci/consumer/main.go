// Command consumer slices an array with the kernels in C, checks each byte, and prints which
// kernels ran. In a library for C, RunConsumer does so.
package main

import "C"

import (
	"bytes"
	"fmt"
	"os"
	"runtime"

	"github.com/seed2e45c115/dml/slice1"
)

func main() { os.Exit(int(RunConsumer())) }

// RunConsumer does what the command does. It returns 0, or 1 if that failed: if a kernel in C that
// the host can run slices otherwise than plain Go, if this build lacks one that the architecture
// has, or if none is usable.
//
//export RunConsumer
func RunConsumer() C.int {
	shape := []int{210, 300, 4}
	src := make([]byte, 210*300*4)
	for i := range src {
		src[i] = byte(i * 0x9e3779b1 >> 13)
	}
	w, _, err := slice1.ParseIndex("[10:200:3, ::-1, :3]", shape)
	if err != nil {
		return failed(err)
	}
	want, dst, d := make([]byte, 64*300*3), make([]byte, 64*300*3), slice1.NewDesc(slice1.Uint8, shape, w)
	if err := slice1.Copy(want, src, d, slice1.WithKernel("go")); err != nil {
		return failed(err)
	}
	usable := map[string]bool{}
	for _, k := range slice1.Kernels() {
		usable[k.Name] = k.Usable
	}
	var ran []string
	for _, name := range map[string][]string{"amd64": {"avx2", "avx512"}, "arm64": {"neon"}}[runtime.GOARCH] {
		if can, built := usable[name]; !built {
			return failed("built without", name)
		} else if !can {
			continue
		}
		clear(dst)
		if err := slice1.Copy(dst, src, d, slice1.WithKernel(name)); err != nil {
			return failed(err)
		}
		if !bytes.Equal(dst, want) {
			return failed(name, "slices wrongly")
		}
		ran = append(ran, name)
	}
	if ran == nil {
		return failed("no kernel in C is usable here")
	}
	fmt.Println(ran)
	return 0
}

func failed(why ...any) C.int {
	fmt.Fprintln(os.Stderr, why...)
	return 1
}
