package directml

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

var _ slice1.RunnerAt = (*Plan)(nil)

// slice1.Run also refuses elements of the wrong type and slices of the wrong length for plans of
// the GPU. A nil or zero plan has no data type, and its methods return ErrClosed.
func TestPlansKnowTheirDataType(t *testing.T) {
	for _, none := range []*Plan{nil, new(Plan)} {
		assert.Zero(t, none.SrcType())
		assert.Zero(t, none.DstType())
		require.ErrorIs(t, slice1.Run(none, []int8{1}, []int8{2}), ErrClosed)
		require.ErrorIs(t, none.Run(nil, nil), ErrClosed)
		require.ErrorIs(t, none.RunContext(context.Background(), nil, nil), ErrClosed)
		require.ErrorIs(t, none.Dispatch(nil, nil), ErrClosed)
		assert.NotEmpty(t, none.String())
	}
	p := offDevice(t, slice1.Whole(slice1.Float32, 3, 5))
	assert.Equal(t, slice1.Float32, p.SrcType())
	assert.Equal(t, slice1.Float32, p.DstType())
	require.ErrorIs(t, slice1.Run(p, make([]uint16, 15), make([]uint16, 15)), slice1.ErrDataType)
	require.ErrorIs(t, slice1.Run(p, make([]float32, 14), make([]float32, 15)), slice1.ErrBuffer)
}

// With a wrong operator number, DirectML would read the descriptor as the descriptor of another
// operator.
func TestOperatorIsDescribedInOnePart(t *testing.T) {
	op, err := translate.OperatorOf(slice1.Whole(slice1.Uint16, 3, 5), translate.Capability(samples.Newest))
	require.NoError(t, err)
	c := newOperatorCall(&op)
	assert.EqualValues(t, 111, c.desc.Kind)
	s := c.desc.Desc
	assert.EqualValues(t, 2, s.DimensionCount)
	assert.Equal(t, []uint32{3, 5}, unsafe.Slice(s.Sizes, 2))
	assert.Equal(t, []uint32{0, 0}, unsafe.Slice(s.Offsets, 2))
	assert.Equal(t, []int32{1, 1}, unsafe.Slice(s.Strides, 2))
	for _, tensor := range []*d3d.TensorDesc{s.Input, s.Output} {
		assert.EqualValues(t, 1, tensor.Kind)
		b := tensor.Desc
		assert.Equal(t, slice1.Uint16, b.DataType)
		assert.EqualValues(t, 0, b.Flags)
		assert.EqualValues(t, 2, b.DimensionCount)
		assert.Equal(t, []uint32{3, 5}, unsafe.Slice(b.Sizes, 2))
		assert.Equal(t, []uint32{5, 1}, unsafe.Slice(b.Strides, 2))
		assert.EqualValues(t, 32, b.TotalSize, "30 bytes, rounded up")
		assert.EqualValues(t, 16, b.BaseAlignment)
	}
	// One allocation holds everything that the descriptor points to, so that pinning it is
	// enough.
	start, end := uintptr(unsafe.Pointer(c)), uintptr(unsafe.Pointer(c))+unsafe.Sizeof(*c)
	for _, p := range []unsafe.Pointer{
		unsafe.Pointer(s), unsafe.Pointer(s.Input), unsafe.Pointer(s.Output), unsafe.Pointer(s.Offsets), unsafe.Pointer(s.Sizes), unsafe.Pointer(s.Strides),
		unsafe.Pointer(c.input.Desc), unsafe.Pointer(c.input.Desc.Sizes), unsafe.Pointer(c.input.Desc.Strides),
		unsafe.Pointer(c.output.Desc), unsafe.Pointer(c.output.Desc.Sizes), unsafe.Pointer(c.output.Desc.Strides),
	} {
		assert.True(t, uintptr(p) >= start && uintptr(p) < end)
	}
	op.Offsets[0] = 1
	assert.Equal(t, []uint32{0, 0}, unsafe.Slice(s.Offsets, 2), "a copy")
}

