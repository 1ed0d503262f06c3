//go:build !linux

package main

// huge does nothing: only Linux is asked for large pages.
func huge([]byte) {}
