//go:build ignore

// Command planes resizes whole planes of float32, in the host's byte order, from standard input to
// standard output. planes.py runs it.
//
//	planes PLANES WIDTH HEIGHT TO_WIDTH TO_HEIGHT FILTER
package main

import (
	"image"
	"io"
	"log"
	"os"
	"strconv"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

func main() {
	var n [6]int
	for i, arg := range os.Args[1:] {
		var err error
		if n[i], err = strconv.Atoi(arg); err != nil {
			log.Fatal(err)
		}
	}
	srcSize, dstSize := image.Pt(n[1], n[2]), image.Pt(n[3], n[4])
	src, dst := make([]float32, n[0]*srcSize.X*srcSize.Y), make([]float32, n[0]*dstSize.X*dstSize.Y)
	if _, err := io.ReadFull(os.Stdin, slice1.Bytes(src)); err != nil {
		log.Fatal(err)
	}
	if err := imageslice.ResizePlane(dst, dstSize, src, srcSize, image.Rectangle{}, imageslice.Filter(n[5])); err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.Write(slice1.Bytes(dst)); err != nil {
		log.Fatal(err)
	}
}
