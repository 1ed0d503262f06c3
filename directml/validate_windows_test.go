//go:build amd64 || arm64

package directml

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/slice1"
)

// asIs returns a descriptor, right or wrong, in DirectML's terms and without translation. ok is
// false if a number does not fit DirectML's 32 bits. It is also false if lists that share one
// length in DirectML differ in length.
func asIs(d *slice1.Desc, pin *runtime.Pinner) (desc *d3d.OperatorDesc, ok bool) {
	ok = true
	words := func(values []int, axes int) *uint32 {
		if len(values) != axes {
			ok = false
		}
		w := make([]uint32, len(values)+1) // never empty, so that &w[0] is not null
		for i, v := range values {
			if v < 0 || v > math.MaxUint32 {
				ok = false
			}
			w[i] = uint32(v)
		}
		pin.Pin(&w[0])
		return &w[0]
	}
	side := func(t *slice1.TensorDesc) *d3d.TensorDesc {
		b := &d3d.BufferTensorDesc{DataType: t.DataType, DimensionCount: uint32(len(t.Sizes)), Sizes: words(t.Sizes, len(t.Sizes))}
		if t.Strides != nil {
			b.Strides = words(t.Strides, len(t.Sizes))
		}
		if t.BaseAlign < 0 || t.BaseAlign > math.MaxUint32 || t.TotalSize < 0 {
			ok = false
		}
		b.BaseAlignment = uint32(t.BaseAlign)
		if b.TotalSize = uint64(t.TotalSize); t.TotalSize == 0 {
			size, _ := t.MinSize()
			b.TotalSize = uint64(size+3) &^ 3
		}
		desc := &d3d.TensorDesc{Kind: d3d.TensorBuffer, Desc: b}
		pin.Pin(b)
		pin.Pin(desc)
		return desc
	}
	steps := make([]int32, len(d.WindowStrides)+1)
	for i, s := range d.WindowStrides {
		if s < math.MinInt32 || s > math.MaxInt32 {
			ok = false
		}
		steps[i] = int32(s)
	}
	pin.Pin(&steps[0])
	rank := len(d.WindowStrides)
	slice := &d3d.Slice1Desc{
		Input: side(&d.Input), Output: side(&d.Output), DimensionCount: uint32(rank),
		Offsets: words(d.WindowOffsets, rank), Sizes: words(d.WindowSizes, rank), Strides: &steps[0],
	}
	pin.Pin(slice)
	desc = &d3d.OperatorDesc{Kind: d3d.OperatorSlice1, Desc: slice}
	pin.Pin(desc)
	return desc, ok
}

// accepts reports whether the DLL accepts the descriptor, and whether it could be asked (see asIs).
func accepts(t *testing.T, d *Device, desc *slice1.Desc) (yes, asked bool) {
	var pin runtime.Pinner
	defer pin.Unpin()
	raw, ok := asIs(desc, &pin)
	if !ok {
		return false, false
	}
	o, err := d.dml.CreateOperator(raw)
	o.Release()
	if err != nil {
		require.ErrorIs(t, err, HRESULT(0x80070057), samples.Describe(desc))
	}
	return err == nil, true
}

// The reasons why DirectML accepts some invalid descriptors: the first three in all versions from
// 1.13.1 to 1.15.4, the fourth in 1.13.1 alone.
const (
	wrapsOutput = "32 bits wrap in the rule for the output's size"
	wrapsSize   = "64 bits wrap in a tensor's size in bits"
	overlaps    = "output elements overlap"
	oversized   = "a TotalSize is beyond 2^32-1 elements"
	others      = "other differences"
)

// excess returns the reason for which the DLL of a version may accept d, or "" if there is none.
// wrong is ValidateFor's error for d.
func excess(version string, d *slice1.Desc, wrong error) string {
	var place *slice1.DescError
	switch {
	case !errors.As(wrong, &place):
		return ""
	case errors.Is(wrong, slice1.ErrOverlap):
		return overlaps
	case errors.Is(wrong, slice1.ErrTotalSize) && version == "1.13.1" && place.Got > place.Limit:
		return oversized
	case errors.Is(wrong, slice1.ErrOutput), place.Field == "WindowSizes" && place.Got == 0:
		step := uint64(max(d.WindowStrides[place.Axis], -d.WindowStrides[place.Axis]))
		if needs := uint64(d.Output.Sizes[place.Axis]-1)*step + 1; needs > math.MaxUint32 && needs&math.MaxUint32 <= uint64(d.WindowSizes[place.Axis]) {
			return wrapsOutput
		}
	case errors.Is(wrong, slice1.ErrOverflow):
		tensor := &d.Input
		if place.Field[0] == 'O' {
			tensor = &d.Output
		}
		bits := big.NewInt(1)
		for i, s := range tensor.Strides {
			bits.Add(bits, new(big.Int).Mul(big.NewInt(int64(tensor.Sizes[i]-1)), big.NewInt(int64(s))))
		}
		if bits.Mul(bits, big.NewInt(int64(8*tensor.DataType.Size()))).BitLen() > 64 {
			return wrapsSize
		}
	}
	return ""
}

