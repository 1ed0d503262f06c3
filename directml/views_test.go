package directml

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// Over its window alone an operator moves the same bytes, from a tensor that is
// the window's span, and is the same wherever the window is.
func TestNarrowedOperatorsMoveTheSameBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	smaller := 0
	for range 1000 {
		d := randomDesc(rng)
		g := geometryOf(d)
		want := movesOf(d)
		for i := range want {
			want[i].src -= g.srcLo
		}
		elsewhere := moved(d, corner(rng, d))
		for _, c := range capabilities {
			op, err := translate(d, c)
			if err != nil {
				continue // as TestTranslationsMoveTheSameBytes knows
			}
			narrow := op.narrowed()
			require.NoError(t, narrow.desc().ValidateFor(c.level), "%v\n%v", &op, &narrow)
			require.Equal(t, want, movesOf(narrow.desc()), "%v\n%v", &op, &narrow)
			require.Equal(t, uint64(g.srcHi-g.srcLo+3)&^3, narrow.in.total)
			require.Equal(t, op.out.total, narrow.out.total)
			require.Equal(t, narrow, narrow.narrowed())
			if narrow.in.total < op.in.total {
				smaller++
			}
			other, err := translate(elsewhere, c)
			require.NoError(t, err)
			require.Equal(t, narrow, other.narrowed(), "%v at %v", describe(d), elsewhere.WindowOffsets)
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
		limit  int64 // 0: seen
	}{
		"bytes":                 {slice1.Uint8, 1 << 29, other, 0},
		"bytes too many":        {slice1.Uint8, 1<<29 + 4, other, 1 << 29},
		"halves":                {slice1.Uint16, 1 << 30, other, 0},
		"halves too many":       {slice1.Uint16, 1<<30 + 4, other, 1 << 29},
		"words":                 {slice1.Uint32, 4<<32 - 4, other, 0},
		"doubles":               {slice1.Uint64, 8<<32 - 8, other, 0},
		"Adreno":                {slice1.Uint8, 1 << 27, vendorQualcomm, 0},
		"Adreno, too many":      {slice1.Uint8, 1<<27 + 4, vendorQualcomm, 1 << 27},
		"Adreno, words":         {slice1.Uint32, 4 << 27, vendorQualcomm, 0},
		"Adreno, words, beyond": {slice1.Uint32, 4<<27 + 4, vendorQualcomm, 1 << 27},
	} {
		for field, op := range map[string]operator{
			"Input.Sizes":  {dataType: c.dtype, in: tensor{total: c.bytes}},
			"Output.Sizes": {dataType: c.dtype, out: tensor{total: c.bytes}},
		} {
			err := op.checkViews(c.vendor)
			if c.limit == 0 {
				assert.NoError(t, err, name)
				continue
			}
			got := int64(c.bytes) / int64(c.dtype.Size())
			assert.Equal(t, &slice1.DescError{Field: field, Axis: -1, Got: got, Limit: c.limit, Err: slice1.ErrOverflow}, err, name)
		}
	}
}
