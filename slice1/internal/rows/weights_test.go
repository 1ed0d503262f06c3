package rows

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
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
