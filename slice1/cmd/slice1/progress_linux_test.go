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

func TestBarShowsHowFarAJobIs(t *testing.T) {
	master, slave := terminal(t)
	m := newMeter(slave, 8<<20, 0)
	shown := make(chan string)
	go func() {
		seen, buf := "", make([]byte, 4096)
		for !strings.Contains(seen, "4.0 MiB of 8.0 MiB") {
			n, err := master.Read(buf)
			if err != nil {
				break
			}
			seen += string(buf[:n])
		}
		shown <- seen
	}()
	m.add(4 << 20)
	assert.Regexp(t, `4\.0 MiB of 8\.0 MiB \[=+>-*\] .*B/s`, <-shown)
	go func() { _, _ = io.Copy(io.Discard, master) }()
	m.done()
	(*meter)(nil).add(1)
	(*meter)(nil).done()
}

func TestBarIsForTerminalsAndLongJobs(t *testing.T) {
	master, slave := terminal(t)
	j := job{stderr: slave}
	m := j.newMeter(10)
	require.NotNil(t, m)
	m.add(10)
	m.done()
	j.quiet = true
	assert.Nil(t, j.newMeter(10))
	d := newDir(t)
	f, err := os.Create(d.at("file"))
	require.NoError(t, err)
	defer f.Close()
	j = job{stderr: f}
	assert.Nil(t, j.newMeter(10))
	_, err = slave.WriteString("end")
	require.NoError(t, err)
	buf := make([]byte, 100)
	n, err := master.Read(buf)
	require.NoError(t, err)
	assert.Equal(t, "end", string(buf[:n])) // and nothing before it: the job took less than patience
}
