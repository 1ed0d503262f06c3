// Command knownanswer runs the examples of Microsoft's page on DML_SLICE1_OPERATOR_DESC on
// the GPU and fails if it does not get the results that the page prints. With a driver that
// executes wrongly every call succeeds, so that only a comparison of results can tell. Each
// example is done five times at once, which makes more runs of bytes than Direct3D would copy
// without DirectML. DIRECTML_DLL is the absolute path of the DLL; without the variable, the
// DLL is searched for.
package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"unsafe"

	"github.com/seed2e45c115/dml/directml"
	"github.com/seed2e45c115/dml/slice1"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	dev, err := directml.Open(directml.WithDLL(os.Getenv("DIRECTML_DLL")))
	if err != nil {
		return err
	}
	defer dev.Close()
	info := dev.Info()
	fmt.Printf("DirectML %s, feature level %d.%d, adapter %s\n",
		info.Version, info.FeatureLevel>>12, info.FeatureLevel>>8&15, info.Adapter)

	const times = 5
	src := make([]uint32, times*16)
	for i := range src {
		src[i] = uint32(i%16 + 1)
	}
	for _, example := range []struct {
		strides []int
		want    []uint32
	}{
		{[]int{1, 2, 2}, []uint32{2, 4, 10, 12}},
		{[]int{1, -2, 2}, []uint32{14, 16, 6, 8}},
	} {
		plan, err := dev.NewPlan(slice1.NewDesc(slice1.Uint32, []int{times, 4, 4}, slice1.Window{
			Offsets: []int{0, 0, 1}, Sizes: []int{times, 4, 3}, Strides: example.strides, Out: []int{times, 2, 2},
		}))
		if err != nil {
			return err
		}
		if !strings.HasPrefix(plan.String(), "DirectML ") {
			return fmt.Errorf("the plan has no operator: %v", plan)
		}
		got := make([]uint32, 4*times)
		if err := plan.Run(memory(got), memory(src)); err != nil {
			return err
		}
		if !slices.Equal(got, slices.Repeat(example.want, times)) {
			return fmt.Errorf("strides %d gave %d and not %d: the driver executes wrongly and reports success",
				example.strides, got, example.want)
		}
		if err := plan.Close(); err != nil {
			return err
		}
	}
	return dev.Close()
}

// memory returns the memory of s, which is not empty, as bytes.
func memory(s []uint32) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), 4*len(s)) }
