//go:build !linux

package main

import "os"

func adviseRandom(*os.File) {}
