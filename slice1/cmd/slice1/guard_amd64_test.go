//go:build unix

package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Not for every processor: qemu-aarch64 does not tell where the fault is.
func TestFaultIsAnError(t *testing.T) {
	d := newDir(t)
	d.write("in", make([]byte, 4<<20))
	f, err := os.Open(d.at("in"))
	require.NoError(t, err)
	defer f.Close()
	data, unmap, err := mapFile(f, 4<<20)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(d.at("in"), 0))
	sum := byte(0)
	assert.ErrorIs(t, guard(func() error {
		sum += data[1<<20]
		return nil
	}), errFault)
	assert.Zero(t, sum)
	assert.NoError(t, unmap())
	assert.PanicsWithValue(t, "other", func() { _ = guard(func() error { panic("other") }) })
}
