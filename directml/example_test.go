package directml_test

import (
	"errors"
	"fmt"
	"log"
	"unsafe"

	"github.com/seed2e45c115/dml/directml"
	"github.com/seed2e45c115/dml/slice1"
)

// Every second row of a matrix, the last row first: on the GPU, or on the CPU where there is
// no GPU.
func Example() {
	desc := slice1.NewDesc(slice1.Uint8, []int{4, 2}, slice1.Window{
		Offsets: []int{0, 0}, Sizes: []int{4, 2}, Strides: []int{-2, 1}, Out: []int{2, 2},
	})
	var plan slice1.Runner
	device, err := directml.Open()
	if err == nil {
		defer device.Close()
		plan, err = device.NewPlan(desc)
	}
	if err != nil { // no device, or a slice that the device cannot execute
		plan, err = slice1.NewPlan(desc)
	}
	if err != nil {
		log.Fatal(err)
	}

	dst := make([]byte, 4)
	fmt.Println(plan.Run(dst, []byte("abcdefgh")), string(dst))
	// Output: <nil> ghcd
}

// Two slices one after the other. The result of the first stays on the GPU.
func ExamplePlan_Dispatch() {
	flip := slice1.NewDesc(slice1.Uint8, []int{1 << 20}, slice1.Window{
		Offsets: []int{0}, Sizes: []int{1 << 20}, Strides: []int{-1}, Out: []int{1 << 20},
	})
	thin := slice1.NewDesc(slice1.Uint8, []int{1 << 20}, slice1.Window{
		Offsets: []int{0}, Sizes: []int{1 << 20}, Strides: []int{4}, Out: []int{1 << 18},
	})
	device, err := directml.Open()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close() // closes plans and buffers, too
	first, err1 := device.NewPlan(flip)
	second, err2 := device.NewPlan(thin)
	a, err3 := device.NewBuffer(1 << 20)
	b, err4 := device.NewBuffer(1 << 20)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		fmt.Println(err)
		return
	}
	dst, src := make([]byte, 1<<18), make([]byte, 1<<20)
	fmt.Println(errors.Join(
		a.Upload(src),
		first.Dispatch(b, a),
		second.Dispatch(a, b),
		a.Download(dst),
	))
}

// ONNX Runtime's DirectML provider gets the device. Both use the DirectML.dll beside
// onnxruntime.dll. Open fails if that has a lower feature level than the provider needs.
func ExampleDevice_Native() {
	const folder, version = `C:\service\`, "1.15.4" // of both DLLs, and of DirectML.dll
	device, err := directml.Open(
		directml.WithDLL(folder+"DirectML.dll"),
		directml.WithFeatureLevel(slice1.FeatureLevel6_4),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer device.Close() // after the sessions are released
	if got := device.Info().Version; got != version {
		fmt.Println("DirectML", got, "in place of", version)
		return
	}
	// This stands for SessionOptionsAppendExecutionProvider_DML1, called by cgo.
	appendProvider := func(dml, queue unsafe.Pointer) {}
	native := device.Native()
	appendProvider(native.DirectML, native.Queue)
}
