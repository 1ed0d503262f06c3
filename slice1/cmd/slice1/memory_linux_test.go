//go:build !race

package main

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// The race detector keeps as much again beside what it watches.
func TestTwentyGigabytesNeedLittleMemory(t *testing.T) {
	const most = 200 << 20
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
			require.NoError(t, cmd.Start())
			code, stderr := d.ends(cmd)
			require.Equal(t, exitOK, code, stderr)
			kib, err := strconv.Atoi(stderr)
			require.NoError(t, err)
			peak := kib << 10
			t.Logf("%s to %s: peak of %d MiB, %v", row.index, out, peak>>20, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
			assert.LessOrEqual(t, peak, most, row.index)
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