func TestRemovalNamesItsReason(t *testing.T) {
	err := removedError{&Error{Call: "ID3D12Device.GetDeviceRemovedReason", Result: 0x887A0006}, ""}
	assert.EqualError(t, err, "directml: device removed: ID3D12Device.GetDeviceRemovedReason: DXGI_ERROR_DEVICE_HUNG")
	err.messages = "error 1: a; warning 2: b"
	assert.EqualError(t, err, "directml: device removed: ID3D12Device.GetDeviceRemovedReason: DXGI_ERROR_DEVICE_HUNG; the debug layers: error 1: a; warning 2: b")
	assert.ErrorIs(t, err, ErrRemoved)
	assert.ErrorIs(t, err, HRESULT(0x887A0006))
	assert.NotErrorIs(t, errors.Unwrap(err), ErrRemoved)
}

// ErrMemory is a lack of memory, whatever wraps the failed call, and nothing else.
func TestLackOfMemoryHasASentinel(t *testing.T) {
	for r, want := range map[HRESULT]bool{0x8007000E: true, 0x8876017C: true, 0x80070057: false, 0x887A0005: false} {
		err := &Error{Call: "ID3D12Device.CreateCommittedResource", Result: r}
		assert.Equal(t, want, errors.Is(err, ErrMemory), r)
		assert.Equal(t, want, errors.Is(fmt.Errorf("adapter: %w", err), ErrMemory), r)
		assert.NotErrorIs(t, err, ErrRemoved)
		assert.ErrorIs(t, err, r)
	}
	assert.NotErrorIs(t, ErrRemoved, ErrMemory)
}

func TestOptionsAreTheLastOnes(t *testing.T) {
	assert.Equal(t, config{HighPerformance, -1, 0, false, slice1.FeatureLevel2_1, "", false}, configure(nil))
	assert.Equal(t, config{MinimumPower, 3, 4, true, slice1.FeatureLevel5_0, "x", true}, configure([]Option{
		nil, WithPreference(Unspecified), WithPreference(MinimumPower), WithAdapter(3), WithLUID(4), WithSoftware(), WithFeatureLevel(slice1.FeatureLevel5_0), WithDLL("x"), WithDebugLayer(),
	}))
	assert.Equal(t, configure(nil), configure([]Option{WithAdapter(-7), WithFeatureLevel(0)}))
}

// offDevice returns a plan without a device, for tests of checks that come before the use of a
// device.
func offDevice(t *testing.T, d *slice1.Desc) *Plan {
	t.Helper()
	p, err := planOf(d, translate.Capability(samples.Newest), translate.MostElements)
	require.NoError(t, err)
	return p
}

// Plans of the GPU refuse the same buffers as the CPU's plans, with the same errors.
func TestBuffersAreCheckedAsOnTheCPU(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	refused := 0
	memory := make([]byte, 1<<20)
	for range 3000 {
		d := samples.Random(rng)
		cpu, err := slice1.NewPlan(d)
		require.NoError(t, err)
		p := offDevice(t, d)
		// Many of these overlap or are too short.
		src := memory[rng.IntN(64):][:max(0, int(p.geometry.SrcSize)+rng.IntN(5)-1)]
		dst := memory[rng.IntN(int(p.geometry.SrcSize)+64):][:max(0, int(p.geometry.DstSize)+rng.IntN(5)-1)]
		want := cpu.Run(dst, src)
		if want == nil {
			continue
		}
		refused++
		require.Equal(t, want, p.Run(dst, src), samples.Describe(d))
		require.Equal(t, want, p.RunAt(dst, src, d.WindowOffsets...), samples.Describe(d))
	}
	assert.Greater(t, refused, 500)
	assert.Less(t, refused, 2900)
}

