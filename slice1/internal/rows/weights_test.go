package rows

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// Weights are those that libm's sine and cosine give. RESIZE_WEIGHTS names a file of others, which
// testdata/resize/weights.py makes.
func TestWeightsAreThoseOfLibm(t *testing.T) {
	name := "../../../testdata/resize/weights.txt"
	if other := os.Getenv("RESIZE_WEIGHTS"); other != "" {
		name = other
	}
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	lines, wrong := 0, 0
	for scan := bufio.NewScanner(file); scan.Scan(); lines++ {
		var (
			filter string
			a      Axis
			first  int
			want   uint32
		)
		_, err := fmt.Sscanf(scan.Text(), "%s %d %d %d %d %x", &filter, &a.Size, &a.Scaled, &a.Begin, &first, &want)
		require.NoError(t, err)
		a.End = a.Begin + 1
		table, err := a.weights(names[filter], false)
		require.NoError(t, err)
		n, weigh := int(table.n[0]), []byte(nil)
		for _, w := range table.weights[:n] {
			weigh = binary.LittleEndian.AppendUint32(weigh, uint32(w))
		}
		if crc32.ChecksumIEEE(weigh) != want || n > 0 && table.low+int(table.starts[0]) != first {
			wrong++
			t.Log(scan.Text())
		}
	}
	require.Zero(t, wrong)
	require.NotZero(t, lines)
	t.Logf("%d axes", lines)
}

// Box takes one sample for each of the result along sides that grow, but for places that rounding
// puts between two. Then the nearest samples are picked, and weighed only if the other side
// shrinks.
func TestBoxOfLargerSidesPicks(t *testing.T) {
	rng, picks, weighs := rand.New(rand.NewPCG(83, 7)), 0, 0
	for range 300 {
		axis := func() Axis {
			a := Axis{Size: 1 + rng.IntN(40), Flip: rng.IntN(2) == 0}
			a.Scaled = max(1, a.Size+rng.IntN(100)-5)
			a.Begin = rng.IntN(a.Scaled)
			a.End = a.Begin + 1 + rng.IntN(a.Scaled-a.Begin)
			return a
		}
		x, y := axis(), axis()
		pixel := []int{1, 3, 4}[rng.IntN(3)]
		pix := make([]uint8, x.Size*y.Size*pixel)
		for i := range pix {
			pix[i] = uint8(rng.Uint32())
		}
		columns, err := x.weights(Box, false)
		require.NoError(t, err)
		rows, err := y.weights(Box, false)
		require.NoError(t, err)
		one := true
		for _, table := range []*table{columns, rows} {
			for i, n := range table.n {
				one = one && n == 1 && table.weights[i*table.taps] == 1<<22
			}
		}
		p, err := NewPlan(Box, x, y, false, pixel, true, sets()[len(sets())-1])
		require.NoError(t, err)
		require.Equal(t, one, p.filter == Nearest, "%+v, %+v", x, y)
		if !one {
			weighs++
			continue
		}
		picks++
		var want []uint8
		for j := range rows.starts {
			for i := range columns.starts {
				at := (rows.low+int(rows.starts[j]))*x.Size + columns.low + int(columns.starts[i])
				want = append(want, pix[at*pixel:][:pixel]...)
			}
		}
		require.Equal(t, want, resampled(t, Box, x, y, false, pixel, pix, x.Size*pixel, true, 3), "%+v, %+v", x, y)
	}
	require.Greater(t, picks, 150)
	require.Greater(t, weighs, 20)
}
