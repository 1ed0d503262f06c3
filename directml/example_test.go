package directml_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/seed2e45c115/dml/directml"
	"github.com/seed2e45c115/dml/slice1"
)

// Every second row of a matrix, backwards, on the GPU where there is one.
func Example() {
	desc := slice1.NewDesc(slice1.Float32, []int{1000, 512}, slice1.Window{
		Offsets: []int{0, 0}, Sizes: []int{1000, 512}, Strides: []int{-2, 1}, Out: []int{500, 512},
	})
	dst, src := make([]byte, 500*512*4), make([]byte, 1000*512*4)
	device, err := directml.Open()
	if errors.Is(err, errors.ErrUnsupported) {
		fmt.Println(err, "- the CPU does it")
		plan, _ := slice1.NewPlan(desc)
		err = plan.Run(dst, src)
	} else if err == nil {
		defer device.Close()
		var plan *directml.Plan
		if plan, err = device.NewPlan(desc); err == nil {
			err = plan.Run(dst, src)
		}
	}
	if err != nil {
		log.Fatal(err)
	}
}

// Two slices one after the other, of which the first's output never leaves the
// GPU.
func ExamplePlan_Dispatch() {
	chain := func(device *directml.Device, crop, flip *directml.Plan, dst, src []byte) error {
		in, err := device.NewBuffer(int64(len(src)))
		if err != nil {
			return err
		}
		defer in.Close()
		out, err := device.NewBuffer(int64(len(src)))
		if err != nil {
			return err
		}
		defer out.Close()
		return errors.Join(
			in.Upload(src),
			crop.Dispatch(out, in),
			flip.Dispatch(in, out),
			in.Download(dst),
		)
	}
	_ = chain
}
