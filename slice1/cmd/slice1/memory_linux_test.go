//go:build !race

package main

import (
	"bytes"
	"io"
	"math/bits"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// Slices of a file of 20 GB need at most 200 MiB of memory. The build line leaves out the tests of
// this file under the race detector, since it takes memory itself.
func TestTwentyGigabytesNeedLittleMemory(t *testing.T) {
	needs64Bits(t)
	const most = 200 // MiB
	for _, row := range []struct {
		fortran bool
		index   string
		size    int // of the result
	}{
		{false, "[1000:0:-1, ::4096]", 1000 * 256}, // every page of a gigabyte
		{false, "[19000:19010]", 10 << 20},
		{false, "[19000:19010, 1:]", 10<<20 - 10},
		{false, "[:, 7]", 20_000},
		{true, "[:, 5:50]", 20_000 * 45},
		{true, "[::-1, ::512]", 20_000 * 2048},
		{true, "[777, ::16]", 1 << 16},
		{true, "[::100, ::300]", 200 * 3496},
	} {
		d := newDir(t)
		d.sparse("in.npy", row.fortran, 20_000, 1<<20)
		for _, out := range []string{"./out.npy", "-"} {
			cmd := d.process("peak", row.index, "./in.npy", out)
			var stdout bytes.Buffer
			if cmd.Stdout = nil; out == "-" {
				cmd.Stdout = &stdout
			}
			assert.LessOrEqual(t, d.peak(cmd), most, row.index)
			if out == "-" {
				d.write("out.npy", stdout.Bytes())
			}
			h, got := d.array("out.npy")
			assert.Equal(t, slice1.Uint8, h.Type)
			assert.Len(t, got, row.size, row.index)
			assert.Zero(t, bytes.Count(got, []byte{0})-len(got), row.index)
		}
	}
}

// peak runs a command in the state "peak", and returns the peak of its memory in MiB.
func (d dir) peak(cmd *exec.Cmd) int {
	d.Helper()
	require.NoError(d, cmd.Start())
	code, stderr := d.ends(cmd)
	require.Equal(d, exitOK, code, stderr)
	kib, err := strconv.Atoi(stderr)
	require.NoError(d, err)
	return kib >> 10
}

// zeros is a stream of zeros without an end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestPipesNeedLittleMemoryAndEndWithWhatIsTaken(t *testing.T) {
	d := newDir(t)
	header := npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{1 << 30, 1000}}, nil)
	endless := io.MultiReader(bytes.NewReader(header), zeros{})
	most := 50
	half := io.LimitReader(zeros{}, 200_000_000)
	for _, row := range []struct {
		in   io.Reader
		args []string
		size int // of the result
		most int // MiB of memory, besides the memory of every job
	}{
		{zeros{}, []string{"-raw", "uint8", "-shape", "-1,1000", "[:10]", "-", "-"}, 10_000, 0},
		{zeros{}, []string{"-raw", "uint8", "-shape", "-1,1000", "[20:10:-1, ::-1]", "-", "-"}, 10_000, 0},
		{zeros{}, []string{"-to", "raw", "-raw", "uint8", "-shape", "-1,1000", "[:200000:2, 7]", "-", "-"}, 100_000, 0},
		{io.LimitReader(zeros{}, 200_000_000), []string{"-raw", "uint8", "-shape", "2000,100000", "[1::2, ::-5000]", "-", "-"}, 20_000, 0},
		{endless, []string{"[100000:200000:5, ::-500]", "-", "-"}, 128 + 40_000, 0},
		{half, []string{"-to", "raw", "-raw", "uint8", "-shape", "-1,1000", "[::2, ::-1]", "-", "-"}, 100_000_000, 0},
		{io.LimitReader(zeros{}, 300_000_000), []string{"-raw", "uint8", "-shape", "300000,1000", "[::-1, :1]", "-", "-"}, 300_000, 500}, // all rows are held, 286 MiB
	} {
		if row.in == endless && bits.UintSize < 64 {
			continue // an array of 1 TB
		}
		cmd := d.process("peak", row.args...)
		var stdout counter
		cmd.Stdin, cmd.Stdout = row.in, &stdout
		assert.LessOrEqual(t, d.peak(cmd), most+row.most, row.args)
		assert.Equal(t, row.size, int(stdout), row.args)
	}
}

// counter is a writer that only counts the bytes.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}
