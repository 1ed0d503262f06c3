//go:build !linux

package main

import "os"

// adviseRandom does nothing on this system.
func adviseRandom(*os.File) {}

// allocate does nothing on this system: the file takes disk space as it is written.
func allocate(*os.File, int64) error { return nil }

// roomFor and checkLimits find no fault on this system.
func roomFor(*os.File, int64) error { return nil }

func checkLimits() error { return nil }

// freeMemory returns 8 GiB. The command uses half of it.
func freeMemory() int64 { return 8 << 30 }
