package csrc

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/cpuid"
)

// usable returns the kernels that this host can run.
func usable() (ks []Kernel) {
	has := map[string]bool{"avx2": cpuid.Host().AVX2, "avx512": cpuid.Host().AVX512VBMI, "neon": cpuid.Host().NEON}
	for _, k := range Kernels() {
		if has[k.Name] {
			ks = append(ks, k)
		}
	}
	return ks
}

func nestOf(width int32, dims ...Dim) Nest {
	n := Nest{Rank: int32(len(dims)), Width: width}
	copy(n.Dims[:], dims)
	return n
}

// Each class of inner loop is what its nests get, and copies them right.
func TestNestsGetTheirClass(t *testing.T) {
	for _, c := range []struct {
		class string
		nest  Nest
	}{
		{"copy", nestOf(8)},
		{"copy", nestOf(1, Dim{7, 40, 36}, Dim{35, 1, 1})},
		{"copy", nestOf(4, Dim{3, 400, 300}, Dim{70, 4, 4})},
		{"copy", nestOf(1, Dim{2, 9000, 5000}, Dim{5000, 1, 1})},
		{"shuffle", nestOf(1, Dim{100, 2, 1})},
		{"shuffle", nestOf(2, Dim{100, -2, 2})},
		{"shuffle", nestOf(4, Dim{9, 400, 80}, Dim{20, 12, 4})},
		{"shuffle", nestOf(1, Dim{40, 4, 3}, Dim{3, 1, 1})},
		{"shuffle", nestOf(1, Dim{16, 2, 1})},
		{"shuffle", nestOf(1, Dim{3, 1000, 500}, Dim{100, 4, 1})},
		{"shuffle", nestOf(2, Dim{3, 1000, 500}, Dim{75, 3, 2})},
		{"shuffle", nestOf(1, Dim{100, -24, 2}, Dim{2, 12, 1})},
		{"fill", nestOf(1, Dim{9, 1, 70}, Dim{70, 0, 1})},
		{"fill", nestOf(8, Dim{9, 0, 8})},
		{"tile", nestOf(1, Dim{40, 1, 70}, Dim{70, 100, 1})},
		{"tile", nestOf(2, Dim{40, -2, 140}, Dim{70, -90, 2})},
		{"tile", nestOf(4, Dim{3, 4000, 9000}, Dim{5, 4, 400}, Dim{19, -64, 4})},
		{"tile", nestOf(8, Dim{5, 4096, 16}, Dim{33, -8, 1000}, Dim{2, 640, 8}, Dim{9, 72, 8})},
		{"tile", nestOf(1, Dim{30, 3, 70}, Dim{70, 100, 1})},
		{"tile", nestOf(2, Dim{30, 2, 20}, Dim{10, 100, 2})},
		{"tile", nestOf(4, Dim{30, -8, 24}, Dim{6, 100, 4})},
		{"tile", nestOf(4, Dim{30, -8, 280}, Dim{70, 200, 4})},
		{"tile", nestOf(8, Dim{30, 16, 560}, Dim{70, 400, 8})},
		{"gather", nestOf(1, Dim{70, 100, 1})},
		{"gather", nestOf(8, Dim{9, -72, 8})},
		{"scatter", nestOf(1, Dim{70, 2, 300})},
		{"scatter", nestOf(2, Dim{50, 2, 600})},
	} {
		const size = 64 << 10
		c.nest.SrcOff = size / 2
		src, want := make([]byte, size), make([]byte, size)
		for i := range src {
			src[i] = byte(i*7 + i>>8)
		}
		each(&c.nest, 0, c.nest.DstOff, c.nest.SrcOff, func(dst, src2 int64) {
			copy(want[dst:dst+int64(c.nest.Width)], src[src2:])
		})
		for _, k := range usable() {
			for _, stream := range []Stream{Cached, Past, PastNear, PastShort} {
				var p Program
				k.Prepare(&p, &c.nest, stream)
				assert.Equal(t, c.class, p.Class(), "%s: %+v", k.Name, c.nest)
				got := make([]byte, size)
				k.Run(&p, unsafe.Pointer(&got[0]), unsafe.Pointer(&src[0]))
				assert.True(t, string(want) == string(got), "%s, stream %v: %+v", k.Name, stream, c.nest)
			}
		}
	}
}

// each calls f with the offsets of every element.
func each(n *Nest, axis int, dst, src int64, f func(dst, src int64)) {
	if axis == int(n.Rank) {
		f(dst, src)
		return
	}
	for i := range n.Dims[axis].Extent {
		each(n, axis+1, dst+i*n.Dims[axis].Dst, src+i*n.Dims[axis].Src, f)
	}
}

func TestKernelsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range Kernels() {
		require.NotEmpty(t, k.Name)
		require.False(t, seen[k.Name])
		seen[k.Name] = true
	}
}

func TestPrepareAndRunDoNotAllocate(t *testing.T) {
	n := nestOf(1, Dim{100, 2, 1})
	src, dst := make([]byte, 200), make([]byte, 100)
	for _, k := range usable() {
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			var p Program
			k.Prepare(&p, &n, Cached)
			k.Run(&p, unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]))
		}), k.Name)
	}
}