// Plans of the GPU refuse the same offsets as the CPU's plans, with the same errors. At offsets
// that the CPU's plans take, At returns how far the window has moved.
func TestOffsetsAreCheckedAsOnTheCPU(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	sentinels, refused := []error{slice1.ErrRank, slice1.ErrWindow, slice1.ErrOverlap}, map[error]int{}
	memory := make([]byte, 1<<20)
	for range 3000 {
		d := samples.Random(rng)
		cpu, err := slice1.NewPlan(d)
		require.NoError(t, err)
		p := offDevice(t, d)
		src, dst := memory[:p.geometry.SrcSize], memory[rng.IntN(int(p.geometry.SrcSize)):][:p.geometry.DstSize]
		offsets := samples.Corner(rng, d)
		switch axis := rng.IntN(len(offsets)); rng.IntN(8) {
		case 0:
			offsets[axis] = samples.Pick(rng, -1, math.MinInt, math.MaxInt, d.Input.Sizes[axis])
		case 1:
			offsets = offsets[axis+1:]
		case 2:
			offsets = append(offsets, 0)
		}
		want := cpu.RunAt(dst, src, offsets...)
		if want != nil {
			require.Equal(t, want, p.RunAt(dst, src, offsets...), "%v of %v", offsets, samples.Describe(d))
			for _, sentinel := range sentinels {
				if errors.Is(want, sentinel) {
					refused[sentinel]++
				}
			}
			continue
		}
		elsewhere := *d
		elsewhere.WindowOffsets = offsets
		require.Equal(t, translate.GeometryOf(&elsewhere).SrcLo, p.geometry.SrcLo+p.geometry.Shift(offsets), "%v of %v", offsets, samples.Describe(d))
	}
	for _, err := range sentinels {
		assert.Greater(t, refused[err], 100, err)
	}
	assert.Less(t, refused[slice1.ErrOverlap], 2000)
}

// The parts of Run copy back the output elements and nothing between them.
func TestPartsCopyElementsOnly(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	scattered, cut := 0, 0
	for range 2000 {
		d := samples.Random(rng)
		p, err := planOf(d, translate.Capability(samples.Newest), samples.Pick(rng, translate.MostElements, 8+rng.Int64N(4000)))
		require.NoError(t, err)
		dst := make([]byte, p.geometry.DstSize)
		for _, s := range p.spans {
			output := bytes.Repeat([]byte{1}, int(s.DstSize))
			if s.scatter == nil {
				copy(dst[s.Dst:], output)
				continue
			}
			require.NoError(t, s.scatter.Run(dst[s.Dst:], output))
			scattered++
		}
		if len(p.spans) > 1 {
			cut++
		}
		want := make([]byte, p.geometry.DstSize)
		for _, m := range samples.Moves(d) {
			want[m.Dst] = 1
		}
		require.Equal(t, want, dst, samples.Describe(d))
	}
	assert.Greater(t, scattered, 50)
	assert.Greater(t, cut, 50)
}

// Run finds wrong elements at the ends of a part's output: of a plan in one part, in two, and
// without an operator.
func TestWrongEndsAreFound(t *testing.T) {
	rows := slice1.Whole(slice1.Uint16, 10, 10)
	rows.WindowStrides[0] = -1
	for parts, desc := range map[int64]*slice1.Desc{1: samples.Flipped(slice1.Uint16, 100), 2: samples.Flipped(slice1.Uint16, 100), 0: rows} {
		p, err := planOf(desc, translate.Capability(samples.Newest), 100/max(parts, 1))
		require.NoError(t, err)
		require.Len(t, p.spans, int(max(parts, 1)))
		require.Equal(t, parts == 0, p.regions != nil)
		src := make([]byte, 200)
		for i := range src {
			src[i] = byte(i + 1)
		}
		right := make([]byte, 200)
		require.NoError(t, p.host.Run(right, src))
		for i := range p.spans {
			s := &p.spans[i]
			require.NoError(t, s.compare(right, src))
			for _, at := range []int64{s.Dst, s.Dst + 1, s.Dst + s.DstSize - 2, s.Dst + s.DstSize - 1} {
				wrong := bytes.Clone(right)
				wrong[at] = 0
				require.EqualError(t, s.compare(wrong, src), fmt.Sprintf("directml: the adapter gave a wrong element at byte %d of the output, without an error of its driver", at&^1))
			}
		}
	}
}

func TestContextIsLookedAtFirst(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p := offDevice(t, slice1.Whole(slice1.Uint8, 3))
	assert.ErrorIs(t, p.RunContext(ctx, make([]byte, 3), make([]byte, 3)), context.Canceled)
	assert.ErrorIs(t, p.RunContext(ctx, make([]byte, 2), make([]byte, 3)), slice1.ErrBuffer)
}

