//go:build amd64 || arm64

package directml

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// openDevice opens a device on the DLL that DIRECTML_DLL names, and the test
// fails if it can not. Without the variable it takes what the machine has and
// skips the test where it has none.
func openDevice(t *testing.T, opts ...Option) *Device {
	t.Helper()
	path := os.Getenv("DIRECTML_DLL")
	d, err := Open(append([]Option{WithSoftware(), WithDLL(path)}, opts...)...)
	if path == "" && errors.Is(err, errors.ErrUnsupported) {
		t.Skip("DIRECTML_DLL is not set and the machine has no device: ", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	return d
}

func randomBytes(rng *rand.Rand, n int64) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// onCPU returns what a run leaves of dst.
func onCPU(t *testing.T, d *slice1.Desc, dst, src []byte) []byte {
	t.Helper()
	p, err := slice1.NewPlan(d)
	require.NoError(t, err)
	want := bytes.Clone(dst)
	require.NoError(t, p.Run(want, src))
	return want
}

// The worked examples of the operator's documentation, first of all: a wrong
// driver returns success with wrong bytes.
func TestKnownAnswer(t *testing.T) {
	d := openDevice(t)
	info := d.Info()
	t.Logf("DirectML %s on %s (software: %v), feature level %s, data types %v",
		info.Version, info.Adapter, info.Software, levelName(info.FeatureLevel), info.DataTypes)
	require.NotEmpty(t, info.Adapter)
	require.GreaterOrEqual(t, info.FeatureLevel, slice1.FeatureLevel2_1)
	list, err := Adapters()
	require.NoError(t, err)
	names := map[string]bool{}
	for i, a := range list {
		require.Equal(t, i, a.Index)
		names[a.Name] = true
	}
	require.Contains(t, names, info.Adapter)
	src := make([]byte, 16)
	for i := range src {
		src[i] = byte(i + 1)
	}
	for stride, want := range map[int][]byte{2: {2, 4, 10, 12}, -2: {14, 16, 6, 8}} {
		for dtype := slice1.Float32; dtype <= slice1.Int64; dtype++ {
			desc := slice1.NewDesc(dtype, []int{4, 4}, slice1.Window{Offsets: []int{0, 1}, Sizes: []int{4, 3}, Strides: []int{stride, 2}, Out: []int{2, 2}})
			p, err := d.NewPlan(desc)
			require.NoError(t, err)
			size := dtype.Size()
			dst := make([]byte, 4*size)
			require.NoError(t, p.Run(dst, spread(src, size)))
			require.Equal(t, spread(want, size), dst, "%v", dtype)
			require.NoError(t, p.Close())
		}
	}
}

// spread makes elements of each value's byte repeated.
func spread(values []byte, size int) (all []byte) {
	for _, v := range values {
		all = append(all, bytes.Repeat([]byte{v}, size)...)
	}
	return all
}

// Runs on host memory and dispatches on the adapter's give what the CPU gives,
// gaps and bytes past the tensors included, whatever level a descriptor is
// translated for: a device takes what older ones take.
func TestResultsAreTheCPUs(t *testing.T) {
	d := openDevice(t)
	rng := rand.New(rand.NewPCG(10, 10))
	const runs = 600
	var levels []capability
	for _, c := range capabilities {
		if c.level <= d.capability.level && c.types&^d.capability.types == 0 {
			levels = append(levels, c)
		}
	}
	require.NotEmpty(t, levels)
	start := time.Now()
	executed, dispatched, gaps, partial, kept := 0, 0, 0, 0, 0
	ranks, widths := map[int]int{}, map[int]int{}
	for range runs {
		desc := randomDesc(rng)
		g := geometryOf(desc)
		src := randomBytes(rng, g.srcSize+rng.Int64N(9))
		before := randomBytes(rng, g.dstSize+rng.Int64N(9))
		want := onCPU(t, desc, before, src)
		ranks[len(desc.Input.Sizes)]++
		widths[desc.Input.DataType.Size()]++
		if g.gaps {
			gaps++
		}
		for i, m := range desc.Output.Sizes {
			if m <= (desc.WindowSizes[i]-1)/max(desc.WindowStrides[i], -desc.WindowStrides[i]) {
				partial++
				break
			}
		}

		in, err := d.NewBuffer(int64(len(src)))
		require.NoError(t, err)
		out, err := d.NewBuffer(int64(len(before)))
		require.NoError(t, err)
		require.NoError(t, in.Upload(src))
		tried := map[operator]bool{}
		for _, c := range levels {
			op, err := translate(desc, c)
			if errors.Is(err, slice1.ErrRank) {
				continue
			}
			require.NoError(t, err)
			if tried[op] {
				continue
			}
			tried[op] = true
			p, err := d.planOf(op, desc)
			require.NoError(t, err, "%v: %v", c, &op)
			dst := bytes.Clone(before)
			require.NoError(t, p.Run(dst, src))
			require.True(t, bytes.Equal(want, dst), "%v\n%v\nwant %v\ngot  %v", describe(desc), p, want, dst)
			executed++

			require.NoError(t, out.Upload(before))
			require.NoError(t, p.Dispatch(out, in))
			got := make([]byte, len(before))
			require.NoError(t, out.Download(got))
			for _, m := range movesOf(desc) {
				require.Equal(t, want[m.dst], got[m.dst], "dispatched: %v\n%v", describe(desc), p)
			}
			dispatched++
			if bytes.Equal(want, got) {
				kept++
			}
			require.NoError(t, p.Close())
		}
		require.NoError(t, in.Close())
		require.NoError(t, out.Close())
	}
	t.Logf("results: %d descriptors (%d with gaps in the output, %d with partial outputs), %d runs and %d dispatches equal to the CPU's, %d of the dispatches kept all gaps; by rank %v, by width %v; %v",
		runs, gaps, partial, executed, dispatched, kept, ranks, widths, time.Since(start).Round(time.Millisecond))
	for rank := 1; rank <= maxRank; rank++ {
		assert.Greater(t, ranks[rank], 20)
	}
	assert.Len(t, widths, 4)
	assert.Greater(t, gaps, 50)
	assert.Greater(t, partial, 100)
}

// Outputs smaller than their window yields, over rows that chain in memory.
// Given the window as it is, DirectML 1.15.4 copies wrong elements; given the
// smallest that yields the output it is right.
func TestPartialOutputsNeedTheSmallestWindow(t *testing.T) {
	d := openDevice(t)
	src := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	faults := 0
	for _, c := range []struct {
		window, out []int
		right, dll  []byte
	}{
		{[]int{4, 3}, []int{2, 2}, []byte{0, 1, 3, 4}, []byte{0, 1, 2, 3}},
		{[]int{2, 3}, []int{2, 2}, []byte{0, 1, 3, 4}, []byte{0, 1, 2, 3}},
		{[]int{4, 3}, []int{4, 2}, []byte{0, 1, 3, 4, 6, 7, 9, 10}, []byte{0, 1, 2, 3, 4, 5, 6, 7}},
		{[]int{4, 3}, []int{2, 1}, []byte{0, 3}, []byte{0, 1}},
		{[]int{2, 2}, []int{2, 2}, []byte{0, 1, 3, 4}, []byte{0, 1, 3, 4}},
	} {
		desc := slice1.NewDesc(slice1.Uint8, []int{4, 3}, slice1.Window{Offsets: []int{0, 0}, Sizes: c.window, Strides: []int{1, 1}, Out: c.out})
		op, err := translate(desc, d.capability)
		require.NoError(t, err)
		run := func(op operator) []byte {
			p, err := d.planOf(op, desc)
			require.NoError(t, err)
			defer p.Close()
			dst := make([]byte, len(c.right))
			require.NoError(t, p.Run(dst, src))
			return dst
		}
		require.Equal(t, c.right, run(op))
		for i, w := range c.window {
			op.windows[i] = uint32(w)
		}
		got := run(op)
		if !bytes.Equal(c.right, got) {
			faults++
		}
		switch d.Info().Version {
		case "1.15.2", "1.15.4":
			require.Equal(t, c.dll, got, "the fault has changed")
		}
	}
	t.Logf("partial outputs: DirectML %s is wrong on %d of 5 windows left as they are, on none of 5 made smallest", d.Info().Version, faults)
}

// Data that stays on the adapter through any number of slices, handed over
// without a wait.
func TestDispatchesChain(t *testing.T) {
	d := openDevice(t)
	rng := rand.New(rand.NewPCG(11, 11))
	links := 0
	for range 40 {
		dtype := slice1.DataType(1 + rng.IntN(11))
		shape := []int{6 + rng.IntN(20), 6 + rng.IntN(20), 6 + rng.IntN(10)}
		size := int64(shape[0] * shape[1] * shape[2] * dtype.Size())
		data := randomBytes(rng, size)
		from, err := d.NewBuffer(size)
		require.NoError(t, err)
		to, err := d.NewBuffer(size)
		require.NoError(t, err)
		require.NoError(t, from.Upload(data))
		want := data
		var plans []*Plan
		for range 1 + rng.IntN(8) {
			w := slice1.Window{}
			for _, n := range shape {
				stride := []int{1, -1, -1, 2}[rng.IntN(4)]
				if n < 4 {
					stride = -1
				}
				w.Offsets, w.Sizes, w.Strides = append(w.Offsets, 0), append(w.Sizes, n), append(w.Strides, stride)
				w.Out = append(w.Out, 1+(n-1)/max(stride, -stride))
			}
			desc := slice1.NewDesc(dtype, shape, w)
			p, err := d.NewPlan(desc)
			require.NoError(t, err)
			require.NoError(t, p.Dispatch(to, from))
			want = onCPU(t, desc, make([]byte, size), want)
			shape = w.Out
			from, to = to, from
			plans = append(plans, p)
			links++
		}
		for _, p := range plans {
			require.NoError(t, p.Close(), "while the adapter may be at work on it")
		}
		require.NoError(t, to.Close(), "while the adapter may be at work on it")
		n := int64(shape[0] * shape[1] * shape[2] * dtype.Size())
		got := make([]byte, n)
		require.NoError(t, from.Download(got))
		require.True(t, bytes.Equal(want[:n], got))
		require.NoError(t, from.Close())
	}
	t.Logf("chains: 40 of %d dispatches in all, equal to the CPU's", links)
}

// Slices larger than what is staged at once, in either direction, with gaps
// and without.
func TestLargeSlicesAreStagedInChunks(t *testing.T) {
	d := openDevice(t)
	rng := rand.New(rand.NewPCG(12, 12))
	for name, desc := range map[string]*slice1.Desc{
		"both ways": {
			Input: slice1.TensorDesc{DataType: slice1.Uint16, Sizes: []int{5000, 4001}}, Output: slice1.TensorDesc{DataType: slice1.Uint16, Sizes: []int{5000, 4001}},
			WindowOffsets: []int{0, 0}, WindowSizes: []int{5000, 4001}, WindowStrides: []int{-1, -1},
		},
		"there, little back": {
			Input: slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{2<<24 + 7}}, Output: slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{3}},
			WindowOffsets: []int{1}, WindowSizes: []int{2<<24 + 5}, WindowStrides: []int{1 << 24},
		},
		"back with gaps": {
			Input:         slice1.TensorDesc{DataType: slice1.Uint32, Sizes: []int{40, 250}},
			Output:        slice1.TensorDesc{DataType: slice1.Uint32, Sizes: []int{40, 250}, Strides: []int{1 << 17, 3}},
			WindowOffsets: []int{0, 0}, WindowSizes: []int{40, 250}, WindowStrides: []int{1, -1},
		},
	} {
		g := geometryOf(desc)
		src, before := randomBytes(rng, g.srcSize), randomBytes(rng, g.dstSize+3)
		want := onCPU(t, desc, before, src)
		p, err := d.NewPlan(desc)
		require.NoError(t, err)
		dst := bytes.Clone(before)
		require.NoError(t, p.Run(dst, src))
		require.True(t, bytes.Equal(want, dst), name)

		in, err := d.NewBuffer(g.srcSize)
		require.NoError(t, err)
		require.NoError(t, in.Upload(src))
		clear(dst)
		require.NoError(t, in.Download(dst[:min(len(dst), len(src))]))
		n := min(len(dst), len(src))
		require.True(t, bytes.Equal(src[:n], dst[:n]), name)
		require.NoError(t, in.Close())
		require.NoError(t, p.Close())
	}
}

