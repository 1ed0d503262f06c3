//go:build amd64 || arm64

package directml

import (
	"bytes"
	"context"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/slice1"
)

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

	// No submission has this number yet, so the fence does not reach it.
	ctx, cancel = context.WithCancel(context.Background())
	err = d.withLane(ctx, func(l *lane) error {
		time.AfterFunc(20*time.Millisecond, cancel)
		return l.wait(d.submitted + 1)
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

// A context ends Download and Wait while the adapter does not get on. After either, the device
// works as before.
func TestDownloadAndWaitStopWaiting(t *testing.T) {
	d := openDevice(t)
	b, err := d.NewBuffer(2*chunk + 5)
	require.NoError(t, err)
	src := randomBytes(rand.New(rand.NewPCG(30, 30)), 2*chunk+5)
	require.NoError(t, b.Upload(src))
	var none context.Context
	require.NoError(t, d.Wait(none))
	require.Equal(t, d.submitted, d.fence.Completed())

	stuck := false
	var completed uintptr
	completed = hook(t, d.fence.Object, 8, func(this uintptr) uintptr { // GetCompletedValue
		value, _, _ := syscall.SyscallN(completed, this)
		if stuck {
			value = min(value, uintptr(d.submitted-1)) // as if the adapter did not finish the latest work
		}
		return value
	})
	dst := make([]byte, len(src))
	for name, call := range map[string]func(context.Context) error{
		"Wait":     d.Wait,
		"Download": func(ctx context.Context) error { return b.DownloadContext(ctx, dst[:chunk]) },
	} {
		stuck = true
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		assert.ErrorIs(t, call(ctx), context.DeadlineExceeded, name)
		cancel()
		for range maxLanes { // all turns are taken
			d.turns <- struct{}{}
		}
		ctx, cancel = context.WithTimeout(context.Background(), 20*time.Millisecond)
		assert.ErrorIs(t, call(ctx), context.DeadlineExceeded, name)
		cancel()
		for range maxLanes {
			<-d.turns
		}
		stuck = false
		require.NoError(t, call(context.Background()), name)
	}
	require.NoError(t, b.DownloadContext(context.Background(), dst))
	require.Equal(t, src, dst)
	require.NoError(t, d.Close())
	assert.ErrorIs(t, d.Wait(context.Background()), ErrClosed)
	assert.ErrorIs(t, b.DownloadContext(context.Background(), dst), ErrClosed)
}

// Wait covers work that others submit to the queue. After a failed Signal it works again.
func TestWaitIsForTheWholeQueue(t *testing.T) {
	d := openDevice(t)
	var signal uintptr
	var reached []uint64
	refuse := false
	signal = hook(t, d.queue.Object, 14, func(this, fence, value uintptr) uintptr { // Signal
		if refuse {
			return uintptr(d3d.OutOfMemory)
		}
		reached = append(reached, uint64(value))
		r, _, _ := syscall.SyscallN(signal, this, fence, value)
		return r
	})
	require.NoError(t, d.Wait(context.Background()))
	require.NoError(t, d.Wait(context.Background()))
	assert.Equal(t, []uint64{1, 2}, reached, "each has a number behind what the queue has")
	refuse = true
	assert.ErrorIs(t, d.Wait(context.Background()), ErrMemory)
	refuse = false
	require.NoError(t, d.Wait(context.Background()))
	assert.Equal(t, d.submitted, d.fence.Completed())
}

// A wait looks at the fence some times before it asks for the event.
func TestWaitsLookAtTheFenceFirst(t *testing.T) {
	d := openDevice(t)
	b, err := d.NewBuffer(4)
	require.NoError(t, err)
	require.NoError(t, b.Upload([]byte{1, 2, 3, 4}))
	require.NoError(t, b.Download(make([]byte, 4)))
	late, looked, asked := 0, 0, 0
	var completed uintptr
	completed = hook(t, d.fence.Object, 8, func(this uintptr) uintptr { // GetCompletedValue
		value, _, _ := syscall.SyscallN(completed, this)
		if value == uintptr(d.submitted) {
			if looked++; looked <= late {
				return value - 1
			}
		}
		return value
	})
	calls(t, d.fence.Object, 9, &asked) // SetEventOnCompletion
	number := d.submitted
	for looks, want := range map[int]int{0: 0, looks: 0, looks + 1: 1} {
		late, looked, asked = looks, 0, 0
		require.NoError(t, d.withLane(context.Background(), func(l *lane) error {
			looked = 0
			return l.wait(number)
		}))
		assert.Equal(t, want, asked, looks)
	}
	late = 0
}
