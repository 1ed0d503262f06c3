package plan

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// usable returns the kernels in C that this build has and this host can run.
func usable() (ks []Kernel) {
	for number, set := range csrc.Sets {
		if csrc.Built(int32(number)) && cpuid.Host().Has(set.Needs) {
			ks = append(ks, Kernel(number))
		}
	}
	return ks
}

func name(k Kernel) string { return csrc.Sets[k].Name }

func dim(extent, src, dst int64) nest.Dim { return nest.Dim{Extent: extent, Src: src, Dst: dst} }

func nestOf(width int32, dims ...nest.Dim) nest.Nest {
	n := nest.Nest{Rank: int32(len(dims)), Width: width}
	copy(n.Dims[:], dims)
	return n
}

// Each nest gets the kind that suits it, which copies it right.
func TestNestsGetTheirKind(t *testing.T) {
	for _, c := range []struct {
		kind string
		nest nest.Nest
	}{
		{"copy", nestOf(8)},
		{"copy", nestOf(1, dim(7, 40, 36), dim(35, 1, 1))},
		{"copy", nestOf(4, dim(3, 400, 300), dim(70, 4, 4))},
		{"copy", nestOf(1, dim(2, 9000, 5000), dim(5000, 1, 1))},
		{"shuffle", nestOf(1, dim(100, 2, 1))},
		{"shuffle", nestOf(2, dim(100, -2, 2))},
		{"shuffle or units", nestOf(4, dim(9, 400, 80), dim(20, 12, 4))},
		{"shuffle", nestOf(1, dim(40, 4, 3), dim(3, 1, 1))},
		{"shuffle", nestOf(1, dim(16, 2, 1))},
		{"shuffle", nestOf(1, dim(3, 1000, 500), dim(100, 4, 1))},
		{"shuffle", nestOf(2, dim(3, 1000, 500), dim(75, 3, 2))},
		{"shuffle", nestOf(1, dim(100, -24, 2), dim(2, 12, 1))},
		{"fill", nestOf(1, dim(9, 1, 70), dim(70, 0, 1))},
		{"fill", nestOf(8, dim(9, 0, 8))},
		{"tile", nestOf(1, dim(40, 1, 70), dim(70, 100, 1))},
		{"tile", nestOf(2, dim(40, -2, 140), dim(70, -90, 2))},
		{"tile", nestOf(4, dim(3, 4000, 9000), dim(5, 4, 400), dim(19, -64, 4))},
		{"tile", nestOf(8, dim(5, 4096, 16), dim(33, -8, 1000), dim(2, 640, 8), dim(9, 72, 8))},
		{"tile", nestOf(1, dim(30, 3, 70), dim(70, 100, 1))},
		{"tile", nestOf(2, dim(30, 2, 20), dim(10, 100, 2))},
		{"tile", nestOf(4, dim(30, -8, 24), dim(6, 100, 4))},
		{"tile", nestOf(4, dim(30, -8, 280), dim(70, 200, 4))},
		{"tile", nestOf(8, dim(30, 16, 560), dim(70, 400, 8))},
		{"gather", nestOf(1, dim(70, 100, 1))},
		{"gather", nestOf(8, dim(9, -72, 8))},
		{"element", nestOf(1, dim(70, 2, 300))},
		{"element", nestOf(2, dim(50, 2, 600))},
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
			for _, stream := range []Storing{Cached, Far, Near, Short} {
				var p csrc.Program
				Make(&p, &c.nest, k, stream)
				assert.Contains(t, strings.Split(c.kind, " or "), KindOf(&p), "%s: %+v", name(k), c.nest)
				got := make([]byte, size)
				p.Run(unsafe.Pointer(&got[0]), unsafe.Pointer(&src[0]))
				assert.True(t, string(want) == string(got), "%s, stream %v: %+v", name(k), stream, c.nest)
			}
		}
	}
}

// Rows of a vector or two are copied, or made units where the loops around them end soon.
func TestKindsOfShortRows(t *testing.T) {
	for _, c := range []struct {
		set    string
		nest   string
		cached string
		far    string
	}{
		{"avx2", "1 8:-300:128 4:70:32 32:1:1", "units", "copy"},
		{"avx512", "1 8:-300:128 4:70:32 32:1:1", "units", "copy"},
		{"neon", "1 8:-300:128 4:70:32 32:1:1", "copy", "copy"},
		{"avx2", "1 2:-300:128 4:70:32 32:1:1", "copy", "copy"},
		{"avx512", "1 2:-300:128 4:70:32 32:1:1", "copy", "copy"},
		{"avx2", "1 5:40:30 20:1:1", "copy", "copy"},
		{"avx512", "1 5:40:30 20:1:1", "shuffle", "copy"},
		{"neon", "1 5:40:30 20:1:1", "copy", "copy"},
	} {
		n := parseNest(c.nest)
		for storing, want := range map[Storing]string{Cached: c.cached, Far: c.far} {
			var p csrc.Program
			Make(&p, &n, Kernel(csrc.SetNumber(c.set)), storing)
			assert.Equal(t, want, KindOf(&p), "%s, storing %d: %s", c.set, storing, c.nest)
		}
	}
}

// each calls f with the offsets of every element.
func each(n *nest.Nest, axis int, dst, src int64, f func(dst, src int64)) {
	if axis == int(n.Rank) {
		f(dst, src)
		return
	}
	for i := range n.Dims[axis].Extent {
		each(n, axis+1, dst+i*n.Dims[axis].Dst, src+i*n.Dims[axis].Src, f)
	}
}

func TestMakingAndRunningDoNotAllocate(t *testing.T) {
	n := nestOf(1, dim(100, 2, 1))
	src, dst := make([]byte, 200), make([]byte, 100)
	for _, k := range usable() {
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			var p csrc.Program
			Make(&p, &n, k, Cached)
			p.Run(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]))
		}), name(k))
	}
}
