// Command consumer slices the picture that it is given with the kernels in C, checks each
// byte, and prints which kernels ran. As a library for C it does so in RunConsumer.
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

// RunConsumer returns what main exits with.
//
//export RunConsumer
func RunConsumer(file *C.char) C.int { return C.int(run(C.GoString(file))) }

func run(file string) int {
	names, err := check(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(strings.Join(names, " "))
	return 0
}
