//go:build unix && !linux

package main

// Only tests that run only on Linux need these.

func measured() { panic("peak") }

func limitFiles(uint64) { panic("files") }
