//go:build unix && !linux

package main

// The tests that need these run on Linux alone.

func mounted(kind, path string) { panic(kind + " " + path) }

func measured() { panic("peak") }