// Download and Wait look at the context before they use the device, and Download looks at the
// buffer first. A nil context is never done.
func TestContextsOfDownloadAndWait(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := &Buffer{size: 6}
	assert.ErrorIs(t, b.DownloadContext(ctx, make([]byte, 6)), context.Canceled)
	assert.ErrorIs(t, b.DownloadContext(ctx, nil), context.Canceled)
	assert.ErrorIs(t, b.DownloadContext(ctx, make([]byte, 7)), slice1.ErrBuffer)
	assert.ErrorIs(t, (*Buffer)(nil).DownloadContext(ctx, nil), ErrClosed)
	assert.ErrorIs(t, new(Device).Wait(ctx), context.Canceled)
	assert.ErrorIs(t, (*Device)(nil).Wait(ctx), ErrClosed)
	var none context.Context
	assert.NoError(t, b.DownloadContext(none, nil))
	assert.ErrorIs(t, (*Device)(nil).Wait(none), ErrClosed)
	err := new(Device).Wait(none)
	assert.Error(t, err)
	assert.Equal(t, new(Device).Wait(context.Background()), err)
}

func TestBuffersOfDispatchAreChecked(t *testing.T) {
	p := offDevice(t, slice1.Whole(slice1.Uint16, 3))
	one, two, short := &Buffer{size: 6}, &Buffer{size: 6}, &Buffer{size: 5}
	foreign := &Buffer{size: 6, device: &Device{}}
	for name, c := range map[string]struct {
		dst, src *Buffer
		want     error
	}{
		"short dst":   {short, two, slice1.ErrBuffer},
		"short src":   {one, short, slice1.ErrBuffer},
		"nil dst":     {nil, two, slice1.ErrBuffer},
		"nil src":     {one, nil, slice1.ErrBuffer},
		"one for two": {one, one, slice1.ErrOverlap},
		"foreign dst": {foreign, two, ErrForeign},
		"foreign src": {one, foreign, ErrForeign},
	} {
		assert.ErrorIs(t, p.Dispatch(c.dst, c.src), c.want, name)
	}
	part := &Buffer{size: 6, parent: one}
	assert.ErrorIs(t, p.Dispatch(one, part), slice1.ErrOverlap)
	assert.ErrorIs(t, p.Dispatch(part, &Buffer{size: 6, parent: one, offset: 16}), slice1.ErrOverlap)
	assert.NotErrorIs(t, p.Dispatch(part, two), slice1.ErrOverlap)
	assert.ErrorIs(t, one.Upload(make([]byte, 7)), slice1.ErrBuffer)
	assert.ErrorIs(t, one.Download(make([]byte, 7)), slice1.ErrBuffer)
	assert.NoError(t, one.Upload(nil))
	assert.NoError(t, one.Download(nil))
	_, err := new(Device).NewBuffer(0)
	assert.ErrorIs(t, err, slice1.ErrSize)
	_, err = new(Device).NewBuffer(math.MaxInt64 - 2)
	assert.ErrorIs(t, err, slice1.ErrOverflow)
	_, err = new(Device).NewBuffer(math.MaxInt64 - 3)
	assert.Error(t, err)
	assert.NotErrorIs(t, err, slice1.ErrOverflow)
}

// Dispatch refuses a plan with an operator if a part of it ends beyond 4 GiB of the allocation,
// wherever the Buffer begins. Copies of regions may end there.
func TestDispatchStaysWithin4GiB(t *testing.T) {
	const most = 1 << 32
	one, whole := samples.Flipped(slice1.Uint8, 61), &Buffer{size: 2 * most} // DirectML rounds 61 bytes up to 64
	cut, err := planOf(samples.Flipped(slice1.Uint8, 64), translate.Capability(samples.Newest), 24)
	require.NoError(t, err)
	require.Greater(t, len(cut.parts), 2)
	copies := offDevice(t, slice1.Whole(slice1.Uint8, 64))
	require.NotNil(t, copies.regions)
	for at, far := range map[int64]bool{
		0: false, most - 80: false, most - 64: false, most - 48: true, most: true, most + most/4: true, 2*most - 64: true,
	} {
		part, other := &Buffer{size: 64, parent: whole, offset: at}, &Buffer{size: 64}
		for _, p := range []*Plan{offDevice(t, one), cut} {
			for field, err := range map[string]error{"dst": p.Dispatch(part, other), "src": p.Dispatch(other, part)} {
				if !far {
					assert.NotErrorIs(t, err, slice1.ErrOverflow, "%s at %d", field, at)
					continue
				}
				var place *slice1.DescError
				require.ErrorAs(t, err, &place, "%s at %d", field, at)
				assert.ErrorIs(t, err, slice1.ErrOverflow)
				assert.Equal(t, []any{field, int64(most)}, []any{place.Field, place.Limit})
				assert.True(t, most < place.Got && place.Got <= at+64, place.Got)
			}
		}
		assert.NotErrorIs(t, copies.Dispatch(part, other), slice1.ErrOverflow, at)
		assert.NotErrorIs(t, copies.Dispatch(other, part), slice1.ErrOverflow, at)
	}
}

