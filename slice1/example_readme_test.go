package slice1_test

import (
	"fmt"
	"log"

	"github.com/seed2e45c115/dml/slice1"
)

func Example_readme() {
	src := make([]byte, 512*512*3) // a picture of 512 x 512 RGB pixels
	shape := []int{512, 512, 3}
	window, out, err := slice1.ParseIndex("[100:400, ::-1, :]", shape) // cropped and mirrored
	if err != nil {
		log.Fatal(err)
	}
	plan, err := slice1.NewPlan(slice1.NewDesc(slice1.Uint8, shape, window))
	if err != nil {
		log.Fatal(err)
	}
	dst := make([]byte, plan.DstSize())
	if err := plan.Run(dst, src); err != nil { // again and again, from any goroutine; no allocation
		log.Fatal(err)
	}
	fmt.Println(out, len(dst))
	// Output: [300 512 3] 460800
}
