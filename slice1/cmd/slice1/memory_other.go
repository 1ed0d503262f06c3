//go:build !linux

package main

import "math"

// mostMemory returns the bytes that inputs and outputs may hold: 4 GiB, or a quarter of the address
// space of 32 bits.
func mostMemory() int64 { return min(4<<30, math.MaxInt/2) }
