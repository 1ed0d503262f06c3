package outofcore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

func indexed(t *testing.T, index string, shape ...int) *slice1.Desc {
	w, _, err := slice1.ParseIndex(index, shape)
	require.NoError(t, err)
	return slice1.NewDesc(slice1.Uint8, shape, w)
}

// Run and ToMemory give the same bytes, from a file and from memory. The
// output of each slice is larger than a band.
func TestEveryWayGivesTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, index := range []string{"[:, ::-1]", "[5:1500]", "[::-1]", "[:, 1:999]"} {
		d := indexed(t, index, 1600, 1000)
		if index == "[::-1]" { // column-major
			d.Input.Strides = []int{1, 1600}
		}
		src, want := bytesOf(t, d, r)
		for _, workers := range []int{0, 3} {
			for _, data := range [][]byte{nil, src} {
				var done atomic.Int64
				s := &Slicer{Input: bytes.NewReader(src), Data: data, Workers: workers, Advance: func(n int64) { done.Add(n) }}
				ctx := context.Background()

				file := make([]byte, 7+len(want))
				require.NoError(t, s.Run(ctx, d, Output{File: memory(file), Base: 7}))
				require.Equal(t, want, file[7:], index)
				require.Equal(t, int64(len(want)), done.Swap(0))

				got := make([]byte, len(want))
				require.NoError(t, s.ToMemory(ctx, d, got))
				require.Equal(t, want, got, index)
				require.Zero(t, done.Load())

				var stream bytes.Buffer
				require.NoError(t, s.Run(ctx, d, Output{W: &stream}))
				require.Equal(t, want, stream.Bytes(), index)
				require.Equal(t, int64(len(want)), done.Swap(0))
			}
		}
	}
}

func TestPartsOfAFileAreTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		d := randomDesc(r)
		src, want := bytesOf(t, d, r)
		got := make([]byte, 3+len(want))
		s := &Slicer{Input: bytes.NewReader(src), Workers: 2}
		shards, err := d.Split(1 + r.IntN(100))
		require.NoError(t, err)
		for _, shard := range shards {
			require.NoError(t, s.Run(context.Background(), shard.Desc, Output{File: memory(got), Base: 3 + shard.Offset}))
		}
		require.Equal(t, want, got[3:])
	}
}

// short is an input and an output. It returns an error at the first call.
type short struct{ err error }

func (s short) ReadAt([]byte, int64) (int, error)  { return 0, s.err }
func (s short) WriteAt([]byte, int64) (int, error) { return 0, s.err }
func (s short) Write([]byte) (int, error)          { return 0, s.err }

func TestTheFirstErrorEndsASlice(t *testing.T) {
	bad, ctx := short{errors.New("no bytes")}, context.Background()
	d := indexed(t, "[::-1]", 1000, 3000)
	src := make([]byte, 3_000_000)
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	for _, row := range []struct {
		s    *Slicer
		ctx  context.Context
		f    io.WriterAt
		w    io.Writer
		want error
	}{
		{&Slicer{Input: bad, Workers: 2}, ctx, memory(make([]byte, len(src))), io.Discard, bad.err},
		{&Slicer{Data: src}, ctx, bad, bad, bad.err},
		{&Slicer{Data: src, Options: []slice1.Option{slice1.WithKernel("none such")}}, ctx, memory{}, io.Discard, slice1.ErrKernel},
		{&Slicer{Data: src}, canceled, memory{}, io.Discard, context.Canceled},
	} {
		assert.ErrorIs(t, row.s.Run(row.ctx, d, Output{File: row.f}), row.want)
		assert.ErrorIs(t, row.s.Run(row.ctx, d, Output{W: row.w}), row.want)
	}
}

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
		assert.Equal(t, region{start: first, length: 1, count: []int{2, 2}, step: []int64{row, 2 * plane}}, from)
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
