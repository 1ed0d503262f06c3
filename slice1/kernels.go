package slice1

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"unsafe"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// KernelInfo describes one kernel of this build.
type KernelInfo struct {
	Name   string // "go", "simd", "avx2", "avx512", "neon": what WithKernel takes
	Usable bool   // this host can run it
	Reason string // why not, "" if usable
}

// A kernel is a way to execute a loop nest: in Go, or one of csrc.
type kernel struct {
	KernelInfo
	native *csrc.Kernel // nil: a kernel in Go
	vector bool         // the one of package vector
}

// run executes a nest with a kernel in Go.
func (k *kernel) run(n *csrc.Nest, dst, src unsafe.Pointer) {
	if vector.Built && k.vector {
		vector.Run(n, dst, src)
	} else {
		portable.Run(n, dst, src)
	}
}

// kernels lists all of the build, weakest first. The first is Go, which every
// build has and every host can run.
var kernels = func() []kernel {
	host := cpuid.Host()
	ks := []kernel{{KernelInfo: info("go", "", true)}}
	if vector.Built {
		ks = append(ks, kernel{KernelInfo: info("simd", "avx2", host.AVX2), vector: true})
	}
	usable := map[string]bool{"avx2": host.AVX2, "avx512": host.AVX512VBMI, "neon": host.NEON}
	for _, native := range csrc.Kernels() {
		ks = append(ks, kernel{KernelInfo: info(native.Name, native.Name, usable[native.Name]), native: &native})
	}
	return ks
}()

func info(name, needs string, usable bool) KernelInfo {
	k := KernelInfo{Name: name, Usable: usable}
	if !usable {
		k.Reason = "this processor has no " + needs + ", or it is masked"
	}
	return k
}

// Kernels returns every kernel built in, weakest first. The first is "go",
// which is always there and always usable; "simd" comes with GOEXPERIMENT=simd
// on amd64, the others with cgo.
func Kernels() []KernelInfo {
	var infos []KernelInfo
	for _, k := range kernels {
		infos = append(infos, k.KernelInfo)
	}
	return infos
}

// forced is the kernel the environment asks for.
var forced = os.Getenv("SLICE1_KERNEL")

// named returns the kernel of that name, or an error that is ErrKernel.
func named(name string) (*kernel, error) {
	for i := range kernels {
		if k := &kernels[i]; k.Name == name {
			if !k.Usable {
				return nil, fmt.Errorf("slice1: %w: %s: %s", ErrKernel, name, k.Reason)
			}
			return k, nil
		}
	}
	return nil, fmt.Errorf("slice1: %w: no %q in this build for %s/%s", ErrKernel, name, runtime.GOOS, runtime.GOARCH)
}

// choose returns the kernel for a nest in normal form that copies so many
// bytes, and does once: the one named, else the one forced, else the strongest
// usable one that is faster than those before it.
func choose(name string, n *csrc.Nest, bytes int64, once bool) (*kernel, error) {
	if name == "" {
		name = forced
	}
	if name != "" {
		return named(name)
	}
	ks := kernels
	best := &ks[0]
	if raceEnabled {
		return best, nil
	}
	from := breakEven(n, once)
	if vector.Built && bytes >= vectorBytes && ks[1].Usable && vector.Suits(n) {
		best, from = &ks[1], max(from, vectorBreakEven)
	}
	if bytes < from {
		return best, nil
	}
	for i := len(ks) - 1; i > 0; i-- {
		if k := &ks[i]; k.Usable && k.native != nil {
			return k, nil
		}
	}
	return best, nil
}

// Bytes of output from which on package vector is faster than package portable,
// and from which on a C kernel makes up for the call where package vector has a
// kernel too; measured as those of breakEven.
const (
	vectorBytes     = 256
	vectorBreakEven = 2 << 10
)

// breakEven returns the bytes of output from which on a C kernel makes up for
// the call into C, about 10 ns, and where its program is for one run, for that
// too: to prepare a shuffle takes about a hundred times as long as the call, of
// anything else ten times. The numbers are what
//
//	go test ./slice1 -run - -bench BreakEven -benchtime 1x
//
// prints, about, on Zen 4 and Zen 5.
func breakEven(n *csrc.Nest, once bool) int64 {
	if n.Rank == 0 {
		return math.MaxInt64
	}
	w, in := int64(n.Width), n.Dims[n.Rank-1]
	row := in.Extent * w
	from, prepare := 256*w, int64(32)
	switch {
	case in.Dst != w:
		prepare = 64
	case in.Src == w && (n.Rank == 1 || row >= 4<<10):
		from, prepare = 32<<10, 2
	case in.Src == w && row >= 1<<10:
		from, prepare = 8<<10, 8
	case in.Src == w && row < 16 && n.Dims[n.Rank-2].Dst == row:
		// Rows that chain: C shuffles several at once.
	case in.Src == w && row < 32:
		from = 2 << 10
	case in.Src == w || in.Src == 0:
		from, prepare = 2<<10, 8
	case in.Src == -w:
		from = 1 << 10
	case nest.Transposed(n) >= 0:
		from, prepare = 1<<10, 2
	case in.Src >= 64 || in.Src <= -64: // a line apart
		from, prepare = 16<<10, 8
	}
	if once {
		from *= prepare
	}
	return from
}
