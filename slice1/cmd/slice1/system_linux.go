package main

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// adviseRandom asks the system not to read ahead in f. It ignores the system's errors.
func adviseRandom(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM) }

// allocate makes f, which is empty, size bytes long and takes the disk space. If the file system
// cannot do that, it does nothing.
func allocate(f *os.File, size int64) error {
	for {
		switch err := unix.Fallocate(int(f.Fd()), 0, 0, size); {
		case errors.Is(err, errors.ErrUnsupported):
			return nil
		case !errors.Is(err, unix.EINTR):
			return err
		}
	}
}

// mostMemory returns the bytes that inputs and outputs may hold: half of the least of what the
// machine has free, what the control group may still take, and what RLIMIT_AS leaves. Go's heap may
// be twice what is in use.
func mostMemory() int64 {
	available := field("/proc/meminfo", "MemAvailable:", 1<<10)
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) == nil && limit.Cur < math.MaxInt64 {
		available = min(available, max(int64(limit.Cur)-field("/proc/self/status", "VmSize:", 1<<10), 0))
	}
	for _, group := range [][2]string{{"memory.max", "memory.current"}, {"memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"}} {
		if total := field(filepath.Join("/sys/fs/cgroup", group[0]), "", 1); total < math.MaxInt64 {
			available = min(available, max(total-field(filepath.Join("/sys/fs/cgroup", group[1]), "", 1), 0))
		}
	}
	return available / 2
}

// field returns the number behind a name in a file of the system, or at its beginning if name is "",
// times unit. It returns math.MaxInt64 if there is none.
func field(file, name string, unit int64) int64 {
	text, err := os.ReadFile(file)
	if _, rest, ok := bytes.Cut(text, []byte(name)); err == nil && ok {
		if words := bytes.Fields(rest); len(words) > 0 {
			if n, err := strconv.ParseInt(string(words[0]), 10, 64); err == nil && n < math.MaxInt64/unit {
				return n * unit
			}
		}
	}
	return math.MaxInt64
}
