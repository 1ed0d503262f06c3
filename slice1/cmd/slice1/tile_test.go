package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// randomDesc is a descriptor with a packed output, partial or not.
func randomDesc(r *rand.Rand) *slice1.Desc {
	var w slice1.Window
	shape := []int{}
	for range 1 + r.IntN(5) {
		n := 1 + r.IntN(9)
		offset := r.IntN(n)
		size := 1 + r.IntN(n-offset)
		stride := r.IntN(9) - 4
		if stride == 0 {
			stride = 1 << 30
		}
		shape = append(shape, n)
		w.Offsets = append(w.Offsets, offset)
		w.Sizes = append(w.Sizes, size)
		w.Strides = append(w.Strides, stride)
		w.Out = append(w.Out, 1+r.IntN(1+int(uint(size-1)/magnitude(stride))))
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

// memory is a file of fixed size.
type memory []byte

func (m memory) WriteAt(b []byte, at int64) (int, error) { return copy(m[at:at+int64(len(b))], b), nil }

func TestTilesTogetherAreTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	single, several := 0, 0
	for range 3000 {
		d := randomDesc(r)
		n, err := d.Input.MinSize()
		require.NoError(t, err)
		src := make([]byte, n)
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		size, err := d.Output.MinSize()
		require.NoError(t, err)
		want := make([]byte, size)
		p, err := slice1.NewPlan(d)
		require.NoError(t, err)
		require.NoError(t, p.Run(want, src))

		most := 1 + r.Int64N(200)
		all := cutBands(d, most)
		require.True(t, all.bands())
		grown := cutBands(d, most)
		grown.grow(3 * most)
		for _, cutting := range []tiles{all, grown, cutTiles(d, most)} {
			got, written := make([]byte, size), int64(0)
			for i := range cutting.count {
				part, origin := cutting.at(i)
				require.LessOrEqual(t, elementBytes(part), cutting.bytes())
				require.LessOrEqual(t, cutting.bytes(), max(3*most, int64(d.Input.DataType.Size())))
				from, alone := gather(part, r.Int64N(9))
				in := make([]byte, from.bytes())
				require.NoError(t, from.read(bytes.NewReader(src), in))
				p, err := slice1.NewPlan(alone)
				require.NoError(t, err, "%+v of %+v", alone, d)
				tile := make([]byte, elementBytes(part))
				require.NoError(t, p.Run(tile, in))
				to := cutting.place(part, origin)
				require.Equal(t, elementBytes(part), to.bytes())
				require.NoError(t, to.write(memory(got), tile))
				written += to.bytes()
			}
			require.Equal(t, size, written)
			require.Equal(t, want, got, "%+v", d)
			if cutting.count == 1 {
				single++
			} else {
				several++
			}
		}

		// What is called one run is one.
		s := &slice{in: &array{source: &source{}, dtype: d.Input.DataType}, desc: d, shape: d.Output.Sizes}
		if at, n, ok := s.contiguous(); ok {
			require.Equal(t, want, src[at:at+n], "%+v", d)
		}
	}
	assert.Positive(t, single)
	assert.Positive(t, several)
}

func TestOneRunIsSeen(t *testing.T) {
	for index, want := range map[string]bool{
		"[...]": true, "[2:5]": true, "[3]": true, "[3, 1:4]": true, "[3, 2, 1:4]": true, "[3:4, 2:3, 1:4]": true, "[1::9, 2]": true,
		"[:, 1:]": false, "[::2]": false, "[::-1]": false, "[..., :3]": false, "[3, ::2]": false,
	} {
		w, shape, err := slice1.ParseIndex(index, []int{8, 6, 5})
		require.NoError(t, err)
		s := &slice{in: &array{source: &source{}, dtype: slice1.Int32}, desc: slice1.NewDesc(slice1.Int32, []int{8, 6, 5}, w), shape: shape}
		_, _, ok := s.contiguous()
		assert.Equal(t, want, ok, index)
	}
}

// Whatever way the bytes take, they are the same.
func TestEveryWayToWriteGivesTheSame(t *testing.T) {
	const rows, columns = 1100, 3000 // more than three bands
	d := newDir(t)
	data := make([]byte, 4+rows*columns)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	d.write("in.raw", data[:rows*columns])
	for _, index := range []string{"[:, ::-1]", "[5:1000]", "[::-1]", "[:, 1:2999]"} {
		flags := [][]string{{"-j", "1"}, {"-j", "3"}, {}, {"-kernel", "go"}}
		for i, f := range flags {
			args := append(append([]string{"-force"}, f...), "-raw", "u1", "-shape", "-1,3000", index, "./in.raw")
			d.works(append(args, "./out.raw")...)
			code, stdout, stderr := d.run(append(append([]string{"-to", "raw"}, args[1:]...), "-")...)
			require.Equal(t, exitOK, code, stderr)
			require.Equal(t, d.read("out.raw"), []byte(stdout), "%s %v", index, f)
			if i == 0 {
				d.write("first.raw", []byte(stdout))
			}
			require.Equal(t, d.read("first.raw"), []byte(stdout), "%s %v", index, f)
		}
	}
}

func TestWriteErrorsEndAllBands(t *testing.T) {
	d := newDir(t)
	d.write("in.raw", make([]byte, 8<<20))
	j := job{index: "[::-1]", in: d.at("in.raw"), raw: "u1", shape: "8,-1", workers: 3}
	s, err := j.load()
	require.NoError(t, err)
	defer s.in.close()
	f, err := os.Open(d.at("in.raw"))
	require.NoError(t, err)
	require.NoError(t, f.Close())
	assert.ErrorIs(t, j.run(context.Background(), s, sink{w: f, file: f}), os.ErrClosed)
}

// A band of a column-major file has an element here and there: its cost for each
// byte is thousands.
func TestColumnMajorFilesAreCutIntoTiles(t *testing.T) {
	shape := []int{20_000, 1 << 20}
	for index, most := range map[string]float64{"[...]": 5, "[::-1, ::512]": 4, "[::20]": 40, "[::16, ::16]": 30} {
		w, _, err := slice1.ParseIndex(index, shape)
		require.NoError(t, err)
		d := slice1.NewDesc(slice1.Uint8, shape, w)
		bands := cutTiles(d, 8<<20)
		assert.True(t, bands.bands() || index == "[::16, ::16]", index)
		d.Input.Strides = []int{1, shape[0]}
		tiles := cutTiles(d, 8<<20)
		assert.LessOrEqual(t, tiles.cost(), most, index)
		assert.LessOrEqual(t, tiles.load(), int64(8<<20), index)
		assert.LessOrEqual(t, tiles.bytes(), int64(8<<20), index)
	}
}
