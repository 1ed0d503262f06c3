package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns how long the calling thread has run. The time that other programs take of its
// processor does not count. The goroutine must be locked to the thread.
func cpuTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // every Linux has this clock
	}
	return time.Duration(t.Nano())
}

// pin keeps the calling thread, and processes that it starts, on the last processor that they may
// use. Processors may run at different speeds, and a thread that moves loses its caches. The
// goroutine must be locked to the thread.
func pin() error {
	var allowed, pinned unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return err
	}
	highest := 0
	for cpu := range 64 * len(allowed) {
		if allowed.IsSet(cpu) {
			highest = cpu
		}
	}
	pinned.Set(highest)
	return unix.SchedSetaffinity(0, &pinned)
}

// huge asks for pages of 2 MiB for b, like NumPy for its arrays. So the same addresses share the
// same sets of the caches in every process. If the system refuses, b keeps the pages that it has.
func huge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
