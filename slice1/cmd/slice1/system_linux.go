package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// roomFor returns an error if f's file system has less than size bytes left for this user. A file
// system of length 0 does not know its length, and is no error.
func roomFor(f *os.File, size int64) error {
	var left unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &left) == nil && left.Blocks > 0 && uint64(size)/uint64(left.Bsize) > left.Bavail {
		return &fs.PathError{Op: "allocate", Path: f.Name(), Err: unix.ENOSPC}
	}
	return nil
}

// leastAddresses is what Go's runtime and threads need beside what a job holds.
const leastAddresses = 512 << 20

// checkLimits returns an error if `ulimit -v` leaves too little for Go's runtime, which would end
// in the middle of a job.
func checkLimits() error {
	if free := freeAddresses(); free < leastAddresses {
		return fmt.Errorf("ulimit -v leaves %s of addresses, at least %s are needed", binaryUnits(float64(free)), binaryUnits(leastAddresses))
	}
	return nil
}

// freeAddresses returns the bytes that RLIMIT_AS leaves.
func freeAddresses() int64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) != nil || limit.Cur >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(int64(limit.Cur)-field("/proc/self/status", "VmSize:", 1<<10), 0)
}

// memoryLimit returns the bytes of memory that the process may have: those of the machine, of its
// control groups, or what RLIMIT_AS leaves, whichever are fewest.
func memoryLimit() int64 {
	return min(field("/proc/meminfo", "MemTotal:", 1<<10), groupLimit("/proc/self/cgroup", "/sys/fs/cgroup"), max(freeAddresses()-leastAddresses, 0))
}

// groupLimit returns the least limit of the control groups of the process: its own group and all
// groups around it. Groups are folders in root, one inside the other. list is a file with a line
// for each hierarchy of groups: its number, its controllers (none in version 2), and the group.
func groupLimit(list, root string) int64 {
	least := int64(math.MaxInt64)
	text, _ := os.ReadFile(list) // without groups there are no limits
	for line := range strings.Lines(string(text)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		hierarchy, file := "", "memory.max"
		if parts[1] != "" { // version 1
			hierarchy, file = "memory", "memory.limit_in_bytes"
		}
		if parts[1] != "" && !strings.Contains(","+parts[1]+",", ",memory,") {
			continue
		}
		for group := filepath.Clean("/" + parts[2]); ; group = filepath.Dir(group) {
			least = min(least, field(filepath.Join(root, hierarchy, group, file), "", 1))
			if group == "/" {
				break
			}
		}
	}
	return least
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
