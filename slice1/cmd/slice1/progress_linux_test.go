package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/npy"
)

// terminal returns both ends of a new terminal.
func terminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { master.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 100}))
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

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
		{"[1000:0:-1, ::4096]", 1000 * 256, 160 << 20}, // touches every page of a gigabyte
		{"[9000:9010]", 10 << 20, 64 << 20},
		{"[:, 7]", 10_000, 160 << 20},
		{"[9000:9010, 1:]", 10<<20 - 10, 96 << 20},
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
	assert.Equal(t, "end", string(buf[:n])) // of a job that took no second
}
