package slice1_test

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/oracle"
)

// moved returns d with its window at other offsets.
func moved(d *slice1.Desc, offsets []int) *slice1.Desc {
	m := *d
	m.WindowOffsets = offsets
	return &m
}

// corners returns the offsets of d's window that are nearest to and farthest from the
// origin, and random ones.
func corners(d *slice1.Desc, rng *rand.Rand, random int) [][]int {
	all := make([][]int, 2+random)
	for i, n := range d.Input.Sizes {
		last := n - d.WindowSizes[i]
		all[0], all[1] = append(all[0], 0), append(all[1], last)
		for j := range random {
			all[2+j] = append(all[2+j], rng.IntN(last+1))
		}
	}
	return all
}

// RunAt at other offsets does what the oracle does with a descriptor of these offsets.
func TestRunAtMovesTheWindow(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	runs := 1500
	if testing.Short() {
		runs = 300
	}
	for range runs {
		d := smallDesc(rng)
		b := fill(d, rng.IntN(9), rng)
		out, err := d.Output.MinSize()
		require.NoError(t, err)
		for _, offsets := range corners(d, rng, 3) {
			want := bytes.Clone(b.dst[:out])
			oracle.Slice(moved(d, offsets), want, b.src)
			for _, kernel := range usableKernels() {
				p := newPlan(t, d, slice1.WithKernel(kernel))
				got := bytes.Clone(b.dst[:out])
				require.NoError(t, p.RunAt(got, b.src, offsets...), "%v %s", offsets, describe(d))
				require.Equal(t, want, got, "%s at %v of %s", kernel, offsets, describe(d))
				tested(t, kernel)
			}
		}
	}
}

// RunAt at other offsets does what the oracle does, by plans of several parts, on several
// goroutines and, if the kernel has them, with non-temporal stores.
func TestRunAtMovesLargeWindows(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	shape := []int{3, 1500, 1601}
	d := slice1.NewDesc(slice1.Uint16, shape, slice1.Window{
		Offsets: []int{0, 5, 6}, Sizes: []int{2, 1400, 1500}, Strides: []int{-1, 1, -1}, Out: []int{2, 1400, 1500},
	})
	src := randomBytes(2 * 3 * 1500 * 1601)
	for _, offsets := range [][]int{{0, 0, 0}, {1, 100, 101}, {1, 37, 64}} {
		want := make([]byte, 2*2*1400*1500)
		oracle.Slice(moved(d, offsets), want, src)
		for _, kernel := range usableKernels() {
			p := newPlan(t, d, slice1.WithKernel(kernel), slice1.WithStreaming(1))
			got := make([]byte, len(want))
			require.NoError(t, p.RunAt(got, src, offsets...))
			require.True(t, bytes.Equal(want, got), "%s at %v", kernel, offsets)
			tested(t, kernel)
		}
	}
}

func TestRunAtOfElements(t *testing.T) {
	d := slice1.NewDesc(slice1.Float32, []int{6}, slice1.Window{Offsets: []int{1}, Sizes: []int{3}, Strides: []int{-2}, Out: []int{2}})
	p := newPlan(t, d)
	dst := make([]float32, 2)
	require.NoError(t, slice1.RunAt(p, dst, []float32{0, 1, 2, 3, 4, 5}, 3))
	require.Equal(t, []float32{5, 3}, dst)
	requireDescError(t, slice1.RunAt(p, make([]float64, 2), make([]float64, 6), 3),
		fault{"", nil, "dst", -1, 8, 4, slice1.ErrDataType})
}

