package slice1_test

import (
	"errors"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/testdata/sentencetest"
)

// place and plain make rows.
var place, plain = sentencetest.Place, sentencetest.Plain

// changedDesc returns a valid descriptor after a change.
func changedDesc(change func(d *slice1.Desc)) *slice1.Desc {
	d := valid()
	change(d)
	return d
}

// errorOfDesc returns the error of a valid descriptor after a change.
func errorOfDesc(change func(d *slice1.Desc)) error { return changedDesc(change).Validate() }

// errorAt returns the error of a valid descriptor after a change, at a feature level.
func errorAt(level slice1.FeatureLevel, change func(d *slice1.Desc)) error {
	return changedDesc(change).ValidateFor(level)
}

// rowsOfDescs are the errors of descriptors.
func rowsOfDescs() []sentencetest.Row {
	const leaves = ": the window is empty or leaves the input"
	big := func(t slice1.DataType, sizes ...int) error {
		_, err := slice1.TensorDesc{DataType: t, Sizes: sizes}.MinSize()
		return err
	}
	strided := func(sizes, strides []int) error {
		_, err := slice1.TensorDesc{DataType: slice1.Uint8, Sizes: sizes, Strides: strides}.MinSize()
		return err
	}
	same := func(*slice1.Desc) {}
	rows := []sentencetest.Row{
		place((*slice1.Desc)(nil).Validate(), "Desc is nil", slice1.ErrRank, "Desc", -1, 0, 1),
		place(errorOfDesc(func(d *slice1.Desc) { d.WindowOffsets = nil }), "WindowOffsets has 0 entries, Input.Sizes has 4", slice1.ErrRank, "WindowOffsets", -1, 0, 4),
		place(errorOfDesc(func(d *slice1.Desc) { d.WindowSizes = make([]int, 5) }), "WindowSizes has 5 entries, Input.Sizes has 4", slice1.ErrRank, "WindowSizes", -1, 5, 4),
		place(errorOfDesc(func(d *slice1.Desc) { d.WindowStrides = []int{1} }), "WindowStrides has 1 entry, Input.Sizes has 4", slice1.ErrRank, "WindowStrides", -1, 1, 4),
		place(errorOfDesc(func(d *slice1.Desc) { d.Output.Sizes = []int{1, 2} }), "Output.Sizes has 2 entries, Input.Sizes has 4", slice1.ErrRank, "Output.Sizes", -1, 2, 4),
		place(errorOfDesc(func(d *slice1.Desc) { d.Input.Strides = []int{1} }), "Input.Strides has 1 entry, Sizes has 4", slice1.ErrRank, "Input.Strides", -1, 1, 4),
		place(errorOfDesc(func(d *slice1.Desc) { d.Input.Sizes = nil }), "Input.Sizes has 0 entries, must have 1 to 8", slice1.ErrRank, "Input.Sizes", -1, 0, 1),
		place(errorOfDesc(func(d *slice1.Desc) { d.Input.Sizes = make([]int, 9) }), "Input.Sizes has 9 entries, must have 1 to 8", slice1.ErrRank, "Input.Sizes", -1, 9, 8),
		place(errorOfDesc(func(d *slice1.Desc) { d.Input.DataType = 0 }), "Input.DataType is not set", slice1.ErrDataType, "Input.DataType", -1, 0, 1),
		place(errorOfDesc(func(d *slice1.Desc) { d.Output.DataType = 0 }), "Output.DataType is not set, must be float32 like the input's", slice1.ErrDataType, "Output.DataType", -1, 0, 1),
		place(errorOfDesc(func(d *slice1.Desc) { d.Output.DataType = 77 }), "Output.DataType is 77, which is no data type; must be float32 like the input's", slice1.ErrDataType, "Output.DataType", -1, 77, 1),
		place(errorOfDesc(func(d *slice1.Desc) { d.Output.DataType = slice1.Int16 }), "Output.DataType is int16, must be float32 like the input's; WithNumbers converts", slice1.ErrDataType, "Output.DataType", -1, 7, 1),
		place(errorOfDesc(func(d *slice1.Desc) { d.Input.Sizes[2] = 0 }), "Input.Sizes[2] is 0, must be at least 1", slice1.ErrSize, "Input.Sizes", 2, 0, 1),
		place(errorOfDesc(func(d *slice1.Desc) { d.Input.Strides[1] = -7 }), "Input.Strides[1] is -7, must be at least 0", slice1.ErrStride, "Input.Strides", 1, -7, 0),
		place(errorOfDesc(func(d *slice1.Desc) { d.WindowStrides[0] = 0 }), "WindowStrides[0] is 0, must not be", slice1.ErrStride, "WindowStrides", 0, 0, 1),
		place(errorOfDesc(func(d *slice1.Desc) { d.WindowSizes[3] = 5 }), "WindowSizes[3] is 5, must be at most 4"+leaves, slice1.ErrWindow, "WindowSizes", 3, 5, 4),
		place(errorOfDesc(func(d *slice1.Desc) { d.WindowOffsets[1] = -774 }), "WindowOffsets[1] is -774, must be at least 0"+leaves, slice1.ErrWindow, "WindowOffsets", 1, -774, 0),
		place(errorOfDesc(func(d *slice1.Desc) { d.Output.Sizes[2] = 3 }), "Output.Sizes[2] is 3, the window yields at most 2", slice1.ErrOutput, "Output.Sizes", 2, 3, 2),
		place(errorOfDesc(func(d *slice1.Desc) { d.Output.Strides[2] = 1 }), "Output.Strides[3] is 1, by which elements overlap; at least 2 keeps them apart", slice1.ErrOverlap, "Output.Strides", 3, 1, 2),
		place(errorOfDesc(func(d *slice1.Desc) { d.Output.Strides[1] = 0 }), "Output.Strides[1] is 0, by which elements overlap; at least 1 keeps them apart", slice1.ErrStride, "Output.Strides", 1, 0, 1),
		place(errorOfDesc(func(d *slice1.Desc) { d.Input.TotalSize = 479 }), "Input.TotalSize is 479, must be at least 480 bytes", slice1.ErrTotalSize, "Input.TotalSize", -1, 479, 480),
		place(errorOfDesc(func(d *slice1.Desc) { d.Input.BaseAlign = 12 }), "Input.BaseAlign is 12 bytes, the nearest alignment is 8", slice1.ErrAlign, "Input.BaseAlign", -1, 12, 8),
		place(big(77, 1), "DataType is 77, which is no data type; these are 1 to 11 and 65536", slice1.ErrDataType, "DataType", -1, 77, 11),
		place(errorAt(slice1.FeatureLevel1_0, same), "FeatureLevel is 1.0, SLICE1 needs 2.1", errors.ErrUnsupported, "FeatureLevel", -1, 0x1000, 0x2100),
		place(whole(slice1.Uint8, 3, 4, 5).ValidateFor(slice1.FeatureLevel2_1), "Input.Sizes has 3 entries, feature level 2.1 takes 4 to 5", slice1.ErrRank, "Input.Sizes", -1, 3, 4),
		place(errorAt(slice1.FeatureLevel4_0, func(d *slice1.Desc) { d.Input.DataType, d.Output.DataType = slice1.Float64, slice1.Float64 }),
			"Input.DataType is float64, which feature level 4.0 does not have; it has int8", slice1.ErrDataType, "Input.DataType", -1, 9, 8),
		place(whole(slice1.BFloat16, 3).ValidateFor(slice1.FeatureLevel6_4), "Input.DataType is bfloat16, which DirectML does not have; it has int64", slice1.ErrDataType, "Input.DataType", -1, 65536, 11),
		place(errorAt(slice1.FeatureLevel6_4, func(d *slice1.Desc) { d.Input.TotalSize = 476 }), "Input.TotalSize is 476, must be at least 480 bytes", slice1.ErrTotalSize, "Input.TotalSize", -1, 476, 480),
		place(big(slice1.Float64, 1<<30, 1<<30), "Sizes[0] is 1073741824, must be at most 1073741823: 63 bits must count the tensor's bytes", slice1.ErrOverflow, "Sizes", 0, 1<<30, 1<<30-1),
		place(strided(slices.Repeat([]int{1 << 30}, 5), slices.Repeat([]int{math.MaxInt32}, 5)), "Strides[0] is 2147483647, must be at most 12: 63 bits must count the tensor's bytes",
			slice1.ErrOverflow, "Strides", 0, math.MaxInt32, 12),
		place(whole(slice1.Uint8, 1<<20, 1<<20).ValidateFor(slice1.FeatureLevel6_4), "Input.Sizes[1] is 1048576, must be at most 4095: 32 bits must count the tensor's elements",
			slice1.ErrOverflow, "Input.Sizes", 1, 1<<20, 4095),
		place(errorAt(slice1.FeatureLevel6_4, func(d *slice1.Desc) { d.Input.Strides = slices.Repeat([]int{math.MaxInt32}, 4) }),
			"Input.Sizes: the tensor has 85899345884 bytes with its gaps, must have at most 17179869180", slice1.ErrOverflow, "Input.Sizes", -1, 85899345884, 17179869180),
	}
	if strconv.IntSize == 64 {
		long := math.MaxInt >> 30
		rows = append(rows, []sentencetest.Row{
			place(errorAt(slice1.FeatureLevel6_4, func(d *slice1.Desc) { d.Input.Strides[0] = long }),
				"Input.Strides[0] is 8589934591, must be at most 4294967295, which 32 bits hold", slice1.ErrOverflow, "Input.Strides", 0, 8589934591, math.MaxUint32),
			place(errorAt(slice1.FeatureLevel6_4, func(d *slice1.Desc) { d.WindowStrides[1], d.Output.Sizes[1] = math.MinInt, 1 }),
				"WindowStrides[1] is -9223372036854775808, must be at least -2147483648, which 32 bits hold", slice1.ErrOverflow, "WindowStrides", 1, math.MinInt64, math.MinInt32),
		}...)
	}
	return rows
}

