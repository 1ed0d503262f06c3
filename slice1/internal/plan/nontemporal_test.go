package plan

import (
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Programs with non-temporal stores write the same bytes as copying element after element.
// nestsOfLines makes the nests. The programs are of all candidates of this host's kernels, except
// plain Go. They prefetch as on Zen 4, Zen 5 and others, in turns. Those of every fifth nest do not
// prefetch.
func TestStreamingWritesTheSameBytes(t *testing.T) {
	const size = 1 << 20
	kernels, h := usable(), hostWith(&costs)
	var p program.Draft
	rng := rand.New(rand.NewPCG(1, 1))
	src := make([]byte, size)
	for i := range src {
		src[i] = byte(rng.Uint32())
	}
	nests := 0
	check := func(n nest.Nest) {
		t.Helper()
		h.Name = []string{"", "zen", "zen5"}[nests%3]
		nests++
		if len(kernels) == 0 {
			return
		}
		bytes := n.DstOff + 64
		for _, d := range n.Dims[:n.Rank] {
			n.SrcOff += max(0, -d.Src*(d.Extent-1))
			bytes += d.Dst * d.Extent
		}
		want := make([]byte, bytes)
		each(&n, 0, n.DstOff, n.SrcOff, func(to, from int64) {
			copy(want[to:to+int64(n.Width)], src[from:])
		})
		for _, k := range kernels {
			for _, c := range h.Candidates(&n, 1, streamed(OneKernel(k))) {
				h.Make(&p, &n, c)
				if nests%5 == 0 {
					p.Prefetch.Distance = 0
				}
				got := fromLine(int(bytes))
				runProgram(&p.Program, unsafe.Pointer(&got[0]), unsafe.Pointer(&src[0]))
				if i := differ(got, want); i >= 0 {
					t.Fatalf("%s: byte %d is %#x, want %#x: %+v", c, i, got[i], want[i], n)
				}
			}
		}
	}
	for _, width := range []int32{1, 2, 4, 8} {
		nestsOfLines(rng, width, check)
	}
}

// nestsOfLines calls check with nests of elements of `width` bytes. Most of their rows have two
// lines or more.
func nestsOfLines(rng *rand.Rand, width int32, check func(n nest.Nest)) {
	w := int64(width)
	for _, stride := range []int64{1, -1, 2, -2, 3, -3, 4, 5, -7, 8, 9, 33, -128} {
		for bytes := int64(64); bytes < 700; bytes += 8 + w*(bytes%5) {
			n := nestOf(width, dim(bytes/w, stride*w, w))
			n.DstOff = rng.Int64N(200)
			check(n)
		}
		for range 20 {
			row := 128 + 8*rng.Int64N(30)
			pitch := rng.Int64N(4000) - 2000
			n := nestOf(width, dim(1+rng.Int64N(8), pitch, row+rng.Int64N(100)), dim(row/w, stride*w, w))
			n.DstOff = rng.Int64N(200)
			check(n)
		}
	}
	for _, row := range []int64{16, 32, 64} { // rows of one vector, which continue each other
		for _, pitch := range []int64{row + 1, 128, -136, 1000} {
			n := nestOf(width, dim(4+rng.Int64N(40), pitch, row), dim(row/w, w, w))
			n.DstOff = rng.Int64N(2) * rng.Int64N(200)
			check(n)
		}
	}
	for _, pitch := range []int64{40000, 80000, -80000} { // long rows
		row := int64(1<<15 + 64)
		check(nestOf(width, dim(3, pitch, row), dim(row/w, w, w)))
	}
	for range 20 { // groups of rows, with gaps between rows and further gaps between groups
		high, pitch := 1+rng.Int64N(20), 192+8*rng.Int64N(30)
		check(nestOf(width, dim(3, high*pitch+8*rng.Int64N(500), high*192), dim(high, pitch, 192), dim(192/w, w, w)))
	}
	for range 200 { // transposed views of rows of 128 bytes or more
		tall, wide := 16/w+rng.Int64N(200), (128+rng.Int64N(600))/w
		step, row := (1+rng.Int64N(3))*w, wide*w+rng.Int64N(2)*rng.Int64N(100)
		pitch := max(16, tall*step+rng.Int64N(100))
		n := nestOf(width, dim(tall, step*(1-2*rng.Int64N(2)), row), dim(wide, pitch*(1-2*rng.Int64N(2)), w))
		n.DstOff = rng.Int64N(200)
		check(n)
	}
	for range 60 { // transposed views whose rows begin with lines of the destination if it begins with one
		tall, wide, line := 16/w+rng.Int64N(200), (128+rng.Int64N(600))/w, 64/w
		if rng.IntN(2) == 0 {
			tall, wide = (tall+line)/line*line, wide/line*line
		}
		step := (1 + rng.Int64N(3)) * w * (1 - 2*rng.Int64N(2))
		n := nestOf(width, dim(tall, step, (wide+line)/line*64), dim(wide, max(16, tall*3*w), w))
		n.DstOff = 64 * rng.Int64N(3)
		check(n)
	}
	for range 200 { // periods of several elements
		inner, period := 2+rng.Int64N(7), (1+rng.Int64N(12))*w
		n := nestOf(width, dim(200/inner, period, inner*w), dim(inner, (rng.Int64N(5)-2)*w, w))
		n.DstOff = rng.Int64N(200)
		check(n)
	}
}

// differ returns the first index at which two slices of equal length differ, or -1 if they are
// equal.
func differ(a, b []byte) int {
	if string(a) == string(b) {
		return -1
	}
	i := 0
	for a[i] == b[i] {
		i++
	}
	return i
}

// fromLine returns n zero bytes of memory that begin with a line.
func fromLine(n int) []byte {
	b := make([]byte, n+63)
	return b[-uintptr(unsafe.Pointer(&b[0]))%64:][:n:n]
}

// BenchmarkStreams compares ordinary and non-temporal stores by the last kernel of program.Sets
// that this host can run. The source or the output of each nest has about 256 MiB. It prints the GB
// of output stored in a second, the best of -benchtime rounds in which the four take turns. If the
// kernel has no program with non-temporal stores, ordinary stores are timed in their place.
func BenchmarkStreams(b *testing.B) {
	const out = 256 << 20
	kernels := usable()
	if len(kernels) == 0 {
		b.Skip("no C kernel")
	}
	k, h := kernels[len(kernels)-1], ThisHost()
	dst, src := make([]byte, out), make([]byte, 3*out)
	for i := range src {
		src[i] = byte(i)
	}
	row := dim(1024, 4, 4)
	for _, c := range []struct {
		name string
		nest nest.Nest
	}{
		{"rows last first", nestOf(4, dim(out/4096, -4096, 4096), row)},
		{"rows of 64 bytes apart", nestOf(4, dim(out/64, 128, 64), dim(16, 4, 4))},
		{"rows of 256 bytes apart", nestOf(4, dim(out/256, 512, 256), dim(64, 4, 4))},
		{"rows of 4 KiB apart", nestOf(4, dim(out/4096, 8192, 4096), row)},
		{"groups of rows apart", nestOf(4, dim(out/(48*192), 64*256, 48*192), dim(48, 256, 192), dim(48, 4, 4))},
		{"stride 2", nestOf(4, dim(out/4096, 8192, 4096), dim(1024, 8, 4))},
		{"stride 3", nestOf(4, dim(out/4096, 12288, 4096), dim(1024, 12, 4))},
		{"stride -1", nestOf(4, dim(out/4096, 4096, 4096), dim(1024, -4, 4))},
		{"elements 64 bytes apart", nestOf(4, dim(out/65536, 65536, 4096), dim(1024, 64, 4))},
		{"elements 192 bytes apart", nestOf(8, dim(out/98304, 98304, 4096), dim(512, 192, 8))},
	} {
		bytes := float64(c.nest.Width)
		for _, d := range c.nest.Dims[:c.nest.Rank] {
			c.nest.SrcOff += max(0, -d.Src*(d.Extent-1))
			bytes *= float64(d.Extent)
		}
		b.Run(c.name, func(b *testing.B) {
			var programs [2]program.Draft
			var best [2]time.Duration
			for s := range programs {
				h.Choose(&programs[s], &c.nest, eitherStores[s](OneKernel(k)))
			}
			for b.Loop() {
				for s := range programs {
					start := time.Now()
					runProgram(&programs[s].Program, unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]))
					if d := time.Since(start); best[s] == 0 || d < best[s] {
						best[s] = d
					}
				}
			}
			b.ReportMetric(0, "ns/op")
			for s, name := range []string{"cached", "non-temporal"} {
				b.ReportMetric(bytes/best[s].Seconds()/1e9, name+"-GB/s")
			}
		})
	}
}
