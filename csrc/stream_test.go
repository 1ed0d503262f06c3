package csrc

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// Programs that store past the caches write the same bytes as those that do
// not: every alignment of lines, every pattern, rows of few lines and many.
func TestStreamingWritesTheSameBytes(t *testing.T) {
	const size = 1 << 20
	rng := rand.New(rand.NewPCG(1, 1))
	src := make([]byte, size)
	for i := range src {
		src[i] = byte(rng.Uint32())
	}
	check := func(n Nest) {
		t.Helper()
		bytes := n.DstOff + 64
		for _, d := range n.Dims[:n.Rank] {
			n.SrcOff += max(0, -d.Src*(d.Extent-1))
			bytes += d.Dst * d.Extent
		}
		want := make([]byte, bytes)
		each(&n, 0, n.DstOff, n.SrcOff, func(to, from int64) {
			copy(want[to:to+int64(n.Width)], src[from:])
		})
		for _, k := range usable() {
			for _, stream := range []Stream{Past, PastNear, PastShort} {
				var p Program
				k.Prepare(&p, &n, stream)
				got := make([]byte, bytes)
				k.Run(&p, unsafe.Pointer(&got[0]), unsafe.Pointer(&src[0]))
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("%s, class %s: byte %d is %#x, want %#x: %+v", k.Name, p.Class(), i, got[i], want[i], n)
					}
				}
			}
		}
	}
	for _, width := range []int32{1, 2, 4, 8} {
		w := int64(width)
		for _, stride := range []int64{1, -1, 2, -2, 3, -3, 4, 5, -7, 8, 9} {
			for bytes := int64(64); bytes < 700; bytes += 8 + w*(bytes%5) {
				n := nestOf(width, Dim{bytes / w, stride * w, w})
				n.DstOff = rng.Int64N(200)
				check(n)
			}
			for range 20 {
				row := 128 + 8*rng.Int64N(30)
				pitch := rng.Int64N(4000) - 2000
				n := nestOf(width, Dim{1 + rng.Int64N(8), pitch, row + rng.Int64N(100)}, Dim{row / w, stride * w, w})
				n.DstOff = rng.Int64N(200)
				check(n)
			}
		}
		for _, pitch := range []int64{40000, 80000, -80000} { // long rows
			row := int64(1<<15 + 64)
			check(nestOf(width, Dim{3, pitch, row}, Dim{row / w, w, w}))
		}
		for range 20 { // rows close together, in groups that are not
			high, pitch := 1+rng.Int64N(20), 192+8*rng.Int64N(30)
			check(nestOf(width, Dim{3, high*pitch + 8*rng.Int64N(500), high * 192}, Dim{high, pitch, 192}, Dim{192 / w, w, w}))
		}
		for range 200 { // transposed, of at least a tile
			tall, wide := 16/w+rng.Int64N(200), (128+rng.Int64N(600))/w
			step, row := (1+rng.Int64N(3))*w, wide*w+rng.Int64N(2)*rng.Int64N(100)
			pitch := max(16, tall*step+rng.Int64N(100))
			n := nestOf(width, Dim{tall, step * (1 - 2*rng.Int64N(2)), row}, Dim{wide, pitch * (1 - 2*rng.Int64N(2)), w})
			n.DstOff = rng.Int64N(200)
			check(n)
		}
		for range 200 { // periods of several elements
			inner, period := 2+rng.Int64N(7), (1+rng.Int64N(12))*w
			n := nestOf(width, Dim{200 / inner, period, inner * w}, Dim{inner, (rng.Int64N(5) - 2) * w, w})
			n.DstOff = rng.Int64N(200)
			check(n)
		}
	}
}