// rowsOfFunctions are the errors of front ends and of functions that take descriptors.
func rowsOfFunctions() []sentencetest.Row {
	compose := func(change func(b *slice1.Desc)) error {
		b := whole(slice1.Uint16, 3, 4)
		change(b)
		_, err := slice1.Compose(whole(slice1.Uint16, 3, 4), b)
		return err
	}
	permute := func(d *slice1.Desc, axes ...int) error {
		_, err := d.Permute(axes...)
		return err
	}
	index := func(text string, shape ...int) error {
		_, _, err := slice1.ParseIndex(text, shape)
		return err
	}
	onnx := func(starts, ends, axes, steps []int64) error {
		_, err := slice1.FromONNX([]int{3, 4}, starts, ends, axes, steps)
		return err
	}
	crop := func(offsets, sizes []int) error {
		_, err := slice1.Crop([]int{3, 4}, offsets, sizes)
		return err
	}
	step := func(w slice1.Window, strides ...int) error {
		_, err := w.Step(strides...)
		return err
	}
	into := func(w slice1.Window, strides []int) error {
		_, err := w.Into(slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{3, 4}, Strides: strides})
		return err
	}
	full := window([]int{0, 0}, []int{3, 4}, []int{1, 1}, []int{3, 4})
	_, nilA := slice1.Compose(nil, valid())
	_, split := valid().Split(0)
	one, two := []int64{1}, []int64{1, 1}
	_, unknown := slice1.DataType(12).MarshalText()
	_, unwritten := slice1.FeatureLevel(7).MarshalText()
	const leaves = ": the window is empty or leaves the input"
	return []sentencetest.Row{
		plain(unknown, "DataType(12): the data type is unknown or does not match", slice1.ErrDataType),
		plain(new(slice1.DataType).UnmarshalText([]byte("float33")), `"float33": the data type is unknown or does not match`, slice1.ErrDataType),
		plain(unwritten, "FeatureLevel(7): the text cannot be understood", slice1.ErrSyntax),
		plain(new(slice1.FeatureLevel).UnmarshalText([]byte("2.")), `feature level "2.": the text cannot be understood`, slice1.ErrSyntax),
		place(nilA, "first.Desc is nil", slice1.ErrRank, "first.Desc", -1, 0, 1),
		place(compose(func(b *slice1.Desc) { *b = *whole(slice1.Uint16, 12) }), "second.Input.Sizes has 1 entry, first.Output.Sizes has 2", slice1.ErrRank, "second.Input.Sizes", -1, 1, 2),
		place(compose(func(b *slice1.Desc) { *b = *whole(slice1.Uint8, 3, 4) }), "second.Input.DataType is uint8, first.Output's is uint16", slice1.ErrDataType, "second.Input.DataType", -1, 5, 4),
		place(compose(func(b *slice1.Desc) { b.Input.Strides = []int{5, 1} }), "second.Input.Strides[0] is 5, first.Output's is 4", slice1.ErrStride, "second.Input.Strides", 0, 5, 4),
		place(compose(func(b *slice1.Desc) { *b = *whole(slice1.Uint16, 3, 5) }), "second.Input.Sizes[1] is 5, must be at most 4, first.Output's", slice1.ErrSize, "second.Input.Sizes", 1, 5, 4),
		place(compose(func(b *slice1.Desc) { b.WindowStrides[0] = 0 }), "second.WindowStrides[0] is 0, must not be", slice1.ErrStride, "second.WindowStrides", 0, 0, 1),
		place(permute(valid(), 0, 1, 2, 3), "Output.Strides has 4 entries, must be nil; the result's may be set", slice1.ErrStride, "Output.Strides", -1, 4, 0),
		place(permute(whole(slice1.Uint16, 3, 4), 0), "axes has 1 entry, Input.Sizes has 2", slice1.ErrRank, "axes", -1, 1, 2),
		place(permute(whole(slice1.Uint16, 3, 4, 5), 0, 5, 1), "axes[1] is 5, must be 0 to 2", slice1.ErrRank, "axes", 1, 5, 2),
		place(permute(whole(slice1.Uint16, 3, 4, 5), -1, 0, 1), "axes[0] is -1, must be 0 to 2; the last axis is 2", slice1.ErrRank, "axes", 0, -1, 0),
		place(permute(whole(slice1.Uint16, 3, 4, 5), 0, 1, 1), "axes[2] is 1, an axis named twice; axis 2 is not named", slice1.ErrRank, "axes", 2, 1, 2),
		place(split, "n is 0, must be at least 1", slice1.ErrSize, "n", -1, 0, 1),

		place(index("3:3", 4), `index "3:3": axis 0: nothing selected`, slice1.ErrEmpty, "Out", 0, 0, 1),
		place(index("0", make([]int, 9)...), `index "0": shape has 9 entries, must have 0 to 8`, slice1.ErrRank, "shape", -1, 9, 8),
		place(index("0", 2, -3), `index "0": shape[1] is -3, must be at least 0`, slice1.ErrSize, "shape", 1, -3, 0),
		plain(index("1, 7", 2, 3), `index "1, 7": column 4: integer outside axis 1 of extent 3`, slice1.ErrWindow),
		plain(index("1, 1", 2), `index "1, 1": column 4: too many indices for 1 axis`, slice1.ErrRank),
		plain(index("..., ...", 2), `index "..., ...": column 6: "..." may come only once`, slice1.ErrSyntax),
		plain(index("::0", 2), `index "::0": column 3: slice step must not be 0`, slice1.ErrStride),
		plain(index("0x1", 2), `index "0x1": column 1: not a decimal integer`, slice1.ErrSyntax),
		plain(index("[1", 2), `index "[1": column 3: expected "," or "]"`, slice1.ErrSyntax),
		plain(index("(1", 2), `index "(1": column 2: expected ")"`, slice1.ErrSyntax),
		plain(index("[1]]", 2), `index "[1]]": column 4: expected the end`, slice1.ErrSyntax),
		plain(index("-:", 2), `index "-:": column 2: expected an integer`, slice1.ErrSyntax),
		plain(index("[:n]", 2), `index "[:n]": column 3: expected "," or "]"; names are no numbers`, slice1.ErrSyntax),
		plain(index("[0-3]", 2), `index "[0-3]": column 3: expected "," or "]"; a slice is first:end`, slice1.ErrSyntax),
		plain(index("[[0,2]]", 2), `index "[[0,2]]": column 2: expected an integer, a slice, "..." or None; lists and masks are no strided slices`, slice1.ErrSyntax),
		plain(index("", 2), `index "": column 1: expected an integer, a slice, "..." or None`, slice1.ErrSyntax),
		plain(index(manyNew, 2), `index ..."None,None,None,None,None,None,None,None,None,": column 321: the result has 66 axes, at most 64 are allowed`, slice1.ErrRank),

		place(onnx(one, nil, nil, nil), "ends has 0 entries, starts has 1", slice1.ErrRank, "ends", -1, 0, 1),
		place(onnx(one, one, []int64{}, nil), "axes has 0 entries, starts has 1", slice1.ErrRank, "axes", -1, 0, 1),
		place(onnx(one, one, one, two), "steps has 2 entries, starts has 1", slice1.ErrRank, "steps", -1, 2, 1),
		place(onnx(make([]int64, 3), make([]int64, 3), nil, nil), "starts has 3 entries, shape has 2", slice1.ErrRank, "starts", -1, 3, 2),
		place(onnx(two, two, []int64{0, 2}, nil), "axes[1] is 2, must be -2 to 1", slice1.ErrRank, "axes", 1, 2, 1),
		place(onnx(two, two, []int64{math.MinInt64, 7}, nil), "axes[0] is -9223372036854775808, must be -2 to 1", slice1.ErrRank, "axes", 0, math.MinInt64, -2),
		place(onnx(two, two, []int64{1, -1}, nil), "axes[1] is -1, an axis named twice; axis 0 is not named", slice1.ErrRank, "axes", 1, -1, 0),
		place(onnx(one, one, nil, []int64{0}), "steps[0] is 0, must not be", slice1.ErrStride, "steps", 0, 0, 1),
		place(onnx([]int64{-1}, []int64{math.MaxInt64}, []int64{-1}, []int64{-1}),
			"axis 1: nothing selected by ends[0] of 9223372036854775807 and a negative step; ONNX Runtime goes through element 0, as an end of math.MinInt64 does", slice1.ErrEmpty, "Out", 1, 0, 1),
		place(crop([]int{1}, nil), "offsets has 1 entry, shape has 2", slice1.ErrRank, "offsets", -1, 1, 2),
		place(crop(nil, []int{1, 2, 3}), "sizes has 3 entries, shape has 2", slice1.ErrRank, "sizes", -1, 3, 2),
		place(crop([]int{0, 9}, nil), "offsets[1] is 9, must be at most 3"+leaves, slice1.ErrWindow, "offsets", 1, 9, 3),
		place(crop([]int{0, 1}, []int{1, 4}), "sizes[1] is 4, must be at most 3"+leaves, slice1.ErrWindow, "sizes", 1, 4, 3),
		place(step(full, 2), "strides has 1 entry, Sizes has 2", slice1.ErrRank, "strides", -1, 1, 2),
		place(step(full, 2, 0), "strides[1] is 0, must not be", slice1.ErrStride, "strides", 1, 0, 1),
		place(step(window([]int{0}, []int{-2}, []int{1}, []int{0}), 2), "Sizes[0] is -2, must be at least 1"+leaves, slice1.ErrWindow, "Sizes", 0, -2, 1),
		place(into(full, []int{0, 1}), "Strides[0] is 0, by which elements overlap; at least 1 keeps them apart", slice1.ErrOverlap, "Strides", 0, 0, 1),
	}
}