// Eight goroutines on one device, with plans of their own and one they share,
// buffers, and plans that are closed and made again.
func TestDeviceIsSharedByEightGoroutines(t *testing.T) {
	d := openDevice(t)
	shared := whole(slice1.Uint32, 50, 40)
	shared.WindowStrides = []int{-1, 1}
	sharedPlan, err := d.NewPlan(shared)
	require.NoError(t, err)
	const goroutines, rounds = 8, 25
	var wg sync.WaitGroup
	errs := make(chan error, goroutines*rounds)
	start := time.Now()
	for g := range goroutines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			rng := rand.New(rand.NewPCG(13, uint64(g)))
			for range rounds {
				errs <- func() error {
					desc := randomDescOfRank(rng, 1+rng.IntN(3))
					p, err := d.NewPlan(desc)
					if err != nil {
						return err
					}
					defer p.Close()
					for p, desc := range map[*Plan]*slice1.Desc{p: desc, sharedPlan: shared} {
						src, dst := randomBytes(rng, p.srcSize), randomBytes(rng, p.dstSize)
						cpu, err := slice1.NewPlan(desc)
						if err != nil {
							return err
						}
						want := bytes.Clone(dst)
						if err := errors.Join(cpu.Run(want, src), p.Run(dst, src)); err != nil {
							return err
						}
						if !bytes.Equal(want, dst) {
							return fmt.Errorf("wrong bytes: %v", p)
						}
						in, err1 := d.NewBuffer(p.srcSize)
						out, err2 := d.NewBuffer(p.dstSize)
						if err := errors.Join(err1, err2); err != nil {
							return err
						}
						got := make([]byte, p.dstSize)
						if err := errors.Join(in.Upload(src), p.Dispatch(out, in), in.Close(), out.Download(got), out.Close()); err != nil {
							return err
						}
						for _, m := range movesOf(desc) {
							if got[m.dst] != want[m.dst] {
								return fmt.Errorf("wrong bytes dispatched: %v", p)
							}
						}
					}
					return nil
				}()
			}
		}()
	}
	wg.Wait()
	close(errs)
	n := 0
	for err := range errs {
		require.NoError(t, err)
		n++
	}
	t.Logf("concurrency: %d rounds on %d goroutines, 4 results each, all equal to the CPU's; %v", n, goroutines, time.Since(start).Round(time.Millisecond))
	require.Equal(t, goroutines*rounds, n)
}

