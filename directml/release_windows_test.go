//go:build amd64 || arm64

package directml

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/slice1"
)

// If memory is short, an allocation waits until the adapter has finished, releases what was closed,
// and tries once more. If that fails too, it returns the error.
func TestMemoryIsAskedForAgainWhenTheAdapterIsDone(t *testing.T) {
	d := openDevice(t)
	p, err := d.NewPlan(samples.Flipped(slice1.Uint8, 4<<20))
	require.NoError(t, err)
	refusals, asked, left := 0, 0, -1
	var create uintptr
	create = hook(t, d.d3d.Object, 27, func(this, properties, flags, desc, state, value, iid, out uintptr) uintptr { // CreateCommittedResource
		if asked++; asked <= refusals {
			return uintptr(d3d.OutOfMemory)
		}
		left = len(d.retired)
		r, _, _ := syscall.SyscallN(create, this, properties, flags, desc, state, value, iid, out)
		return r
	})
	for range 3 {
		in, err := d.NewBuffer(4 << 20)
		require.NoError(t, err)
		out, err := d.NewBuffer(4 << 20)
		require.NoError(t, err)
		require.NoError(t, p.Dispatch(out, in))
		require.NoError(t, in.Close(), "while the adapter may be at work on it")
		asked, refusals = 0, 1
		b, err := d.NewBuffer(1)
		refusals = 0
		require.NoError(t, err)
		assert.Equal(t, 2, asked)
		assert.Zero(t, left, "what was closed is not released")
		assert.GreaterOrEqual(t, d.fence.Completed(), d.submitted)
		require.NoError(t, b.Close())
	}
	asked, refusals = 0, 2
	_, err = d.NewBuffer(1)
	assert.ErrorIs(t, err, ErrMemory)
	assert.EqualError(t, err, "directml: ID3D12Device.CreateCommittedResource: E_OUTOFMEMORY")
	_, err = d.NewBuffer(1)
	assert.NoError(t, err, "the device is as good as before")
}

// Buffers are asked for without zeroing. If Windows does not know that flag, they are asked for
// with zeroing.
func TestBuffersAreNotZeroedWhereWindowsCan(t *testing.T) {
	d := openDevice(t)
	var asked []uintptr
	old := false
	var create uintptr
	create = hook(t, d.d3d.Object, 27, func(this, properties, flags, desc, state, value, iid, out uintptr) uintptr { // CreateCommittedResource
		asked = append(asked, flags&0xFFFFFFFF)
		if old && flags&0x1000 != 0 {
			return uintptr(d3d.InvalidArgument)
		}
		r, _, _ := syscall.SyscallN(create, this, properties, flags, desc, state, value, iid, out)
		return r
	})
	const notZeroed = 0x1000 // D3D12_HEAP_FLAG_CREATE_NOT_ZEROED
	b, err := d.NewBuffer(1)
	require.NoError(t, err)
	require.NoError(t, b.Close())
	assert.Equal(t, uintptr(notZeroed), asked[0])
	old, asked = true, nil
	b, err = d.NewBuffer(1)
	require.NoError(t, err)
	assert.Equal(t, []uintptr{notZeroed, 0}, asked)
	require.NoError(t, b.Upload([]byte{1}))
}

// Buffer.Close releases the memory at once if the adapter is idle.
func TestClosedMemoryIsGivenBackAtOnce(t *testing.T) {
	d := openDevice(t)
	b, err := d.NewBuffer(64 << 10)
	require.NoError(t, err)
	require.NoError(t, b.Upload([]byte{1}))
	require.NoError(t, b.Download(make([]byte, 1))) // this waits for the adapter
	with := d3d.Live()
	require.NoError(t, b.Close())
	assert.Equal(t, with-1, d3d.Live())
	assert.Empty(t, d.retired)
}

// If waiting for the fence fails, NewPlan and Close release nothing that the adapter may be
// using.
func TestNothingIsReleasedUnderTheAdapter(t *testing.T) {
	live := d3d.Live()
	d := openDevice(t)
	p, err := d.NewPlan(samples.Flipped(slice1.Uint8, 4<<20))
	require.NoError(t, err)
	in, err := d.NewBuffer(4 << 20)
	require.NoError(t, err)
	out, err := d.NewBuffer(4 << 20)
	require.NoError(t, err)

	// While slow is set, the fence has not reached the latest submission. While refuse is set,
	// waiting for it fails. early is set if Close releases objects before the adapter is done.
	slow, refuse, early, fence := false, false, false, d.fence
	var completed, notify, release uintptr
	completed = hook(t, fence.Object, 8, func(this uintptr) uintptr { // GetCompletedValue
		value, _, _ := syscall.SyscallN(completed, this)
		if slow {
			value = min(value, uintptr(d.submitted-1))
		}
		return value
	})
	notify = hook(t, fence.Object, 9, func(this, value, event uintptr) uintptr { // SetEventOnCompletion
		if refuse {
			return 0x80004005
		}
		r, _, _ := syscall.SyscallN(notify, this, value, event)
		return r
	})
	release = hook(t, d.recorder.Object, 2, func(this uintptr) uintptr { // Release
		early = early || fence.Completed() < d.submitted
		r, _, _ := syscall.SyscallN(release, this)
		return r
	})

	slow, refuse = true, true
	_, err = d.NewPlan(samples.Flipped(slice1.Uint8, 100))
	assert.EqualError(t, err, "directml: ID3D12Fence.SetEventOnCompletion: E_FAIL")
	var kept []string
	for _, r := range d.retired {
		kept = append(kept, fmt.Sprintf("%T", r.object))
	}
	assert.Equal(t, []string{"*d3d.Dispatchable", "*directml.compiled"}, kept)
	slow, refuse = false, false

	require.NoError(t, p.Dispatch(out, in))
	refuse = true
	require.NoError(t, d.Close(), "it waits nevertheless")
	assert.False(t, early)
	assert.Equal(t, live, d3d.Live())
}

// If Signal fails after a list is submitted, the objects that the list uses stay until a later
// submission shows that the adapter has finished both.
func TestNothingIsReleasedIfSignalFails(t *testing.T) {
	d := openDevice(t)
	p, err := d.NewPlan(samples.Flipped(slice1.Uint8, 64))
	require.NoError(t, err)
	in, err := d.NewBuffer(64)
	require.NoError(t, err)
	out, err := d.NewBuffer(64)
	require.NoError(t, err)
	refuse := false
	var signal uintptr
	signal = hook(t, d.queue.Object, 14, func(this, fence, value uintptr) uintptr { // Signal
		if refuse {
			return uintptr(d3d.OutOfMemory)
		}
		r, _, _ := syscall.SyscallN(signal, this, fence, value)
		return r
	})
	refuse = true
	assert.EqualError(t, p.Dispatch(out, in), "directml: ID3D12CommandQueue.Signal: E_OUTOFMEMORY")
	assert.Empty(t, d.lanes, "the lane's list may be at work")
	require.NoError(t, out.Close())
	require.NoError(t, p.Close())
	kept := len(d.retired)
	assert.GreaterOrEqual(t, kept, 4) // the lane, two references to buffers, the operator
	refuse = false
	require.NoError(t, in.Download(make([]byte, 64)))
	d.collect()
	assert.Empty(t, d.retired)
	refuse = true
	assert.Error(t, in.Download(make([]byte, 64)))
	refuse = false
	require.NoError(t, d.Close(), "it signals again")
}
