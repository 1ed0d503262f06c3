package slice1_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// brokenDescs are functions that break a valid descriptor, by the sentence of the error.
var brokenDescs = map[string]func(d *slice1.Desc){
	"WindowOffsets: 0 entries, the input has 4 axes":                                        func(d *slice1.Desc) { d.WindowOffsets = nil },
	"WindowStrides: 1 entry, the input has 4 axes":                                          func(d *slice1.Desc) { d.WindowStrides = []int{1} },
	"Output.Sizes: 2 entries, the input has 4 axes":                                         func(d *slice1.Desc) { d.Output.Sizes = []int{1, 2} },
	"Input.Strides: 1 entry, the tensor has 4 axes":                                         func(d *slice1.Desc) { d.Input.Strides = []int{1} },
	"Input.Sizes: rank 0, must be at least 1":                                               func(d *slice1.Desc) { d.Input.Sizes = nil },
	"Input.Sizes: rank 9, must be at most 8":                                                func(d *slice1.Desc) { d.Input.Sizes = make([]int, 9) },
	"Input.DataType is not set":                                                             func(d *slice1.Desc) { d.Input.DataType = 0 },
	"Input.DataType is 77, which is no data type":                                           func(d *slice1.Desc) { d.Input.DataType = 77 },
	"Output.DataType is int16, the input's float32; WithNumbers converts":                   func(d *slice1.Desc) { d.Output.DataType = slice1.Int16 },
	"Output.DataType is not set":                                                            func(d *slice1.Desc) { d.Output.DataType = 0 },
	"Input.Sizes[2] is 0, must be at least 1":                                               func(d *slice1.Desc) { d.Input.Sizes[2] = 0 },
	"WindowStrides[0] is 0, must not be":                                                    func(d *slice1.Desc) { d.WindowStrides[0] = 0 },
	"Input.Strides[1] is -1, must be at least 0":                                            func(d *slice1.Desc) { d.Input.Strides[1] = -1 },
	"WindowSizes[3] is 5, must be at most 4: the window is empty or leaves the input":       func(d *slice1.Desc) { d.WindowSizes[3] = 5 },
	"WindowOffsets[1] is -774, must be at least 0: the window is empty or leaves the input": func(d *slice1.Desc) { d.WindowOffsets[1] = -774 },
	"Output.Sizes[2] is 3, the window yields at most 2":                                     func(d *slice1.Desc) { d.Output.Sizes[2] = 3 },
	"Output.Strides[3] is 1, by which elements overlap; at least 2 keeps them apart":        func(d *slice1.Desc) { d.Output.Strides[2] = 1 },
	"Input.TotalSize is 479 bytes, must be at least 480":                                    func(d *slice1.Desc) { d.Input.TotalSize = 479 },
	"Input.BaseAlign is 12 bytes, the nearest alignment is 8":                               func(d *slice1.Desc) { d.Input.BaseAlign = 12 },
}

// The error of each broken descriptor has the sentence that suits the wrong field.
func TestErrorsAreSentences(t *testing.T) {
	assert.EqualError(t, (*slice1.Desc)(nil).Validate(), "slice1: nil descriptor")
	for want, breakIt := range brokenDescs {
		d := valid()
		breakIt(d)
		assert.EqualError(t, d.Validate(), "slice1: "+want)
	}
}