// rowsOfRuns are the errors of plans and of functions that run slices.
func rowsOfRuns() []sentencetest.Row {
	run := func(dst, src int) error {
		return slice1.Copy(make([]uint16, dst), make([]uint16, src), slice1.Whole(slice1.Uint16, 4, 6))
	}
	plan, err := slice1.NewPlan(slice1.Whole(slice1.Uint8, 4, 3), slice1.WithNumbers(slice1.Float16, slice1.Affine{}))
	if err != nil {
		return []sentencetest.Row{plain(err, "", nil)}
	}
	with := func(a slice1.Affine) error {
		_, err := plan.WithAffine(a)
		return err
	}
	made := func(to slice1.DataType, a slice1.Affine, opts ...slice1.Option) error {
		_, err := slice1.NewPlan(slice1.Whole(slice1.Uint8, 4, 3), append(opts, slice1.WithNumbers(to, a))...)
		return err
	}
	opaque, err := slice1.NewPlan(slice1.Whole(slice1.Uint8, 4, 3))
	if err != nil {
		return []sentencetest.Row{plain(err, "", nil)}
	}
	_, noNumbers := opaque.WithAffine(slice1.Affine{})
	valued, err := plan.WithAffine(slice1.Affine{Scale: []float32{2}})
	if err != nil {
		return []sentencetest.Row{plain(err, "", nil)}
	}
	perRow, err := slice1.NewPlan(slice1.Whole(slice1.Uint8, 4, 3), slice1.WithNumbers(slice1.Float16, slice1.Affine{Axis: 1, Scale: make([]float32, 3)}))
	if err != nil {
		return []sentencetest.Row{plain(err, "", nil)}
	}
	_, otherAxis := perRow.WithAffine(slice1.Affine{Axis: 0, Scale: make([]float32, 3)})
	same, three := make([]byte, 48), make([]float32, 3)
	var kernels []string
	for _, k := range slice1.Kernels() {
		kernels = append(kernels, k.Name)
	}
	build := runtime.GOOS + "/" + runtime.GOARCH + " has " + strings.Join(kernels, ", ")
	return []sentencetest.Row{
		place(run(23, 24), "dst has 46 bytes (23 elements), needs 48 (24)", slice1.ErrBuffer, "dst", -1, 46, 48),
		place(run(24, 0), "src has 0 bytes (0 elements), needs 48 (24)", slice1.ErrBuffer, "src", -1, 0, 48),
		place(slice1.Copy(same[:1], same[:3], reversal(slice1.Uint8, 3)), "dst has 1 byte, needs 3", slice1.ErrBuffer, "dst", -1, 1, 3),
		place(slice1.BufferError("size", 0, 7, 9), "size has 7 bytes, needs 9", slice1.ErrBuffer, "size", -1, 7, 9),
		place(slice1.Assign(same[:11], []int{3, 4}, "[0]", same[:4]), "dst has 11 bytes, needs 12", slice1.ErrBuffer, "dst", -1, 11, 12),
		place(slice1.Assign(same, []int{3, 4}, "[0]", same[:3]), "src has 3 values, the window takes 4: must have one for each or one for all", slice1.ErrSize, "src", -1, 3, 4),
		place(slice1.Copy(same, same, reversal(slice1.Uint8, 48)), "dst and src share 48 bytes, none of which may be both read and written", slice1.ErrOverlap, "dst", -1, 48, 0),
		place(slice1.Copy([]int32{0}, []int32{0}, reversal(slice1.Float64, 1)), "dst has elements of 4 bytes, the plan writes float64, of 8; WithNumbers converts", slice1.ErrDataType, "dst", -1, 4, 8),
		place(slice1.Copy(same[:2], same[2:4], reversal(slice1.Int16, 1)), "dst has elements of 1 byte, the plan writes int16, of 2; Plan.Run and CopyBytes take bytes of any type",
			slice1.ErrDataType, "dst", -1, 1, 2),
		place(slice1.Run(plan, make([]uint16, 12), make([]int8, 12)), "src has elements of type int8, the plan reads uint8", slice1.ErrDataType, "src", -1, 8, 5),
		place(slice1.Run(plan, make([]bool, 12), same), "dst has elements that are no numbers, the plan writes float16", slice1.ErrDataType, "dst", -1, 0, 2),
		place(plan.RunAt(make([]byte, 24), same, 1), "offsets has 1 entry, Input.Sizes has 2", slice1.ErrRank, "offsets", -1, 1, 2),
		place(plan.RunAt(make([]byte, 24), same, 0, 7), "offsets[1] is 7, must be at most 0: the window is empty or leaves the input", slice1.ErrWindow, "offsets", 1, 7, 0),
		plain((*slice1.Plan)(nil).Run(nil, nil), "the plan is nil or was not made by NewPlan", slice1.ErrPlan),
		plain(noNumbers, "the plan was made without WithNumbers, so it has no values to replace", slice1.ErrPlan),

		place(made(0, slice1.Affine{}), "dstType is not set", slice1.ErrDataType, "dstType", -1, 0, 1),
		place(made(65537, slice1.Affine{}), "dstType is 65537, which is no data type; these are 1 to 11 and 65536", slice1.ErrDataType, "dstType", -1, 65537, 11),
		place(made(slice1.Float32, slice1.Affine{Axis: 2, Scale: three}), "Affine.Axis is 2, must be the output axis along which the values go, 0 to 1", slice1.ErrRank, "Affine.Axis", -1, 2, 1),
		place(made(slice1.Float32, slice1.Affine{Axis: -1, Bias: three}), "Affine.Axis is -1, must be the output axis along which the values go, 0 to 1", slice1.ErrRank, "Affine.Axis", -1, -1, 0),
		place(made(slice1.Float32, slice1.Affine{Axis: 0, Scale: three}), "Affine.Scale has 3 values, output axis 0 has extent 4: must have one for each or one for all",
			slice1.ErrSize, "Affine.Scale", 0, 3, 4),
		place(with(slice1.Affine{Axis: 1, Scale: three}), "Affine.Scale has 3 values, the plan has 1", slice1.ErrSize, "Affine.Scale", -1, 3, 1),
		place(with(slice1.Affine{Axis: 1, Scale: three[:1], Bias: three}), "Affine.Bias has 3 values, the plan has 1", slice1.ErrSize, "Affine.Bias", -1, 3, 1),
		place(made(slice1.Float32, slice1.Affine{Table: three}), "Affine.Table has 3 values, must have 256, or as many for each index of the axis", slice1.ErrSize, "Affine.Table", -1, 3, 256),
		place(made(slice1.Float32, slice1.Affine{Scale: three, Axis: 1, Divide: true}), "Affine.Scale has the value 0, must be above 0 with Zero or Divide", slice1.ErrSize, "Affine.Scale", -1, 0, 0),
		place(made(slice1.Float32, slice1.Affine{Scale: three, Table: make([]float32, 256)}), "Affine.Scale is set beside Table, which has what it makes", errors.ErrUnsupported, "Affine.Scale", -1, 0, 0),
		place(otherAxis, "Affine.Axis is 0, the plan's values go along axis 1", slice1.ErrRank, "Affine.Axis", -1, 0, 1),
		place(valued.Run(nil, same), "dst has 0 bytes (0 elements), needs 24 (12)", slice1.ErrBuffer, "dst", -1, 0, 24),
		plain(made(slice1.Float32, slice1.Affine{}, slice1.WithCandidate("none")), `the kernel is not available: this plan has no candidate "none"`, slice1.ErrKernel),
		plain(made(slice1.Float32, slice1.Affine{}, slice1.WithKernel("mmx")), `the kernel is not available: "mmx"; this build for `+build, slice1.ErrKernel),
		plain(made(slice1.Float32, slice1.Affine{}, slice1.WithMeasure(1), slice1.WithLearning(false)), "WithMeasure with WithLearning(false) would measure nothing", errors.ErrUnsupported),
	}
}

