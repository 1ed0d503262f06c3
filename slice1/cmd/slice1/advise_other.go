//go:build !linux

package main

import "os"

// adviseRandom does nothing on this system.
func adviseRandom(*os.File) {}
