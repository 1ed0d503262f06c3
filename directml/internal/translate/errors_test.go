package translate

import (
	"math"
	"strconv"
	"testing"

	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/testdata/sentencetest"
)

// The text of each error that this package makes names its place and its numbers.
func TestErrorsSayWhatIsWrong(t *testing.T) {
	old := Capability{slice1.FeatureLevel2_1, 1 << slice1.Uint8}
	steps := slice1.Whole(slice1.Uint8, 4, 4, 4, 4, 4, 4)
	for i := range steps.WindowStrides {
		steps.WindowStrides[i], steps.Output.Sizes[i] = 2, 2
	}
	steps.Input.Strides = []int{3125 * 5, 3125, 625, 125, 25, 5}
	_, axes := OperatorOf(steps, old)
	_, without := OperatorOf(slice1.Whole(slice1.Int16, 1, 1, 1, 3), Capability{slice1.FeatureLevel2_1, 1 << slice1.Uint32})
	const view = "the operator's view ends at byte 4294967312 of the allocation, must end at byte 4294967296 at most, because drivers fail beyond"
	var part Part
	part.Output.Total, part.Input.Total = 400, 400
	rows := []sentencetest.Row{
		sentencetest.Place(axes, "Input.Sizes has 6 entries, must have at most 5: feature level 2.1 has at most 5 axes, and no more of these can be merged", slice1.ErrRank, "Input.Sizes", -1, 6, 5),
		sentencetest.Place(without, "Input.DataType is int16, and the device has no unsigned type that holds it; most devices have uint32", slice1.ErrDataType, "Input.DataType", -1, 7, 3),
		sentencetest.Place(part.CheckReach(1<<32-384, 0), "dst: "+view, slice1.ErrOverflow, "dst", -1, 1<<32+16, 1<<32),
		sentencetest.Place(part.CheckReach(0, 1<<32-384), "src: "+view, slice1.ErrOverflow, "src", -1, 1<<32+16, 1<<32),
	}
	texts := []string{
		"Input.Sizes: an operator sees 469762056 elements, an adapter may see at most 134217728, and no parts of the tensors begin at multiples of 16 bytes", // in cut_test.go
	}
	if strconv.IntSize == 64 {
		narrow := Capability{slice1.FeatureLevel4_0, samples.NarrowTypes}
		long := math.MaxInt32
		long++
		wide := slice1.Whole(slice1.Int64, long)
		wide.WindowSizes, wide.Output.Sizes = []int{1}, []int{1}
		_, in := OperatorOf(wide, narrow)
		far := slice1.Whole(slice1.Int64, 2)
		far.Output.Strides = []int{long}
		_, out := OperatorOf(far, narrow)
		rows = append(rows,
			sentencetest.Place(in, "Input.Sizes: the input has or spans 2147483648 elements, must be at most 2147483647, because the device has only smaller ones", slice1.ErrOverflow, "Input.Sizes", -1, 1<<31, 1<<31-1),
			sentencetest.Place(out, "Output.Strides: the output spans 2147483649 elements, must be at most 2147483647, because the device has only smaller ones",
				slice1.ErrOverflow, "Output.Strides", -1, 1<<31+1, 1<<31-1))
	} else {
		texts = append(texts, "Input.Sizes: the input has or spans 2147483648 elements, must be at most 2147483647, because the device has only smaller ones",
			"Output.Strides: the output spans 2147483649 elements, must be at most 2147483647, because the device has only smaller ones")
	}
	sentencetest.Check(t, "directml", rows)
	sentencetest.CheckPlaces(t, ".", []string{"Refused", "Said", "Errorf"}, append(texts, sentencetest.Texts(rows)...))
}
