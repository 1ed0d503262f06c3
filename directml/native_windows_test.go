//go:build amd64 || arm64

package directml

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

// stranger is another user of a Device's adapter. From the Device it has only what Native gives. It
// has its own DirectML device, operator and command list.
type stranger struct {
	list    d3d.List
	release []releaser
}

// object returns the COM object at an address.
func object(at unsafe.Pointer) d3d.Object { return d3d.Object{P: (*d3d.COM)(at)} }

// own makes the stranger release what in the end, before everything that it already has. It returns
// err.
func (s *stranger) own(what releaser, err error) error {
	s.release = append([]releaser{what}, s.release...)
	return err
}

// record records the stranger's operator, which reverses n bytes, in a list.
func (s *stranger) record(native Native, n int, dst, src *Buffer) error {
	library, err := d3d.LoadDirectML(os.Getenv("DIRECTML_DLL"))
	if err != nil {
		return err
	}
	device := d3d.Device{Object: object(native.Direct3D)}
	dml, err := library.CreateDevice(device, false)
	if err := s.own(&dml, err); err != nil {
		return err
	}
	op, err := translate.OperatorOf(samples.Flipped(slice1.Uint8, n), translate.Capability(samples.Newest))
	if err != nil {
		return err
	}
	operator, err := dml.CreateOperator(&newOperatorCall(&op).desc)
	if err := s.own(&operator, err); err != nil {
		return err
	}
	compiled, err := dml.Compile(operator)
	if err := s.own(&compiled, err); err != nil {
		return err
	}
	initializer, err := dml.CreateInitializer(compiled)
	if err := s.own(&initializer, err); err != nil {
		return err
	}
	recorder, err := dml.CreateRecorder()
	if err := s.own(&recorder, err); err != nil {
		return err
	}
	once, each := max(initializer.Properties().Descriptors, 1), compiled.Properties().Descriptors
	heap, err := device.CreateDescriptorHeap(once + each)
	if err := s.own(&heap, err); err != nil {
		return err
	}
	cpu, gpu := heap.Start()
	table, err := dml.CreateTable(d3d.BindingTableDesc{Dispatchable: initializer.P, CPUHandle: cpu, GPUHandle: gpu, Size: once})
	if err := s.own(&table, err); err != nil {
		return err
	}
	allocator, err := device.CreateAllocator()
	if err := s.own(&allocator, err); err != nil {
		return err
	}
	s.list, err = device.CreateList(allocator)
	if err := s.own(&s.list, err); err != nil {
		return err
	}
	s.list.SetDescriptorHeap(heap)
	recorder.Dispatch(s.list, initializer, table)
	behind := once * device.DescriptorIncrement()
	if err := table.Reset(d3d.BindingTableDesc{Dispatchable: compiled.P, CPUHandle: cpu + uintptr(behind), GPUHandle: gpu + uint64(behind), Size: each}); err != nil {
		return err
	}
	for slot, b := range map[int]*Buffer{d3d.BindInputs: src, d3d.BindOutputs: dst} {
		resource, offset := b.Native()
		table.Bind(slot, d3d.Resource{Object: object(resource)}, uint64(offset), op.Input.Total)
	}
	recorder.Dispatch(s.list, compiled, table)
	return errors.Join(s.list.Close(), dml.RemovedReason())
}

// Another DirectML device executes its operator on the queue and the buffers that Native gives. It
// runs after earlier dispatches and before later ones, without a wait.
func TestNativeObjectsTakeTheWorkOfOthers(t *testing.T) {
	d := openDevice(t)
	const n = 1 << 20
	thin := slice1.Whole(slice1.Uint8, n)
	thin.WindowStrides[0], thin.Output.Sizes[0] = 4, n/4
	first, err := d.NewPlan(samples.Flipped(slice1.Uint8, n/4, 4))
	require.NoError(t, err)
	last, err := d.NewPlan(thin)
	require.NoError(t, err)
	all, err := d.NewBuffer(4 * n)
	require.NoError(t, err)
	a, err1 := d.NewBuffer(n)
	b, err2 := all.Slice(n+48, n)
	c, err3 := d.NewBuffer(n)
	out, err4 := d.NewBuffer(n / 4)
	require.NoError(t, errors.Join(err1, err2, err3, err4))

	var s stranger
	defer func() {
		for _, what := range s.release {
			what.Release()
		}
	}()
	require.NoError(t, s.record(d.Native(), n, c, b))
	queue := d3d.Queue{Object: object(d.Native().Queue)}
	src := randomBytes(rand.New(rand.NewPCG(25, 25)), n)
	require.NoError(t, a.Upload(src))
	require.NoError(t, first.Dispatch(b, a))
	queue.Execute(s.list)
	require.NoError(t, last.Dispatch(out, c))
	got := make([]byte, n/4)
	require.NoError(t, out.Download(got)) // this waits for the stranger's work too

	flipped := onCPU(t, samples.Flipped(slice1.Uint8, n), src, src)
	require.Equal(t, onCPU(t, thin, got, onCPU(t, samples.Flipped(slice1.Uint8, n), src, flipped)), got)
	require.NoError(t, d.alive())
}

