package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// limitFiles limits the process to n open files.
func limitFiles(n uint64) {
	must(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: n}))
}

func TestOutputsLargerThanTheDiskTakeNothing(t *testing.T) {
	needs64Bits(t)
	d := newDir(t)
	f, err := os.Create(d.at("f"))
	require.NoError(t, err)
	defer f.Close()
	require.ErrorIs(t, roomFor(f, 1<<60), unix.ENOSPC)
	require.NoError(t, roomFor(f, 4096))
	d.write("in.raw", nil)
	if os.Truncate(d.at("in.raw"), 1<<43) != nil {
		t.Skip("no sparse files of 8 TiB")
	}
	for _, args := range [][]string{{"-q", "./out.npy"}, {"-q", "./out.raw"}, {"-q", "./out.npz"}, {"-part=1/2", "./out.npy"}} {
		// If the command did not ask for the free space, a limit on the size of files would keep it
		// from filling the disk.
		stderr := d.fails(d.process("limit", args[0], "-raw", "u1", "-shape", "8,-1", "[::-1]", "./in.raw", args[1]))
		assert.Contains(t, stderr, "no space left on device", args)
	}
	d.forget("out.npy")
	assert.Equal(t, []string{"f", "in.raw"}, d.files())
}

func TestFewOpenFilesAreEnough(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	cmd := d.process("files 12", "[::-1]", "./in.npy", "./out.npy")
	require.NoError(t, cmd.Start())
	code, stderr := d.ends(cmd)
	assert.Equal(t, exitOK, code, stderr)
	assert.Equal(t, []string{"in.npy", "out.npy"}, d.files())
}

// measured runs the command, prints the peak of this process's memory in KiB on standard error, and
// exits with the command's code.
func measured() {
	code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	status, err := os.ReadFile("/proc/self/status")
	must(err)
	fmt.Fprint(os.Stderr, string(regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)[1]))
	os.Exit(code)
}

func TestFullDeviceIsAnError(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 1000)
	for _, format := range []string{"npy", "npz", "raw"} {
		stderr := d.fails(d.process("", "-to", format, "[:]", "./in.npy", "/dev/full"))
		assert.Contains(t, stderr, "/dev/full: no space left on device")
	}
}

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
	m := newMeter(slave, false, 10)
	m.add(10)
	m.done()
	_, err := slave.WriteString("end")
	require.NoError(t, err)
	require.Equal(t, "end", read()) // and nothing before it: the job took less than patience
	m = startMeter(slave, 8<<20, 0)
	m.add(4 << 20)
	seen := read()
	for !strings.Contains(seen, "4.0 MiB of 8.0 MiB") {
		seen += read()
	}
	assert.Regexp(t, `4\.0 MiB of 8\.0 MiB \[=+>-*\] .*B/s`, seen)
	go func() { _, _ = io.Copy(io.Discard, master) }()
	m.done()
	for _, none := range []*meter{newMeter(slave, true, 10), newMeter(io.Discard, false, 10)} {
		m = none
		require.Nil(t, m)
		m.add(1)
		m.done()
	}
}
