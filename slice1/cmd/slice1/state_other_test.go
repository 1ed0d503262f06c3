//go:build unix && !linux

package main

// Only tests that run on Linux alone need these.

func mounted(kind, path string) { panic(kind + " " + path) }

func measured() { panic("peak") }
