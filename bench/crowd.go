package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// A crowd is a number of goroutines that slice at once, each into its own destination of
// `bytes` bytes, for as long as `lasts`. It has crowdProcs processors: few, as in a container.
type crowd struct {
	goroutines, bytes int
	lasts             time.Duration
}

var usualCrowd = crowd{goroutines: 64, bytes: 64 << 20, lasts: 3 * time.Second}

const crowdProcs = 2

// runCrowd prints, for every kernel, how many slices a crowd makes, how late the timer of an
// unrelated goroutine is meanwhile, and how many threads the runtime has created by then. The
// first line, idle, is without a crowd.
func runCrowd(c crowd, stdout io.Writer) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(crowdProcs))
	threads := pprof.Lookup("threadcreate")
	fmt.Fprintf(stdout, "%-8s %8s %10s %10s %10s %8s\n", "kernel", "slices", "late p50", "p99", "most", "threads")
	d, err := stride(2).desc(4, c.bytes)
	if err != nil {
		return err
	}
	in, _ := d.Input.MinSize()
	out, _ := d.Output.MinSize()
	src, dst := make([]byte, in), make([][]byte, c.goroutines)
	for i := range dst {
		dst[i] = make([]byte, out)
	}
	for _, k := range append([]choice{{name: "idle"}}, kernelChoices()...) {
		var stop atomic.Bool
		var count atomic.Int64
		var wg sync.WaitGroup
		failed := make(chan error, c.goroutines)
		for i := range dst {
			if k.name == "idle" {
				break
			}
			wg.Add(1)
			go func() {
				defer wg.Done()
				p, err := slice1.NewPlan(d, k.option, slice1.WithParallelism(1))
				for err == nil && !stop.Load() {
					if err = p.Run(dst[i], src); err == nil {
						count.Add(1)
					}
				}
				if err != nil {
					failed <- err
				}
			}()
		}
		late := lateness(c.lasts)
		stop.Store(true)
		wg.Wait()
		select {
		case err := <-failed:
			return err
		default:
		}
		slices.Sort(late)
		at := func(share float64) time.Duration {
			return late[int(share*float64(len(late)-1))].Round(time.Microsecond)
		}
		fmt.Fprintf(stdout, "%-8s %8d %10v %10v %10v %8d\n", k.name, count.Load(), at(.5), at(.99), at(1), threads.Count())
	}
	return nil
}

// lateness sleeps a millisecond at a time for as long as `lasts`, at least once, and returns how
// much longer each sleep took.
func lateness(lasts time.Duration) (late []time.Duration) {
	for begin := time.Now(); len(late) == 0 || time.Since(begin) < lasts; {
		before := time.Now()
		time.Sleep(time.Millisecond)
		late = append(late, time.Since(before)-time.Millisecond)
	}
	return late
}
