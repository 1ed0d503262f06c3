package outofcore

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/oracle"
)

// randomDesc returns a descriptor of a row-major or column-major input. The output is packed and
// may be smaller than the windows yield.
func randomDesc(r *rand.Rand) *slice1.Desc {
	var w slice1.Window
	shape := []int{}
	for range 1 + r.IntN(5) {
		n := 1 + r.IntN(9)
		offset := r.IntN(n)
		size := 1 + r.IntN(n-offset)
		stride := []int{-4, -3, -2, -1, 1 << 30, 1, 2, 3, 4}[r.IntN(9)]
		shape = append(shape, n)
		w.Offsets = append(w.Offsets, offset)
		w.Sizes = append(w.Sizes, size)
		w.Strides = append(w.Strides, stride)
		w.Out = append(w.Out, 1+r.IntN(1+(size-1)/max(stride, -stride)))
	}
	d := slice1.NewDesc([]slice1.DataType{slice1.Uint8, slice1.Int16, slice1.Float64}[r.IntN(3)], shape, w)
	if r.IntN(2) == 0 { // column-major
		d.Input.Strides = make([]int, len(shape))
		step := 1
		for i, n := range shape {
			d.Input.Strides[i] = step
			step *= n
		}
	}
	return d
}

// bytesOf returns random bytes as an input of d, and the output by the operator's formula.
func bytesOf(t *testing.T, d *slice1.Desc, r *rand.Rand) (src, want []byte) {
	n, err := d.Input.MinSize()
	require.NoError(t, err)
	src, want = make([]byte, n), make([]byte, OutputBytes(d, d.Input.DataType.Size()))
	for i := range src {
		src[i] = byte(r.Uint32())
	}
	oracle.Slice(d, want, src)
	return src, want
}

// sliceOf returns the output of a box. It reads the box's input from a file, together with gaps of
// at most gap bytes.
func sliceOf(t *testing.T, box *slice1.Desc, gap int64, file io.ReaderAt) []byte {
	from, alone := gather(box, gap)
	in := make([]byte, from.bytes())
	require.NoError(t, from.read(file, in))
	p, err := slice1.NewPlan(alone)
	require.NoError(t, err, "%+v", alone)
	out := make([]byte, OutputBytes(box, box.Input.DataType.Size()))
	require.NoError(t, p.Run(out, in))
	return out
}

// memory is an output file of fixed size.
type memory []byte

func (m memory) WriteAt(b []byte, at int64) (int, error) { return copy(m[at:at+int64(len(b))], b), nil }

func TestBoxesTogetherAreTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	single, several := 0, 0
	for range 3000 {
		d := randomDesc(r)
		src, want := bytesOf(t, d, r)
		most := 1 + r.Int64N(200)
		bands := cutBands(d, d.Input.DataType.Size(), most)
		require.True(t, bands.output().stretches() == 1)
		long := cutBands(d, d.Input.DataType.Size(), most)
		long.grow(3 * most)
		for _, boxes := range []boxes{bands, long, cutFile(d, d.Input.DataType.Size(), most)} {
			got, written := make([]byte, len(want)), int64(0)
			require.LessOrEqual(t, boxes.bytes(), max(3*most, int64(d.Input.DataType.Size())))
			for i := range boxes.count {
				box, origin := boxes.box(i)
				require.LessOrEqual(t, OutputBytes(box, box.Input.DataType.Size()), boxes.bytes())
				out := sliceOf(t, box, r.Int64N(9), bytes.NewReader(src))
				to := place(box, box.Input.DataType.Size(), origin, slice1.TensorDesc{DataType: slice1.Uint8, Sizes: d.Output.Sizes}.MemoryStrides())
				require.Equal(t, OutputBytes(box, box.Input.DataType.Size()), to.bytes())
				require.NoError(t, to.write(memory(got), out))
				written += to.bytes()
			}
			require.Equal(t, int64(len(want)), written)
			require.Equal(t, want, got, "%+v", d)
			if boxes.count == 1 {
				single++
			} else {
				several++
			}
		}
		if first, n, ok := OneStretch(d); ok {
			require.Equal(t, want, src[first:first+n], "%+v", d)
		}
	}
	assert.Positive(t, single)
	assert.Positive(t, several)
}

// Slices of a column-major file cost little for each byte. In such a file all elements of a band
// are far apart, so by bands a byte would cost thousands.
func TestColumnMajorFilesAreCutIntoLongBoxes(t *testing.T) {
	shape := []int{20_000, 1 << 20}
	for index, most := range map[string]float64{"[...]": 5, "[::-1, ::512]": 4, "[::20]": 40, "[::16, ::16]": 30} {
		w, _, err := slice1.ParseIndex(index, shape)
		require.NoError(t, err)
		d := slice1.NewDesc(slice1.Uint8, shape, w)
		bands := cutFile(d, d.Input.DataType.Size(), 8<<20)
		assert.True(t, bands.output().stretches() == 1 || index == "[::16, ::16]", index)
		d.Input.Strides = []int{1, shape[0]}
		boxes := cutFile(d, d.Input.DataType.Size(), 8<<20)
		assert.LessOrEqual(t, boxes.cost(), most, index)
		assert.LessOrEqual(t, boxes.input().bytes(), int64(8<<20), index)
		assert.LessOrEqual(t, boxes.bytes(), int64(8<<20), index)
	}
}

func TestOneStretchIsSeen(t *testing.T) {
	for index, want := range map[string]bool{
		"[...]": true, "[2:5]": true, "[3]": true, "[3, 1:4]": true, "[3, 2, 1:4]": true, "[3:4, 2:3, 1:4]": true, "[1::9, 2]": true,
		"[:, 1:]": false, "[::2]": false, "[::-1]": false, "[..., :3]": false, "[3, ::2]": false,
	} {
		w, _, err := slice1.ParseIndex(index, []int{8, 6, 5})
		require.NoError(t, err)
		_, _, ok := OneStretch(slice1.NewDesc(slice1.Int32, []int{8, 6, 5}, w))
		assert.Equal(t, want, ok, index)
	}
}
