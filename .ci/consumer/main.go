// Command consumer slices the picture that its argument names with the kernels in C, checks each
// byte, and prints which kernels ran. In a library for C, RunConsumer does so.
package main

import "C"

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: consumer PICTURE.png")
		os.Exit(2)
	}
	os.Exit(run(os.Args[1]))
}

// RunConsumer does with a picture what the command does. It returns 0, or 1 if that failed.
//
//export RunConsumer
func RunConsumer(file *C.char) C.int { return C.int(run(C.GoString(file))) }

// run returns the exit status of the command for a picture: 0, or 1 if something failed.
func run(file string) int {
	names, err := check(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(strings.Join(names, " "))
	return 0
}
