package main

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/npy"
)

// sparse makes a .npy file of zeros that take no space: rows of 1 MiB.
func (d dir) sparse(name string, rows int) {
	d.Helper()
	d.write(name, npy.AppendHeader(nil, npy.Header{Type: slice1.Uint8, Shape: []int{rows, 1 << 20}}))
	info, err := os.Stat(d.at(name))
	require.NoError(d, err)
	require.NoError(d, os.Truncate(d.at(name), info.Size()+int64(rows)<<20))
}

// The child slices 10 GB in a process of its own, whose peak is then known.
func TestTenGigabytesNeedLittleMemory(t *testing.T) {
	if child := os.Getenv("SLICE1_TEST_CHILD"); child != "" {
		args := strings.Split(child, "\n")
		require.Equal(t, exitOK, run(args, nil, os.Stdout, os.Stderr))
		return
	}
	d := newDir(t)
	d.sparse("in.npy", 10_000)
	for _, row := range []struct {
		index string
		size  int64 // of the result
		most  int64 // of the peak, in bytes
	}{
		{"[1000:0:-1, ::4096]", 1000 * 256, 256 << 20}, // touches every page of a gigabyte
		{"[9000:9010]", 10 << 20, 256 << 20},
		{"[:, 7]", 10_000, 256 << 20},
		{"[9000:9010, 1:]", 10<<20 - 10, 256 << 20},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestTenGigabytesNeedLittleMemory$")
		args := []string{"-force", row.index, d.at("in.npy"), d.at("out.npy")}
		cmd.Env = append(os.Environ(), "SLICE1_TEST_CHILD="+strings.Join(args, "\n"))
		output, err := cmd.CombinedOutput()
		require.NoError(t, err, string(output))
		peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
		t.Logf("%s: peak of %d MiB, %v", row.index, peak>>20, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		assert.LessOrEqual(t, peak, row.most, row.index)
		h, got := d.array("out.npy")
		assert.Equal(t, slice1.Uint8, h.Type)
		assert.Equal(t, make([]byte, row.size), got, row.index)
	}
}
