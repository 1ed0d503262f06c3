//go:build amd64 || arm64

package directml

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/slice1"
)

// wrong returns an error unless Run gives the same bytes as the CPU, and Dispatch the same output
// elements. p must be a plan of desc.
func (p *Plan) wrong(rng *rand.Rand, desc *slice1.Desc) error {
	src, dst := randomBytes(rng, p.geometry.SrcSize), randomBytes(rng, p.geometry.DstSize)
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
	in, err1 := p.device.NewBuffer(p.geometry.SrcSize)
	out, err2 := p.device.NewBuffer(p.geometry.DstSize)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	got := make([]byte, p.geometry.DstSize)
	if err := errors.Join(in.Upload(src), p.Dispatch(out, in), in.Close(), out.Download(got), out.Close()); err != nil {
		return err
	}
	for _, m := range samples.Moves(desc) {
		if got[m.Dst] != want[m.Dst] {
			return fmt.Errorf("wrong bytes dispatched: %v", p)
		}
	}
	return nil
}

// Eight goroutines use one device. In each round a goroutine makes its own plan and buffers and
// closes them. It also uses a plan that all share.
func TestDeviceIsSharedByEightGoroutines(t *testing.T) {
	d := openDevice(t)
	shared := slice1.Whole(slice1.Uint32, 50, 40)
	shared.WindowStrides = []int{-1, 1}
	sharedPlan, err := d.NewPlan(shared)
	require.NoError(t, err)
	const goroutines, rounds = 8, 25
	var wg sync.WaitGroup
	errs := make(chan error, goroutines*rounds)
	start := time.Now()
	round := func(rng *rand.Rand) error {
		desc := samples.RandomOfRank(rng, 1+rng.IntN(3))
		p, err := d.NewPlan(desc)
		if err != nil {
			return err
		}
		defer p.Close()
		if err := p.wrong(rng, desc); err != nil {
			return err
		}
		return sharedPlan.wrong(rng, shared)
	}
	for g := range goroutines {
		wg.Add(1)
		go func() {
			defer wg.Done()
			rng := rand.New(rand.NewPCG(13, uint64(g)))
			for range rounds {
				errs <- round(rng)
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

// A lane works as before after a list in it is given up.
func TestListsThatAreGivenUpLeaveTheLane(t *testing.T) {
	d := openDevice(t)
	given := errors.New("given up")
	for range 3 {
		require.Equal(t, given, d.withLane(context.Background(), func(l *lane) error {
			_, err := l.record(func(*slot) error { return given })
			return err
		}))
		require.Len(t, d.lanes, 1)
		require.Equal(t, 1, d.laneCount)
	}
	p, err := d.NewPlan(samples.Flipped(slice1.Uint8, 100))
	require.NoError(t, err)
	require.NoError(t, p.Run(make([]byte, 100), make([]byte, 100)))
	require.Len(t, d.lanes, 1)
}

// Plans of types of one width share an operator. It is released with the last of these plans.
func TestCompiledOperatorsAreShared(t *testing.T) {
	d := openDevice(t)
	a, err := d.NewPlan(samples.Flipped(slice1.Float32, 7, 9))
	require.NoError(t, err)
	with := d3d.Live()
	b, err := d.NewPlan(samples.Flipped(slice1.Int32, 7, 9))
	require.NoError(t, err)
	assert.Same(t, a.spans[0].compiled, b.spans[0].compiled)
	assert.Len(t, d.programs, 1)
	assert.Equal(t, with, d3d.Live())
	require.NoError(t, a.Close())
	require.NoError(t, b.Run(make([]byte, 252), make([]byte, 252)))
	assert.Len(t, d.programs, 1)
	with = d3d.Live()
	require.NoError(t, b.Close())
	assert.Empty(t, d.programs)
	assert.Less(t, d3d.Live(), with)
}

// While an operator is being compiled, only calls that compile wait for it. A context ends their
// wait.
func TestCompilingStopsNobody(t *testing.T) {
	d := openDevice(t)
	desc := samples.Flipped(slice1.Uint8, 100)
	p, err := d.NewPlan(desc)
	require.NoError(t, err)
	more, err := planOf(samples.Flipped(slice1.Uint8, 200), d.capability, d.mostElements)
	require.NoError(t, err)
	more.device = d
	d.compiling <- struct{}{} // like a slow compilation
	var wg sync.WaitGroup
	errs := make(chan error, 2*maxLanes)
	for range 2 * maxLanes {
		wg.Go(func() {
			_, err := d.NewPlan(samples.Flipped(slice1.Uint8, 300))
			errs <- err
		})
	}
	dst, src := make([]byte, 100), bytes.Repeat([]byte{1}, 100)
	for range 50 {
		require.NoError(t, p.Run(dst, src))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	assert.ErrorIs(t, more.RunContext(ctx, make([]byte, 200), make([]byte, 200)), context.DeadlineExceeded)
	assert.Len(t, errs, 0)
	<-d.compiling
	wg.Wait()
	for range 2 * maxLanes {
		require.NoError(t, <-errs)
	}
}

// One goroutine has as many dispatches under way as the lanes have slots, and does not wait.
func TestDispatchesAreUnderWayTogether(t *testing.T) {
	d := openDevice(t)
	p, err := d.NewPlan(samples.Flipped(slice1.Uint8, 100))
	require.NoError(t, err)
	in, err := d.NewBuffer(100)
	require.NoError(t, err)
	out, err := d.NewBuffer(100)
	require.NoError(t, err)
	require.NoError(t, p.Dispatch(out, in))
	require.NoError(t, out.Download(make([]byte, 100)))

	stuck, waits := d.submitted, 0
	var completed, notify uintptr
	completed = hook(t, d.fence.Object, 8, func(this uintptr) uintptr { // GetCompletedValue
		value, _, _ := syscall.SyscallN(completed, this)
		return min(value, uintptr(stuck)) // as if the adapter had done none of the dispatches
	})
	notify = hook(t, d.fence.Object, 9, func(this, value, event uintptr) uintptr { // SetEventOnCompletion
		waits++
		assert.Equal(t, stuck+1, uint64(value), "the first of those under way")
		stuck++
		r, _, _ := syscall.SyscallN(notify, this, value, event)
		return r
	})
	for range 2 * maxLanes {
		require.NoError(t, p.Dispatch(out, in))
	}
	assert.Zero(t, waits)
	assert.Len(t, d.lanes, maxLanes)
	for i := range 20 {
		require.NoError(t, p.Dispatch(out, in))
		assert.Equal(t, i+1, waits)
	}
	stuck = 1 << 62
}

func TestUseAfterCloseIsAnError(t *testing.T) {
	for name, desc := range map[string]*slice1.Desc{"operator": samples.Flipped(slice1.Uint8, 20), "copies": slice1.Whole(slice1.Uint8, 20)} {
		t.Run(name, func(t *testing.T) { useAfterClose(t, desc) })
	}
}

func useAfterClose(t *testing.T, desc *slice1.Desc) {
	d := openDevice(t)
	p, err := d.NewPlan(desc)
	require.NoError(t, err)
	open, err := d.NewPlan(desc)
	require.NoError(t, err)
	b, err := d.NewBuffer(20)
	require.NoError(t, err)
	left, err := d.NewBuffer(20)
	require.NoError(t, err)
	dst, src := make([]byte, 20), make([]byte, 20)

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
	foreign, err := other.NewBuffer(20)
	require.NoError(t, err)
	assert.ErrorIs(t, open.Dispatch(foreign, left), ErrForeign)

	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
	assert.ErrorIs(t, open.Run(dst, src), ErrClosed)
	assert.ErrorIs(t, open.Dispatch(left, b), ErrClosed)
	assert.ErrorIs(t, left.Upload(src), ErrClosed)
	_, err = d.NewPlan(desc)
	assert.ErrorIs(t, err, ErrClosed)
	_, err = d.NewBuffer(20)
	assert.ErrorIs(t, err, ErrClosed)
	require.NoError(t, errors.Join(open.Close(), left.Close(), p.Close(), b.Close()))
	assert.NotEmpty(t, d.Info().Adapter)
}

// A bad binding makes DirectML remove its device. The call returns ErrRemoved. So do later calls
// that need the device, and the first Device.Close. Another device works, unless a driver of
// Windows still holds the removed one.
func TestRemovedDeviceIsReported(t *testing.T) {
	live := d3d.Live()
	d := openDevice(t)
	p, err := d.NewPlan(samples.Flipped(slice1.Uint8, 64))
	require.NoError(t, err)
	b, err := d.NewBuffer(64)
	require.NoError(t, err)
	spoilt := *p.spans[0].compiled
	spoilt.op.Input.Total = 16 // how many bytes are bound; the operator needs 64
	err = d.withLane(context.Background(), func(l *lane) error {
		_, err := l.record(func(s *slot) error {
			if err := s.reserve(d, spoilt.descriptors); err != nil {
				return err
			}
			return s.dispatch(d, &spoilt, place{b.resource.Resource, 0}, place{b.resource.Resource, 0})
		})
		return err
	})
	require.ErrorIs(t, err, ErrRemoved)
	// Windows chooses which of the two devices reports the removal, and with which result.
	assert.Regexp(t, `^directml: device removed: (IDMLDevice|ID3D12Device)\.GetDeviceRemovedReason: ([A-Z0-9_]+|HRESULT 0x[0-9a-f]{8})$`, err.Error())

	dst := bytes.Repeat([]byte{7}, 64)
	assert.ErrorIs(t, p.Run(dst, make([]byte, 64)), ErrRemoved)
	assert.Equal(t, bytes.Repeat([]byte{7}, 64), dst)
	assert.ErrorIs(t, b.Upload(dst), ErrRemoved)
	assert.ErrorIs(t, b.Download(dst), ErrRemoved)
	assert.ErrorIs(t, d.Wait(context.Background()), ErrRemoved)
	_, err = d.NewPlan(slice1.Whole(slice1.Uint8, 65))
	assert.ErrorIs(t, err, ErrRemoved)
	_, err = d.NewBuffer(64)
	assert.ErrorIs(t, err, ErrRemoved)
	require.NoError(t, p.Close())
	assert.ErrorIs(t, d.Close(), ErrRemoved)
	assert.NoError(t, d.Close(), "and again")
	assert.Equal(t, live, d3d.Live(), "all is given back")

	if d, err = Open(machine(t)...); err != nil && !isWine() && strings.Contains(err.Error(), stillRemoved) {
		t.Logf("no other device: %v", err)
		return
	}
	require.NoError(t, err)
	defer d.Close()
	p, err = d.NewPlan(samples.Flipped(slice1.Uint8, 64))
	require.NoError(t, err)
	require.NoError(t, p.Run(dst, make([]byte, 64)))
	assert.Equal(t, make([]byte, 64), dst)
}

// calls counts calls of a method, for all objects of o's class, until the test ends.
func calls(t *testing.T, o d3d.Object, slot int, n *int) {
	var method uintptr
	method = hook(t, o, slot, func(this, a, b, c uintptr) uintptr {
		*n++
		r, _, _ := syscall.SyscallN(method, this, a, b, c)
		return r
	})
}

// A Dispatch, cut or not, is one list. For this list DirectML is asked once whether its device was
// removed.
func TestDispatchesAreOneListAndOneLook(t *testing.T) {
	d := openDevice(t)
	var lists, signals, removed, parts int
	calls(t, d.queue.Object, 10, &lists)   // ExecuteCommandLists
	calls(t, d.queue.Object, 14, &signals) // Signal
	calls(t, d.dml.Object, 15, &removed)   // GetDeviceRemovedReason, which may ask Direct3D's device
	for _, d.mostElements = range []int64{1 << 20, 20} {
		desc := samples.Flipped(slice1.Uint32, 30, 10)
		p, err := d.NewPlan(desc)
		require.NoError(t, err)
		in, err1 := d.NewBuffer(1200)
		out, err2 := d.NewBuffer(1200)
		src, dst := randomBytes(rand.New(rand.NewPCG(27, 27)), 1200), make([]byte, 1200)
		require.NoError(t, errors.Join(err1, err2, in.Upload(src), p.Dispatch(out, in)))
		lists, signals, removed = 0, 0, 0
		require.NoError(t, p.Dispatch(out, in))
		assert.Equal(t, []int{1, 1, 1}, []int{lists, signals, removed})
		require.NoError(t, out.Download(dst))
		require.Equal(t, onCPU(t, desc, dst, src), dst)
		assert.Equal(t, []int{2, 2, 2}, []int{lists, signals, removed})
		parts = len(p.parts)
	}
	assert.Equal(t, 15, parts)
}

// If operators have temporary memory, their parts wait for each other, since they share it.
func TestPartsWithTemporaryMemoryWait(t *testing.T) {
	d := openDevice(t)
	d.mostElements = 16
	p, err := d.NewPlan(samples.Flipped(slice1.Uint32, 64))
	require.NoError(t, err)
	in, err1 := d.NewBuffer(256)
	out, err2 := d.NewBuffer(256)
	require.NoError(t, errors.Join(err1, err2, p.Dispatch(out, in)))
	require.Len(t, p.parts, 4)
	waits, binds := 0, 0
	var lists d3d.Object
	require.NoError(t, d.withLane(context.Background(), func(l *lane) error {
		lists = l.slots[0].list.Object
		hook(t, l.slots[0].table.Object, d3d.BindTemporary, func(this, binding uintptr) uintptr { binds++; return 0 }) // the operator needs no temporary memory
		return nil
	}))
	var barrier uintptr
	barrier = hook(t, lists, 26, func(this, count uintptr, b *d3d.TransitionBarrier) uintptr { // ResourceBarrier
		if b.Kind == 2 && b.Resource == in.resource.P {
			waits++
		}
		r, _, _ := syscall.SyscallN(barrier, this, count, uintptr(unsafe.Pointer(b)))
		return r
	})
	for i := range p.parts {
		c := *p.parts[i].compiled
		c.temporary = scratch{in.resource.Resource, 16}
		was := p.parts[i].compiled
		p.parts[i].compiled = &c
		defer func() { p.parts[i].compiled = was }()
	}
	require.NoError(t, p.Dispatch(out, in))
	assert.Equal(t, []int{3, 4}, []int{waits, binds})
}

// Trim releases the memory that is kept for later calls, and later calls work.
func TestTrimReleasesWhatIsKept(t *testing.T) {
	d := openDevice(t)
	p, err := d.NewPlan(samples.Flipped(slice1.Uint8, 1000))
	require.NoError(t, err)
	d.Trim()
	live := d3d.Live()
	src, dst := randomBytes(rand.New(rand.NewPCG(28, 28)), 1000), make([]byte, 1000)
	for range 3 {
		require.NoError(t, p.Run(dst, src))
		require.Greater(t, d3d.Live(), live)
		d.Trim()
		assert.Equal(t, live, d3d.Live())
		assert.Zero(t, d.laneCount)
	}
	require.Equal(t, onCPU(t, samples.Flipped(slice1.Uint8, 1000), dst, src), dst)
	require.NoError(t, d.Close())
	d.Trim()
}
