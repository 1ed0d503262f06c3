//go:build !windows

package engine

import "time"

var epoch = time.Now()

// clock returns the time since the process began, in nanoseconds.
func clock() int64 { return int64(time.Since(epoch)) }
