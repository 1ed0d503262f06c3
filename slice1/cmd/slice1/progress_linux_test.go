package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// terminal returns both ends of a new pseudo-terminal.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { master.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100}))
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

// The bar is for terminals and long jobs. It shows how far a job is, and vanishes.
func TestBarShowsHowFarAJobIs(t *testing.T) {
	master, slave := terminal(t)
	buf := make([]byte, 4096)
	read := func() string {
		n, err := master.Read(buf)
		require.NoError(t, err)
		return string(buf[:n])
	}
	j := job{stderr: slave}
	m := j.newMeter(10)
	m.add(10)
	m.done()
	_, err := slave.WriteString("end")
	require.NoError(t, err)
	require.Equal(t, "end", read()) // and nothing before it: the job took less than patience
	m = newMeter(slave, 8<<20, 0)
	m.add(4 << 20)
	seen := read()
	for !strings.Contains(seen, "4.0 MiB of 8.0 MiB") {
		seen += read()
	}
	assert.Regexp(t, `4\.0 MiB of 8\.0 MiB \[=+>-*\] .*B/s`, seen)
	go func() { _, _ = io.Copy(io.Discard, master) }()
	m.done()
	for _, none := range []job{{stderr: slave, quiet: true}, {stderr: io.Discard}} {
		m = none.newMeter(10)
		require.Nil(t, m)
		m.add(1)
		m.done()
	}
}
