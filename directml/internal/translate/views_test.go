package translate

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/samples"
	"github.com/seed2e45c115/dml/slice1"
)

// A narrowed operator moves the same bytes, from a tensor that goes from the first to the last
// byte taken. It is the same wherever the window is.
func TestNarrowedOperatorsMoveTheSameBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	smaller := 0
	for range 1000 {
		d := samples.Random(rng)
		g := GeometryOf(d)
		want := samples.Moves(d)
		for i := range want {
			want[i].Src -= g.SrcLo
		}
		elsewhere := samples.Moved(d, samples.Corner(rng, d))
		for _, c := range capabilities {
			op, err := OperatorOf(d, c)
			if err != nil {
				continue // TestTranslationsMoveTheSameBytes checks which descriptors have no operator
			}
			narrow := op.Narrowed()
			require.NoError(t, narrow.desc().ValidateFor(c.Level), "%v\n%v", &op, &narrow)
			require.Equal(t, want, samples.Moves(narrow.desc()), "%v\n%v", &op, &narrow)
			require.Equal(t, uint64(g.SrcHi-g.SrcLo+3)&^3, narrow.In.Total)
			require.Equal(t, op.Out.Total, narrow.Out.Total)
			require.Equal(t, narrow, narrow.Narrowed())
			if narrow.In.Total < op.In.Total {
				smaller++
			}
			other, err := OperatorOf(elsewhere, c)
			require.NoError(t, err)
			require.Equal(t, narrow, other.Narrowed(), "%v at %v", samples.Describe(d), elsewhere.WindowOffsets)
		}
	}
	assert.Greater(t, smaller, 2000)
}

func TestViewsHaveAsManyElementsAsAdaptersSee(t *testing.T) {
	const other = 0x10DE
	for name, c := range map[string]struct {
		dtype  slice1.DataType
		bytes  uint64
		vendor uint32
		limit  int64 // the most elements, as the error says; 0 if there is no error
	}{
		"bytes":                 {slice1.Uint8, 1 << 29, other, 0},
		"bytes too many":        {slice1.Uint8, 1<<29 + 4, other, 1 << 29},
		"halves":                {slice1.Uint16, 1 << 30, other, 0},
		"halves too many":       {slice1.Uint16, 1<<30 + 4, other, 1 << 29},
		"words":                 {slice1.Uint32, 4<<32 - 4, other, 0},
		"doubles":               {slice1.Uint64, 8<<32 - 8, other, 0},
		"Adreno":                {slice1.Uint8, 1 << 27, VendorQualcomm, 0},
		"Adreno, too many":      {slice1.Uint8, 1<<27 + 4, VendorQualcomm, 1 << 27},
		"Adreno, words":         {slice1.Uint32, 4 << 27, VendorQualcomm, 0},
		"Adreno, words, beyond": {slice1.Uint32, 4<<27 + 4, VendorQualcomm, 1 << 27},
	} {
		for field, op := range map[string]Operator{
			"Input.Sizes":  {DataType: c.dtype, In: Tensor{Total: c.bytes}},
			"Output.Sizes": {DataType: c.dtype, Out: Tensor{Total: c.bytes}},
		} {
			err := op.CheckViews(c.vendor)
			if c.limit == 0 {
				assert.NoError(t, err, name)
				continue
			}
			got := int64(c.bytes) / int64(c.dtype.Size())
			assert.Equal(t, &slice1.DescError{Field: field, Axis: -1, Got: got, Limit: c.limit, Err: slice1.ErrOverflow}, err, name)
		}
	}
}
