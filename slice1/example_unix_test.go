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

// A slice of a mapped file touches only the pages from its first element to its last.
// The source may be mapped read-only.
func ExampleCopy_mappedFile() {
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

// A mapped file of pictures in NHWC layout becomes a batch of crops in NCHW, each mirrored. One
// plan makes each crop in one pass, and touches only the pages that the crop spans.
func ExamplePlan_RunAt_mappedFileToNCHW() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "nhwc")
	pixels := "ABCabc" + "DEFdef" + "GHIghi" + "RSTrst" + "UVWuvw" + "XYZxyz" // 2 pictures of 3 x 2 of RGB
	if err := os.WriteFile(name, []byte(pixels), 0o600); err != nil {
		log.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	nhwc, err := unix.Mmap(int(f.Fd()), 0, len(pixels), unix.PROT_READ, unix.MAP_SHARED)
	f.Close()
	if err != nil {
		log.Fatal(err)
	}
	defer unix.Munmap(nhwc)

	shape := []int{2, 3, 2, 3}
	window, _, err := slice1.ParseIndex("[:1, :2, ::-1, :]", shape) // one picture's crop of 2 x 2, mirrored
	if err != nil {
		log.Fatal(err)
	}
	desc, err := slice1.NewDesc(slice1.Uint8, shape, window).Permute(0, 3, 1, 2)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := slice1.NewPlan(desc)
	if err != nil {
		log.Fatal(err)
	}
	size := int(plan.DstSize())
	nchw := make([]byte, 2*size)
	for i, top := range []int{0, 1} { // where the crop of each picture begins
		if err := plan.RunAt(nchw[i*size:], nhwc, i, 0, top, 0); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%s %s\n", nchw[:size], nchw[size:])
	// Output: aAdDbBeEcCfF uUxXvVyYwWzZ
}