func TestRunAtChecksOffsets(t *testing.T) {
	d := valid() // extents 2 3 4 5, window 2 2 4 4
	for _, kernel := range usableKernels() {
		p := newPlan(t, d, slice1.WithKernel(kernel))
		for _, c := range []struct {
			offsets []int
			fault
		}{
			{nil, fault{"none", nil, "offsets", -1, 0, 4, slice1.ErrRank}},
			{[]int{0, 0, 0}, fault{"too few", nil, "offsets", -1, 3, 4, slice1.ErrRank}},
			{[]int{0, 0, 0, 0, 0}, fault{"too many", nil, "offsets", -1, 5, 4, slice1.ErrRank}},
			{[]int{1, 0, 0, 0}, fault{"no room", nil, "offsets", 0, 1, 0, slice1.ErrWindow}},
			{[]int{0, 2, 0, 0}, fault{"past the end", nil, "offsets", 1, 2, 1, slice1.ErrWindow}},
			{[]int{0, -1, 0, 0}, fault{"negative", nil, "offsets", 1, -1, 0, slice1.ErrWindow}},
			{[]int{0, 0, 0, math.MinInt}, fault{"most negative", nil, "offsets", 3, math.MinInt, 0, slice1.ErrWindow}},
			{[]int{0, 0, 0, math.MaxInt}, fault{"would wrap", nil, "offsets", 3, math.MaxInt, 1, slice1.ErrWindow}},
		} {
			src, dst := bytes.Repeat([]byte{1}, 480), make([]byte, 64)
			requireDescError(t, p.RunAt(dst, src, c.offsets...), c.fault)
			require.Equal(t, make([]byte, 64), dst, c.name)
		}
		// Buffers must hold whole tensors, wherever the window is.
		requireDescError(t, p.RunAt(make([]byte, 63), make([]byte, 480), 0, 0, 0, 0), fault{"", nil, "dst", -1, 63, 64, slice1.ErrBuffer})
		requireDescError(t, p.RunAt(make([]byte, 64), make([]byte, 479), 0, 0, 0, 0), fault{"", nil, "src", -1, 479, 480, slice1.ErrBuffer})
		requireDescError(t, p.RunAt(nil, nil, 0, 1, 0, 1), fault{"", nil, "dst", -1, 0, 64, slice1.ErrBuffer})
	}
}

// RunAt returns ErrOverlap exactly where the window at the given offsets meets the output.
func TestRunAtFindsOverlapWhereTheWindowIs(t *testing.T) {
	d := slice1.NewDesc(slice1.Uint8, []int{100}, slice1.Window{Offsets: []int{40}, Sizes: []int{20}, Strides: []int{-1}, Out: []int{20}})
	for _, kernel := range usableKernels() {
		p := newPlan(t, d, slice1.WithKernel(kernel))
		for at := 0; at <= 80; at++ {
			memory := randomBytes(100)
			before := bytes.Clone(memory)
			dst := memory[50:70]
			err := p.RunAt(dst, memory, at)
			if at+20 > 50 && at < 70 {
				shared := min(at+20, 70) - max(at, 50)
				requireDescError(t, err, fault{"", nil, "dst", -1, int64(shared), 0, slice1.ErrOverlap})
				require.Equal(t, before, memory)
				continue
			}
			require.NoError(t, err)
			want := bytes.Clone(before[at : at+20])
			slices.Reverse(want)
			require.Equal(t, want, dst)
		}
	}
}

// Goroutines share a plan, each with windows of its own.
func TestRunAtIsConcurrent(t *testing.T) {
	const n, size = 5000, 600
	d := slice1.NewDesc(slice1.Uint8, []int{n}, slice1.Window{Offsets: []int{0}, Sizes: []int{size}, Strides: []int{1}, Out: []int{size}})
	src := randomBytes(n)
	for _, kernel := range usableKernels() {
		p := newPlan(t, d, slice1.WithKernel(kernel))
		together(64, func(g int) {
			dst := make([]byte, size)
			for at := g; at <= n-size; at += 97 {
				if p.RunAt(dst, src, at) != nil || !bytes.Equal(src[at:at+size], dst) {
					t.Errorf("%s at %d", kernel, at)
					return
				}
			}
		})
	}
}

func TestRunAtContextLooksAtTheContext(t *testing.T) {
	p := newPlan(t, slice1.NewDesc(slice1.Uint8, []int{5}, window([]int{0}, []int{2}, []int{-1}, []int{2})))
	dst := make([]byte, 2)
	done, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, p.RunAtContext(done, dst, []byte("abcde"), 3), context.Canceled)
	require.ErrorIs(t, p.RunAtContext(done, dst, []byte("abcde"), 4), slice1.ErrWindow)
	require.Equal(t, []byte{0, 0}, dst)
	for _, ctx := range []context.Context{nil, context.Background()} {
		require.NoError(t, p.RunAtContext(ctx, dst, []byte("abcde"), 3))
		require.Equal(t, "ed", string(dst))
	}
}