// A context ends the wait for a turn and for the adapter.
func TestRunContextStopsWaiting(t *testing.T) {
	d := openDevice(t)
	p, err := d.NewPlan(whole(slice1.Uint8, 100))
	require.NoError(t, err)
	src, dst := bytes.Repeat([]byte{1}, 100), make([]byte, 100)

	for range maxLanes { // all turns are taken
		d.turns <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	assert.ErrorIs(t, p.RunContext(ctx, dst, src), context.DeadlineExceeded)
	cancel()
	for range maxLanes {
		<-d.turns
	}

	// The adapter is not going to reach this number until it is told to.
	ctx, cancel = context.WithCancel(context.Background())
	err = d.do(context.Background(), func(l *lane) error {
		time.AfterFunc(20*time.Millisecond, cancel)
		return l.wait(ctx, d, d.submitted+1)
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, make([]byte, 100), dst)
	require.NoError(t, p.Run(dst, src), "and the lane is as good as before")
	assert.Equal(t, src, dst)

	// A context done at any moment leaves dst whole or untouched, and the device usable.
	for i := range 30 {
		clear(dst)
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i)*100*time.Microsecond)
		if err := p.RunContext(ctx, dst, src); err == nil {
			assert.Equal(t, src, dst)
		} else {
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, make([]byte, 100), dst)
		}
		cancel()
	}
}