// mistaken returns a random descriptor and the name of the mistake that was made in it. One in
// four has none, and the name is "none". Some have a second mistake.
func mistaken(rng *rand.Rand) (desc *slice1.Desc, name string) {
	desc = samples.Random(rng)
	if rng.IntN(4) == 0 {
		return desc, "none"
	}
	m := mistakes[rng.IntN(len(mistakes))]
	m.make(rng, desc)
	if rank := len(desc.Input.Sizes); rng.IntN(8) == 0 && rank > 0 && rank == len(desc.Output.Sizes) && rank == len(desc.WindowSizes) {
		mistakes[3+rng.IntN(len(mistakes)-3)].make(rng, desc)
	}
	return desc, m.name
}

// ValidateFor and the DLL agree on random descriptors. The only exceptions are invalid ones that
// the DLL accepts for one of four known reasons. Versions of the DLL that these tests have not
// seen may differ in other ways. For these the test logs the first differences and counts all.
func TestValidationIsTheDLLs(t *testing.T) {
	d := openDevice(t)
	level := d.Info().FeatureLevel
	seen := slices.Contains([]string{"1.13.1", "1.14.1", "1.15.1", "1.15.2", "1.15.4"}, d.Info().Version)
	kinds := map[string]int{}
	differs := func(format string, args ...any) {
		if seen {
			require.Fail(t, fmt.Sprintf(format, args...))
		}
		if kinds[others] < 20 {
			t.Logf(format, args...)
		}
	}
	rng := rand.New(rand.NewPCG(20, 20))
	const runs = 10_000
	asked, accepted := 0, 0
	took, refused := map[string]int{}, map[string]int{}
	ranks := map[int]int{}
	for asked < runs {
		desc, name := mistaken(rng)
		yes, ok := accepts(t, d, desc)
		if !ok {
			continue
		}
		asked++
		ranks[len(desc.Input.Sizes)]++
		wrong := desc.ValidateFor(level)
		if yes {
			accepted++
			took[name]++
		} else {
			refused[name]++
		}
		if yes == (wrong == nil) {
			continue
		}
		kind := excess(d.Info().Version, desc, wrong)
		switch {
		case !yes:
			kind = others
			differs("DirectML refuses %v", samples.Describe(desc))
		case kind == "":
			kind = others
			differs("DirectML takes %v\nthough %v", samples.Describe(desc), wrong)
		}
		kinds[kind]++
	}
	t.Logf("validation: %d descriptors, %d accepted by DirectML %s, %d refused; it takes too much where %s: %d, %s: %d, %s: %d, %s: %d; %s: %d",
		asked, accepted, d.Info().Version, asked-accepted, wrapsOutput, kinds[wrapsOutput], wrapsSize, kinds[wrapsSize], overlaps, kinds[overlaps], oversized, kinds[oversized], others, kinds[others])
	t.Logf("accepted %v, refused %v, by rank %v", took, refused, ranks)
	for _, m := range mistakes {
		assert.Positive(t, took[m.name]+refused[m.name], m.name)
		if !slices.Contains([]string{"rank 8", "size that wraps", "output extent that wraps"}, m.name) {
			assert.Positive(t, refused[m.name], m.name)
		}
	}
	for rank := range 10 {
		assert.Positive(t, ranks[rank])
	}
	for _, kind := range []string{wrapsOutput, wrapsSize, overlaps} {
		assert.True(t, !seen || kinds[kind] > 0, kind)
	}
	assert.Equal(t, d.Info().Version == "1.13.1", kinds[oversized] > 0, oversized)
	assert.Greater(t, accepted, runs/4)
	assert.Greater(t, asked-accepted, runs/4)
	assert.NoError(t, d.alive())
}