// The errors of functions that take descriptors, buffers, axes or text are sentences, too.
func TestErrorsOfCallsAreSentences(t *testing.T) {
	run := func(dst, src int) error {
		return slice1.Copy(make([]uint16, dst), make([]uint16, src), slice1.NewDesc(slice1.Uint16, []int{4, 6}, window([]int{0, 0}, []int{4, 6}, []int{1, 1}, []int{4, 6})))
	}
	level := func(l slice1.FeatureLevel, breakIt func(d *slice1.Desc)) error {
		d := valid()
		breakIt(d)
		return d.ValidateFor(l)
	}
	permute := func(axes ...int) error {
		_, err := valid().Permute(axes...)
		return err
	}
	compose := func(breakIt func(b *slice1.Desc)) error {
		b := whole(slice1.Uint16, 3, 4)
		breakIt(b)
		_, err := slice1.Compose(whole(slice1.Uint16, 3, 4), b)
		return err
	}
	index := func(text string) error {
		_, _, err := slice1.ParseIndex(text, []int{4})
		return err
	}
	same := make([]byte, 48)
	_, nilA := slice1.Compose(nil, valid())
	for want, err := range map[string]error{
		"FeatureLevel is 1.0, SLICE1 needs 2.1": level(slice1.FeatureLevel1_0, func(*slice1.Desc) {}),
		"Input.DataType is float64, the feature level has none of 8 bytes": level(slice1.FeatureLevel2_1, func(d *slice1.Desc) {
			d.Input.DataType, d.Output.DataType = slice1.Float64, slice1.Float64
		}),
		"dst: 46 bytes (23 elements), needs 48 (24)":                                               run(23, 24),
		"src: 0 bytes (0 elements), needs 48 (24)":                                                 run(24, 0),
		"dst: 1 byte, needs 3":                                                                     slice1.Copy(same[:1], same[:3], reversal(slice1.Uint8, 3)),
		"dst and src share 48 bytes, none of which may be both read and written":                   slice1.Copy(same, same, reversal(slice1.Uint8, 48)),
		"dst has elements of 4 bytes, the plan writes float64":                                     slice1.Copy([]int32{0}, []int32{0}, reversal(slice1.Float64, 1)),
		"dst has elements of 1 byte, the plan writes int16; Plan.Run and CopyBytes take its bytes": slice1.Copy(same[:2], same[2:4], reversal(slice1.Int16, 1)),
		"Output.Strides is set, must be nil; the result's may be set":                              permute(0, 1, 2, 3),
		"axes: 2 entries, must be 4":                                                               permute(0, 1),
		"b.Input has 1 axis, a.Output 2":                                                           compose(func(b *slice1.Desc) { *b = *whole(slice1.Uint16, 12) }),
		"b.Input.DataType is uint8, a.Output's uint16":                                             compose(func(b *slice1.Desc) { *b = *whole(slice1.Uint8, 3, 4) }),
		"b.Input.Strides[0] is 5, a.Output's 4":                                                    compose(func(b *slice1.Desc) { b.Input.Strides = []int{5, 1} }),
		"b.Input.Sizes[1] is 5, must be at most 4":                                                 compose(func(b *slice1.Desc) { *b = *whole(slice1.Uint16, 3, 5) }),
		"b.WindowStrides[0] is 0, must not be":                                                     compose(func(b *slice1.Desc) { b.WindowStrides[0] = 0 }),
		"a is a nil descriptor":                                                                    nilA,
		`index "3:3": axis 0: nothing selected`:                                                    index("3:3"),
	} {
		require.Error(t, err, want)
		assert.EqualError(t, err, "slice1: "+want)
	}
}

// A number in a field that package slice1 does not know is taken for no data type and no feature
// level.
func TestErrorsOfOtherFieldsAreSentences(t *testing.T) {
	assert.EqualError(t, &slice1.DescError{Field: "Matrix", Axis: -1, Got: 3, Limit: 2, Err: slice1.ErrDataType},
		"slice1: Matrix is 3, must be at most 2: the data type is unknown or does not match")
	assert.EqualError(t, &slice1.DescError{Field: "Ratios", Axis: 1, Got: 0, Limit: 4096, Err: errors.ErrUnsupported},
		"slice1: Ratios[1] is 0, must be at least 4096: unsupported operation")
}

// The text of each sentinel is two words or more, without punctuation.
func TestSentinelsAreSentences(t *testing.T) {
	for _, sentinel := range []error{
		slice1.ErrRank, slice1.ErrDataType, slice1.ErrSize, slice1.ErrStride, slice1.ErrWindow, slice1.ErrOutput, slice1.ErrTotalSize, slice1.ErrAlign,
		slice1.ErrOverflow, slice1.ErrOverlap, slice1.ErrBuffer, slice1.ErrKernel, slice1.ErrEmpty, slice1.ErrSyntax, slice1.ErrPlan,
	} {
		assert.Regexp(t, `^\w+( \w+)+$`, sentinel.Error())
	}
}
