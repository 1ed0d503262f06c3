package outofcore

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// If int has 32 bits, distances between elements of a file may exceed it.
func TestElementsMayLieFarApart(t *testing.T) {
	for _, strides := range [][]int{nil, {1 << 30, 1 << 15, 1}} {
		d := indexed(t, "[::-2, 7:9, 65530]", 3, 1<<16, 1<<16)
		d.Input.Strides = strides
		row, plane := int64(1<<16), int64(1<<32)
		if strides != nil {
			row, plane = 1<<15, 1<<30
		}
		from, alone := gather(d, gapBytes)
		first := 7*row + 65530
		assert.Equal(t, region{first: first, length: 1, count: []int{2, 2}, step: []int64{row, 2 * plane}}, from)
		p, err := slice1.NewPlan(alone)
		require.NoError(t, err)
		out := make([]byte, 4)
		require.NoError(t, p.Run(out, []byte{1, 2, 3, 4}))
		assert.Equal(t, []byte{3, 4, 1, 2}, out)
	}
}

// halves is a file that gives half of the bytes of each read, without an error.
type halves struct{}

func (halves) ReadAt(b []byte, _ int64) (int, error) { return len(b) / 2, nil }

func TestShortReadsAreErrors(t *testing.T) {
	r := region{length: 100}
	assert.ErrorIs(t, r.read(halves{}, make([]byte, 100)), io.ErrUnexpectedEOF)
}
