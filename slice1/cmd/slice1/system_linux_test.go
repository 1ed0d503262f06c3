package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

// limitFiles limits the process to n open files.
func limitFiles(n uint64) {
	must(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: n, Max: n}))
}

// limitAddresses limits the process to n bytes of addresses more than it has.
func limitAddresses(n int64) {
	n += field("/proc/self/status", "VmSize:", 1<<10)
	must(unix.Setrlimit(unix.RLIMIT_AS, &unix.Rlimit{Cur: uint64(n), Max: uint64(n)}))
}

// The least limit of a group and of the groups around it counts, for version 1 and version 2. A
// group that is missing, for example in a container, has no limit.
func TestLimitsOfControlGroups(t *testing.T) {
	for _, row := range []struct {
		list  string
		files map[string]string
		want  int64
	}{
		{"", nil, math.MaxInt64},
		{"0::/\n", nil, math.MaxInt64},
		{"0::/\n", map[string]string{"memory.max": "1000"}, 1000},
		{"0::/a/b\n", map[string]string{"a/memory.max": "1000", "a/b/memory.max": "max"}, 1000},
		{"0::/a/b\n", map[string]string{"a/memory.max": "1000", "a/b/memory.max": "400"}, 400},
		{"0::/../../a\n", map[string]string{"memory.max": "1000"}, 1000},
		{"7:cpu:/x\n4:memory:/x/y\n0::/\n", map[string]string{"memory/x/memory.limit_in_bytes": "1000", "memory/memory.limit_in_bytes": "9223372036854771712"}, 1000},
		{"4:cpu,memory:/\n", map[string]string{"memory/memory.limit_in_bytes": "600"}, 600},
		{"broken\n", map[string]string{"memory.max": "1000"}, math.MaxInt64},
	} {
		root := t.TempDir()
		for name, text := range row.files {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o777))
			require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o666))
		}
		list := filepath.Join(root, "list")
		require.NoError(t, os.WriteFile(list, []byte(row.list), 0o666))
		assert.Equal(t, row.want, groupLimit(list, root), row)
	}
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

func TestLimitsThatAreTooLowAreRefused(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	d.works("[:]", "./in.npy", "./out.npy")
	states := []string{"files 12"}
	// The race detector takes most addresses.
	if !engine.Race {
		states = append(states, "addresses 600")
		assert.Contains(t, d.fails(d.process("addresses 300", "[:]", "./in.npy", "./out.npy")), "of addresses, at least 512.0 MiB are needed")
		cmd := d.process("addresses 1500", "-raw", "u1", "-to", "npy", "[::-1]", "-", "./out2.npy")
		cmd.Stdin = forever{}
		assert.Contains(t, d.fails(cmd), "standard input takes ")
	}
	for _, state := range states {
		cmd := d.process(state, "-force", "[::-1]", "./in.npy", "./out.npy")
		require.NoError(t, cmd.Start())
		code, stderr := d.ends(cmd)
		assert.Equal(t, exitOK, code, stderr)
	}
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