func TestCompiledPlansAreKept(t *testing.T) {
	d := openDevice(t)
	a, err := d.NewPlan(whole(slice1.Float32, 7, 9))
	require.NoError(t, err)
	b, err := d.NewPlan(whole(slice1.Int32, 7, 9))
	require.NoError(t, err)
	assert.Same(t, a.compiled, b.compiled, "types of one width share an operator")
	require.NoError(t, a.Close())
	require.NoError(t, b.Run(make([]byte, 252), make([]byte, 252)))
	require.NoError(t, b.Close())
	again, err := d.NewPlan(whole(slice1.Uint32, 7, 9))
	require.NoError(t, err)
	assert.Same(t, a.compiled, again.compiled, "kept though no plan had it")
	require.NoError(t, again.Close())

	before := liveObjects.Load()
	for n := range maxIdlePrograms + 20 {
		p, err := d.NewPlan(whole(slice1.Uint8, 2+n))
		require.NoError(t, err)
		require.NoError(t, p.Close())
	}
	assert.Len(t, d.programs, maxIdlePrograms)
	assert.NotContains(t, d.programs, a.op, "the one used longest ago goes first")
	buffer, err := d.NewBuffer(1) // collects what is retired
	require.NoError(t, err)
	assert.LessOrEqual(t, liveObjects.Load()-before, int64(maxIdlePrograms))
	require.NoError(t, buffer.Close())
}