// A slice begins at a multiple of 16 and ends within its buffer.
func TestSlicesOfBuffersAreChecked(t *testing.T) {
	b := &Buffer{size: 100}
	for _, c := range []struct {
		offset, size int64
		want         error
		text         string
	}{
		{16, 0, slice1.ErrSize, "directml: size is 0, must be at least 1"},
		{16, -5, slice1.ErrSize, "directml: size is -5, must be at least 1"},
		{8, 4, slice1.ErrAlign, "directml: offset is 8, must be a multiple of 16 and at least 0"},
		{-16, 4, slice1.ErrAlign, "directml: offset is -16, must be a multiple of 16 and at least 0"},
		{16, 85, slice1.ErrBuffer, "directml: buffer has 100 bytes, the slice ends at byte 101"},
		{112, 1, slice1.ErrBuffer, "directml: buffer has 100 bytes, the slice ends at byte 113"},
		{math.MaxInt64 &^ 15, math.MaxInt64, slice1.ErrBuffer, "directml: buffer has 100 bytes, the slice ends at byte 9223372036854775807"},
		{96, 4, ErrClosed, "directml: closed"},
	} {
		part, err := b.Slice(c.offset, c.size)
		assert.Nil(t, part)
		assert.ErrorIs(t, err, c.want, "%+v", c)
		assert.EqualError(t, err, c.text)
	}
}

// Methods of nil and zero values do not panic. Close, Size and Info return nothing, and the other
// methods return an error.
func TestNothingIsClosed(t *testing.T) {
	var d *Device
	var b *Buffer
	var p *Plan
	assert.NoError(t, errors.Join(d.Close(), b.Close(), p.Close(), new(Device).Close(), new(Buffer).Close(), new(Plan).Close()))
	assert.Zero(t, b.Size())
	assert.Zero(t, d.Info())
	d.Trim()
	new(Device).Trim()
	assert.Zero(t, d.Native())
	assert.Zero(t, new(Device).Native())
	assert.Nil(t, d.Messages())
	assert.Nil(t, new(Device).Messages())
	resource, offset := b.Native()
	assert.Zero(t, resource)
	assert.Zero(t, offset)
	resource, _ = new(Buffer).Native()
	assert.Zero(t, resource)
	_, err := b.Slice(0, 1)
	assert.ErrorIs(t, err, ErrClosed)
	_, err = d.NewPlan(slice1.Whole(slice1.Uint8, 3))
	assert.ErrorIs(t, err, ErrClosed)
	_, err = d.NewBuffer(3)
	assert.ErrorIs(t, err, ErrClosed)
	assert.ErrorIs(t, b.Upload([]byte{1}), ErrClosed)
	assert.ErrorIs(t, b.Download([]byte{1}), ErrClosed)
	for _, err := range []error{
		new(Plan).Run(nil, nil), new(Plan).RunAt(nil, nil), new(Plan).Dispatch(&Buffer{}, &Buffer{}),
	} {
		assert.Error(t, err)
	}
	_, err = new(Device).NewPlan(slice1.Whole(slice1.Uint8, 3))
	assert.Error(t, err)
	_, err = new(Device).NewBuffer(3)
	assert.Error(t, err)
}

func TestInfoIsACopy(t *testing.T) {
	d := &Device{info: Info{DataTypes: []slice1.DataType{slice1.Int8}}}
	d.Info().DataTypes[0] = 0
	assert.Equal(t, []slice1.DataType{slice1.Int8}, d.Info().DataTypes)
}
