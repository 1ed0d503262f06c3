//go:build unix && !linux

package main

// Only tests that run only on Linux need these.

func mounted(kind, path string) { panic(kind + " " + path) }

func limitAddresses(int64) { panic("addresses") }

func measured() { panic("peak") }

func limitFiles(uint64) { panic("files") }
