package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// adviseRandom asks the system not to read ahead in f. It ignores the system's errors.
func adviseRandom(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM) }

// allocate makes the empty file f size bytes long and takes the disk space. If the file system
// cannot do that, allocate does nothing. If there is too little space, it takes none.
func allocate(f *os.File, size int64) error {
	if err := roomFor(f, size); err != nil {
		return err
	}
	for {
		switch err := unix.Fallocate(int(f.Fd()), 0, 0, size); {
		case errors.Is(err, errors.ErrUnsupported):
			return nil
		case !errors.Is(err, unix.EINTR):
			return err
		}
	}
}

// roomFor returns an error if f's file system has less than size bytes left. A file system of
// length 0 does not know its length, and is no error.
func roomFor(f *os.File, size int64) error {
	var fs unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &fs) == nil && fs.Blocks > 0 && uint64(size)/uint64(fs.Bsize) > fs.Bfree {
		return unix.ENOSPC
	}
	return nil
}

// checkLimits returns an error if a limit of the process leaves too little for Go's runtime. The
// runtime would end in the middle of a job.
func checkLimits() error {
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) == nil && files.Cur < leastFiles {
		return fmt.Errorf("ulimit -n %d is too low, at least %d files are needed", files.Cur, leastFiles)
	}
	if free := freeAddresses(); free < leastAddresses {
		return fmt.Errorf("ulimit -v leaves %s of addresses, at least %s are needed", binaryUnits(float64(free)), binaryUnits(leastAddresses))
	}
	return nil
}

const (
	leastFiles     = 12
	leastAddresses = 512 << 20
)

// freeAddresses returns the bytes that RLIMIT_AS leaves.
func freeAddresses() int64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(int64(limit.Cur)-field("/proc/self/status", "VmSize:", 1<<10), 0)
}

// freeMemory returns the least of three numbers: the bytes that the machine has free, the bytes
// that the control groups may still take, and the addresses that RLIMIT_AS leaves besides those for
// Go's runtime and threads.
func freeMemory() int64 {
	return min(field("/proc/meminfo", "MemAvailable:", 1<<10), freeInGroups("/proc/self/cgroup", "/sys/fs/cgroup"), max(freeAddresses()-leastAddresses, 0))
}

// freeInGroups returns how many bytes the control groups of the process leave. The process belongs
// to a group and all groups around it, and the least of their numbers counts. Groups are folders in
// root, one inside the other. list is a file with a line for each hierarchy of groups: its number,
// its controllers (none in version 2), and the group.
func freeInGroups(list, root string) int64 {
	free := int64(math.MaxInt64)
	text, _ := os.ReadFile(list) // without groups there are no limits
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		limits, used, cache := []string{"memory.max", "memory.high"}, "memory.current", "\ninactive_file "
		switch {
		case len(parts) < 3:
			continue
		case slices.Contains(strings.Split(parts[1], ","), "memory"):
			parts[1], limits, used, cache = "memory", []string{"memory.limit_in_bytes"}, "memory.usage_in_bytes", "total_inactive_file "
		case parts[1] != "":
			continue
		}
		for group := filepath.Clean("/" + parts[2]); ; group = filepath.Dir(group) {
			at := filepath.Join(root, parts[1], group)
			for _, limit := range limits {
				if most := field(filepath.Join(at, limit), "", 1); most < math.MaxInt64 {
					// The cache of files that were not used again counts as free, if it is known.
					taken := field(filepath.Join(at, used), "", 1) - field(filepath.Join(at, "memory.stat"), cache, 1)%math.MaxInt64
					free = min(free, max(most-taken, 0))
				}
			}
			if group == "/" {
				break
			}
		}
	}
	return free
}

// field returns the number after a name in a file of the system, times unit. If name is "", it is
// the number at the beginning of the file. If there is no number, field returns math.MaxInt64.
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
