// Command consumer slices an array with the kernels in C, checks each byte, and prints which
// kernels ran. In a library for C, RunConsumer does so.
package main

import "C"

import (
	"fmt"
	"os"
)

func main() { os.Exit(int(RunConsumer())) }

// RunConsumer does what the command does. It returns 0, or 1 if that failed.
//
//export RunConsumer
func RunConsumer() C.int {
	names, err := check()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(names)
	return 0
}