// Native gives nothing after Close.
func TestNativeObjectsEndWithClose(t *testing.T) {
	d := openDevice(t)
	b, err := d.NewBuffer(64)
	require.NoError(t, err)
	part, err := b.Slice(32, 16)
	require.NoError(t, err)
	whole, at := b.Native()
	resource, offset := part.Native()
	assert.NotZero(t, whole)
	assert.Equal(t, whole, resource)
	assert.Equal(t, []int64{0, 32}, []int64{at, offset})
	native := d.Native()
	assert.NotZero(t, native.Direct3D)
	assert.NotZero(t, native.DirectML)
	assert.NotZero(t, native.Queue)
	require.NoError(t, b.Close())
	whole, _ = b.Native()
	assert.Zero(t, whole)
	require.NoError(t, d.Close())
	resource, _ = part.Native()
	assert.Zero(t, resource)
	assert.Zero(t, d.Native())
}

// Pictures with interleaved channels become planes of one batch, each in its slice of a buffer. The
// other slices stay as they are. The memory stays until all slices are closed.
func TestSlicesOfABufferAreBuffers(t *testing.T) {
	d := openDevice(t)
	const pictures, height, width = 5, 20, 28
	desc, err := slice1.Whole(slice1.Uint8, height, width, 3).Permute(2, 0, 1)
	require.NoError(t, err)
	const size = 3 * height * width // a multiple of 16
	batch, err := d.NewBuffer(pictures*size + 7)
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(26, 26))
	want := randomBytes(rng, batch.Size())
	require.NoError(t, batch.Upload(want))
	live := d3d.Live()
	for _, planes := range bothPlans(t, d, desc) {
		for i := range pictures {
			place, err := batch.Slice(int64(i)*size, size)
			require.NoError(t, err)
			require.EqualValues(t, size, place.Size())
			picture := randomBytes(rng, size)
			in, err := d.NewBuffer(2 * size)
			require.NoError(t, err)
			half, err := in.Slice(16, size)
			require.NoError(t, err)
			require.NoError(t, errors.Join(half.Upload(picture), in.Close()), "the slice is still open")
			require.NoError(t, planes.Dispatch(place, half))
			copy(want[i*size:], onCPU(t, desc, picture, picture))
			got := make([]byte, size)
			require.NoError(t, place.Download(got))
			require.Equal(t, want[i*size:][:size], got)
			require.ErrorIs(t, planes.Dispatch(place, batch), slice1.ErrOverlap)
			require.NoError(t, errors.Join(half.Close(), place.Close()))
			require.ErrorIs(t, place.Upload(picture), ErrClosed)
		}
		require.NoError(t, planes.Close())
	}
	got := make([]byte, len(want))
	require.NoError(t, batch.Download(got))
	require.True(t, bytes.Equal(want, got))
	d.Trim()
	require.LessOrEqual(t, d3d.Live(), live, "the pictures' memory is released")

	// Copies without an operator find their places too. A slice of a slice begins within that
	// slice.
	rows, err := d.NewPlan(slice1.Whole(slice1.Uint8, 64))
	require.NoError(t, err)
	require.NotNil(t, rows.regions)
	part, err := batch.Slice(64, 256)
	require.NoError(t, err)
	inner, err := part.Slice(128, 64)
	require.NoError(t, err)
	out, err := d.NewBuffer(64)
	require.NoError(t, err)
	require.NoError(t, rows.Dispatch(out, inner))
	require.NoError(t, out.Download(got[:64]))
	require.Equal(t, want[64+128:][:64], got[:64])
	require.NoError(t, part.Close())
	_, err = part.Slice(0, 16)
	require.ErrorIs(t, err, ErrClosed)
	require.NoError(t, inner.Download(got[:64]))
}
