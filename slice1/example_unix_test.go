//go:build unix

package slice1_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/seed2e45c115/dml/slice1"
)

// Part of a file without reading the rest: the file is mapped, and the slice
// touches only the pages that it takes from. The source may be mapped read-only.
func Example_mappedFile() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "raw")
	if err := os.WriteFile(name, []byte("header"+"abcdefghijklmnopqrst"), 0o600); err != nil {
		log.Fatal(err)
	}

	f, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	file, err := unix.Mmap(int(f.Fd()), 0, 26, unix.PROT_READ, unix.MAP_SHARED)
	f.Close()
	if err != nil {
		log.Fatal(err)
	}
	defer unix.Munmap(file)

	shape := []int{4, 5} // bytes, after a header of 6
	window, _, err := slice1.ParseIndex("[1:3, ::-2]", shape)
	if err != nil {
		log.Fatal(err)
	}
	dst := make([]byte, 6)
	err = slice1.Copy(dst, file[len("header"):], slice1.NewDesc(slice1.Uint8, shape, window))
	fmt.Printf("%s %v\n", dst, err)
	// Output: jhfomk <nil>
}