// manyNew is an index text of 65 new axes.
var manyNew = func() (text string) {
	for range 65 {
		text += "None,"
	}
	return text
}()

// elsewhere are texts of errors that only an int of 32 bits or of 64 bits can have, and of those
// that other tests compare.
var elsewhere = []string{
	"slice1: Strides[0] is 1073741824, must be at most 1073741823 in steps of 2",
	"slice1: Input.Strides[0] is 8589934591, must be at most 4294967295, which 32 bits hold",
	"slice1: a loop of a conversion does not move the destination upwards", // which no descriptor asks for
	"slice1: the text cannot be understood: SLICE1_LEARN is no; its values are on, off, 1, 0, true and false",
	"slice1: WindowStrides[1] is -9223372036854775808, must be at least -2147483648, which 32 bits hold",
}

// The text of each error that this package returns names its place and its numbers, and each place
// that makes an error returned one of them.
func TestErrorsSayWhatIsWrong(t *testing.T) {
	var texts []string
	for _, rows := range [][]sentencetest.Row{rowsOfDescs(), rowsOfFunctions(), rowsOfRuns()} {
		sentencetest.Check(t, "slice1", rows)
		texts = append(texts, sentencetest.Texts(rows)...)
	}
	texts = append(texts, elsewhere...)
	makers := []string{"refused", "saying", "bounded", "outside", "rankError", "axisError", "axisTwice", "strideError", "typeError", "overlapError",
		"intBounded", "checkCount", "fail", "Errorf", "After", "BufferError", "New"}
	sentencetest.CheckPlaces(t, ".", makers, texts)
	sentencetest.CheckPlaces(t, "internal/engine", makers, texts)
}

// A DescError of another package has a sentence with all that it knows.
func TestErrorsOfOtherPackagesAreSentences(t *testing.T) {
	err := &slice1.DescError{Field: "Ratios", Axis: 1, Got: 0, Limit: 4096, Err: errors.ErrUnsupported}
	assert.EqualError(t, err, "slice1: Ratios[1] is 0, the limit is 4096: unsupported operation")
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
