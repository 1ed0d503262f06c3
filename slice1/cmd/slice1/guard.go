package main

import (
	"errors"
	"runtime/debug"
)

// errFault is a mapped input that became shorter.
var errFault = errors.New("the input was truncated while it was read, or can not be read")

// guard calls f and turns a fault at a mapped address into an error. A fault
// inside a C kernel can not be turned; array.whole keeps those away except
// where a file shrinks in the milliseconds of one band.
func guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch r := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = errFault
		default:
			panic(r)
		}
	}()
	return f()
}
