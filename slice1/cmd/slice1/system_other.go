//go:build !linux

package main

import (
	"math"
	"os"
)

// adviseRandom does nothing on this system.
func adviseRandom(*os.File) {}

// allocate does nothing on this system: the file takes disk space as it is written.
func allocate(*os.File, int64) error { return nil }

// mostMemory returns the bytes that inputs and outputs may hold: 4 GiB, or a quarter of the address
// space of 32 bits.
func mostMemory() int64 { return min(4<<30, math.MaxInt/2) }
