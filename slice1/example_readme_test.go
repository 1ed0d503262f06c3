package slice1_test

import (
	"fmt"
	"log"

	"github.com/seed2e45c115/dml/slice1"
)

func Example_readme() {
	src := make([]float32, 480*640) // a depth map of 480 rows
	shape := []int{480, 640}
	window, out, err := slice1.ParseIndex("[100:400, ::-2]", shape) // cropped, mirrored, halved
	if err != nil {
		log.Fatal(err)
	}
	plan, err := slice1.NewPlan(slice1.NewDesc(slice1.Float32, shape, window))
	if err != nil {
		log.Fatal(err)
	}
	dst := make([]float32, out[0]*out[1])
	if err := slice1.Run(plan, dst, src); err != nil { // again and again, from any goroutine
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output: [300 320]
}
