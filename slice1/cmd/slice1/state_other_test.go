//go:build unix && !linux

package main

// Tests that need these are Linux's.

func mounted(kind, path string) { panic(kind + " " + path) }

func measured() { panic("peak") }
