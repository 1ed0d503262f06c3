//go:build amd64 || arm64

package directml

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/samples"
	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

// wrong returns an error unless Run gives the bytes that the CPU gives, and Dispatch the
// output elements. p must be a plan of desc.
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

// Eight goroutines use one device. In each round a goroutine makes a plan and buffers of its
// own and closes them, and uses a plan that all share.
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

// A context ends the wait for a turn and the wait for the adapter. After either, the device
// works as before.
func TestRunContextStopsWaiting(t *testing.T) {
	d := openDevice(t)
	p, err := d.NewPlan(slice1.Whole(slice1.Uint8, 100))
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

	// No submission has this number yet, so that the fence does not reach it.
	ctx, cancel = context.WithCancel(context.Background())
	err = d.do(context.Background(), func(l *lane) error {
		time.AfterFunc(20*time.Millisecond, cancel)
		return l.wait(ctx, d, d.submitted+1)
	})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, make([]byte, 100), dst)
	require.NoError(t, p.Run(dst, src), "and the lane is as good as before")
	assert.Equal(t, src, dst)

	// The output is one chunk: a context that ends at any moment leaves dst whole or untouched.
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
	a, err := d.NewPlan(samples.Flipped(slice1.Float32, 7, 9))
	require.NoError(t, err)
	first := a.held[0]
	b, err := d.NewPlan(samples.Flipped(slice1.Int32, 7, 9))
	require.NoError(t, err)
	assert.Same(t, first, b.held[0], "types of one width share an operator")
	require.NoError(t, a.Close())
	require.NoError(t, b.Run(make([]byte, 252), make([]byte, 252)))
	require.NoError(t, b.Close())
	again, err := d.NewPlan(samples.Flipped(slice1.Uint32, 7, 9))
	require.NoError(t, err)
	assert.Same(t, first, again.held[0], "kept though no plan had it")
	require.NoError(t, again.Close())

	before := d3d.Live()
	for n := range maxIdlePrograms + 20 {
		p, err := d.NewPlan(samples.Flipped(slice1.Uint8, translate.MaxRuns+1+n))
		require.NoError(t, err)
		require.NoError(t, p.Close())
	}
	assert.Len(t, d.programs, maxIdlePrograms)
	assert.NotContains(t, d.programs, first.op, "the one used longest ago goes first")
	assert.LessOrEqual(t, d3d.Live()-before, int64(maxIdlePrograms))
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

// A bad binding makes DirectML remove its device. The call returns ErrRemoved, later calls that
// need the device and the first Device.Close do, too, and another device works.
func TestRemovedDeviceIsReported(t *testing.T) {
	live := d3d.Live()
	d := openDevice(t)
	p, err := d.NewPlan(samples.Flipped(slice1.Uint8, 64))
	require.NoError(t, err)
	b, err := d.NewBuffer(64)
	require.NoError(t, err)
	spoilt := *p.held[0]
	spoilt.op.In.Total = 16 // bytes that are bound, where the operator needs 64
	err = d.do(context.Background(), func(l *lane) error {
		_, err := l.record(context.Background(), func(s *slot) error {
			return s.dispatch(d, &spoilt, place{b.resource, 0}, place{b.resource, 0})
		})
		return err
	})
	require.ErrorIs(t, err, ErrRemoved)
	// Windows chooses which of the two devices reports the removal, and with which result.
	assert.Regexp(t, `^directml: device removed: (IDMLDevice|ID3D12Device)\.GetDeviceRemovedReason: [A-Z_]+$`, err.Error())

	dst := bytes.Repeat([]byte{7}, 64)
	assert.ErrorIs(t, p.Run(dst, make([]byte, 64)), ErrRemoved)
	assert.Equal(t, bytes.Repeat([]byte{7}, 64), dst)
	assert.ErrorIs(t, b.Upload(dst), ErrRemoved)
	assert.ErrorIs(t, b.Download(dst), ErrRemoved)
	_, err = d.NewPlan(slice1.Whole(slice1.Uint8, 65))
	assert.ErrorIs(t, err, ErrRemoved)
	_, err = d.NewBuffer(64)
	assert.ErrorIs(t, err, ErrRemoved)
	require.NoError(t, p.Close())
	assert.ErrorIs(t, d.Close(), ErrRemoved)
	assert.NoError(t, d.Close(), "and again")
	assert.Equal(t, live, d3d.Live(), "all is given back")

	p, err = openDevice(t).NewPlan(samples.Flipped(slice1.Uint8, 64))
	require.NoError(t, err)
	require.NoError(t, p.Run(dst, make([]byte, 64)))
	assert.Equal(t, make([]byte, 64), dst)
}
