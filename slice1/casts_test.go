package slice1_test

import (
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// The numbers in the column "ours" of CASTS.md are what every kernel makes, in arrays of every
// length that bench/casts.py tries.
func TestNumbersOfCASTS(t *testing.T) {
	page, err := os.ReadFile("CASTS.md")
	require.NoError(t, err)
	types := map[string]slice1.DataType{}
	for _, dtype := range everyType {
		types[dtype.String()] = dtype
	}
	rows := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 6 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		from, to := types[cells[1]], types[cells[3]]
		if from == 0 || to == 0 {
			continue
		}
		rows++
		var one []byte
		if _, hi := rangeOf(from); hi != nil {
			n, ok := new(big.Int).SetString(cells[2], 10)
			require.True(t, ok, line)
			one = appendBits(from, nil, bitsOfInteger(from, n))
		} else {
			y, err := strconv.ParseFloat(cells[2], 64)
			require.NoError(t, err, line)
			one = appendBits(from, nil, stored(from, y))
		}
		for _, n := range []int{16, 19, 1} {
			for _, kernel := range usableKernels() {
				got := make([]byte, n*to.Size())
				require.NoError(t, slice1.CopyBytes(got, slices.Repeat(one, n), slice1.Whole(from, n), slice1.WithNumbers(to, slice1.Affine{}), slice1.WithKernel(kernel)))
				for i := range n {
					bits := bitsOf(to, got[i*to.Size():])
					var text string
					if _, hi := rangeOf(to); hi != nil {
						text = integerOf(to, bits).String()
					} else {
						text = strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(float64Of(to, bits), 'f', -1, 64), "+"))
					}
					assert.Equal(t, cells[4], text, "%s: element %d of %d of %s", kernel, i, n, line)
				}
			}
		}
	}
	assert.Greater(t, rows, 40)
}
