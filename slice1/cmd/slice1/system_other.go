//go:build !linux

package main

import "os"

// roomFor finds no fault on this system.
func roomFor(*os.File, int64) error { return nil }
