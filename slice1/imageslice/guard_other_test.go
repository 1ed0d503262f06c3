//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris)

package imageslice_test

import "testing"

// fenced returns n bytes. This system has no inaccessible pages to put beside them.
func fenced(_ *testing.T, n int, _ bool) []uint8 { return make([]uint8, n) }
