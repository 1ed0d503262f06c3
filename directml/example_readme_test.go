package directml_test

import (
	"errors"
	"log"

	"github.com/seed2e45c115/dml/directml"
	"github.com/seed2e45c115/dml/slice1"
)

func Example_readme() {
	desc := slice1.Whole(slice1.Uint8, 1080, 1920)
	desc.WindowStrides[1] = -1 // mirrored
	dst, src := make([]byte, 1080*1920), make([]byte, 1080*1920)

	device, err := directml.Open() // errors.ErrUnsupported where there is none
	if err != nil {
		log.Fatal(err)
	}
	plan, err := device.NewPlan(desc)
	if err != nil {
		log.Fatal(err)
	}
	if err := plan.Run(dst, src); err != nil { // what slice1's plans do, to the byte
		log.Fatal(err)
	}

	in, err1 := device.NewBuffer(1080 * 1920) // or stay on the GPU
	out, err2 := device.NewBuffer(1080 * 1920)
	err = errors.Join(err1, err2, in.Upload(src))
	err = errors.Join(err, plan.Dispatch(out, in)) // and on: further plans from out
	err = errors.Join(err, out.Download(dst), device.Close())
	if err != nil {
		log.Fatal(err)
	}
}
