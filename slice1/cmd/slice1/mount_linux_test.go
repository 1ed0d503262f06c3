package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// exitNoMount is the exit code of a process that may not mount.
const exitNoMount = 77

// mounted mounts an empty file system at path. It has 64 KiB if kind is "full", and is read-only if
// kind is "readonly". It then runs the command, prints the names of the files there, and exits with
// the command's code.
func mounted(kind, path string) {
	if err := unix.Mount("none", path, "tmpfs", 0, "size=64k"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitNoMount)
	}
	if kind == "readonly" {
		must(unix.Mount("none", path, "tmpfs", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	}
	code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	entries, err := os.ReadDir(path)
	must(err)
	for _, e := range entries {
		fmt.Println(e.Name())
	}
	os.Exit(code)
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

// If the process may not mount, the test is skipped. TestFileThatCanNotGrowLeavesNothing and
// TestDirectoryThatIsReadOnlyIsAnError then take its place. They need no file systems of their own.
func TestFileSystemsThatTakeNothing(t *testing.T) {
	d := newDir(t)
	noise := make([]byte, 1<<20) // even as a PNG it has more than 64 KiB
	r := rand.New(rand.NewPCG(5, 6))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{1024, 1024}}, noise))
	require.NoError(t, os.Mkdir(d.at("mount"), 0o700))
	for kind, says := range map[string]string{"full": "no space left on device", "readonly": "read-only file system"} {
		for _, out := range []string{"out.npy", "out.raw", "out.npz", "out.png"} {
			cmd := d.process("mount "+kind+" "+d.at("mount"), "[::-1]", "./in.npy", "./mount/"+out)
			cmd.SysProcAttr = &syscall.SysProcAttr{
				Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
				GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
			}
			var stdout bytes.Buffer
			cmd.Stdout = &stdout
			err := cmd.Start()
			if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSPC) {
				t.Skip("no namespace to mount in: ", err)
			}
			require.NoError(t, err)
			code, stderr := d.ends(cmd)
			if code == exitNoMount {
				t.Skip("no mount in a namespace: ", strings.TrimSpace(stderr))
			}
			assert.Equal(t, exitError, code)
			assertOneLine(t, d.at("mount/"+out)+": "+says, stderr)
			assert.Empty(t, stdout.String())
		}
	}
}

func TestFullDeviceIsAnError(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 1000)
	for _, format := range []string{"npy", "npz", "raw"} {
		stderr := d.fails(d.process("", "-to", format, "[:]", "./in.npy", "/dev/full"))
		assert.Contains(t, stderr, "/dev/full: no space left on device")
	}
}
