//go:build !linux

package main

import "time"

var began = time.Now()

// now returns the time since the program began: not every system has a clock for one thread.
func now() time.Duration { return time.Since(began) }

// pin does nothing: not every system can keep a thread on one processor.
func pin() error { return nil }

// huge does nothing: not every system has larger pages to ask for.
func huge([]byte) {}