func TestScratchMemoryIsBounded(t *testing.T) {
	d := openDevice(t)
	var held []scratch
	for range 12 {
		s, err := d.borrow(33 << 20)
		require.NoError(t, err)
		require.Equal(t, int64(48<<20), s.size)
		held = append(held, s)
	}
	for _, s := range held {
		d.giveBack(s)
	}
	assert.Len(t, d.idle, 5)
	assert.Equal(t, int64(5*48<<20), d.idleBytes)
	s, err := d.borrow(34 << 20)
	require.NoError(t, err)
	assert.Len(t, d.idle, 4, "taken again")
	d.giveBack(s)
}

func TestUseAfterCloseIsAnError(t *testing.T) {
	d := openDevice(t)
	desc := whole(slice1.Uint8, 4)
	p, err := d.NewPlan(desc)
	require.NoError(t, err)
	open, err := d.NewPlan(desc)
	require.NoError(t, err)
	b, err := d.NewBuffer(4)
	require.NoError(t, err)
	left, err := d.NewBuffer(4)
	require.NoError(t, err)
	dst, src := make([]byte, 4), make([]byte, 4)

	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	assert.ErrorIs(t, p.Run(dst, src), ErrClosed)
	assert.ErrorIs(t, p.Dispatch(b, left), ErrClosed)
	require.NoError(t, b.Close())
	require.NoError(t, b.Close())
	assert.ErrorIs(t, b.Upload(src), ErrClosed)
	assert.ErrorIs(t, b.Download(dst), ErrClosed)
	assert.ErrorIs(t, open.Dispatch(left, b), ErrClosed)
	assert.ErrorIs(t, open.Dispatch(b, left), ErrClosed)
	require.NoError(t, open.Run(dst, src))

	other := openDevice(t)
	foreign, err := other.NewBuffer(4)
	require.NoError(t, err)
	assert.ErrorIs(t, open.Dispatch(foreign, left), ErrForeign)

	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	assert.ErrorIs(t, open.Run(dst, src), ErrClosed)
	assert.ErrorIs(t, open.Dispatch(left, b), ErrClosed)
	assert.ErrorIs(t, left.Upload(src), ErrClosed)
	_, err = d.NewPlan(desc)
	assert.ErrorIs(t, err, ErrClosed)
	_, err = d.NewBuffer(4)
	assert.ErrorIs(t, err, ErrClosed)
	require.NoError(t, errors.Join(open.Close(), left.Close(), p.Close(), b.Close()))
	assert.NotEmpty(t, d.Info().Adapter)
}

// Bad bindings are how to have DirectML remove its device without a driver's
// help. All that follows says so, nothing hangs, and another device works.
func TestRemovedDeviceIsReported(t *testing.T) {
	live := liveObjects.Load()
	d := openDevice(t)
	p, err := d.NewPlan(whole(slice1.Uint8, 64))
	require.NoError(t, err)
	b, err := d.NewBuffer(64)
	require.NoError(t, err)
	spoilt := *p.compiled
	spoilt.op.in.total = 16 // bound, of 64
	err = d.do(context.Background(), func(l *lane) error {
		_, err := l.record(context.Background(), func(s *slot) error {
			return s.dispatch(d, &spoilt, b.resource, b.resource)
		})
		return err
	})
	require.ErrorIs(t, err, ErrRemoved)
	assert.ErrorIs(t, err, deviceRemoved)
	assert.EqualError(t, err, "directml: device removed: IDMLDevice.GetDeviceRemovedReason: DXGI_ERROR_DEVICE_REMOVED")

	dst := bytes.Repeat([]byte{7}, 64)
	assert.ErrorIs(t, p.Run(dst, make([]byte, 64)), ErrRemoved)
	assert.Equal(t, bytes.Repeat([]byte{7}, 64), dst)
	assert.ErrorIs(t, b.Upload(dst), ErrRemoved)
	assert.ErrorIs(t, b.Download(dst), ErrRemoved)
	_, err = d.NewPlan(whole(slice1.Uint8, 65))
	assert.ErrorIs(t, err, ErrRemoved)
	_, err = d.NewBuffer(64)
	assert.ErrorIs(t, err, ErrRemoved)
	require.NoError(t, p.Close())
	assert.ErrorIs(t, d.Close(), ErrRemoved)
	assert.NoError(t, d.Close(), "and again")
	assert.Equal(t, live, liveObjects.Load(), "all is given back")

	p, err = openDevice(t).NewPlan(whole(slice1.Uint8, 64))
	require.NoError(t, err)
	require.NoError(t, p.Run(dst, make([]byte, 64)))
	assert.Equal(t, make([]byte, 64), dst)
}
