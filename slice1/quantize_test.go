package slice1_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// quantized returns the bits of the integer of type `to` that a number becomes, by numbers of any
// size.
func quantized(from, to slice1.DataType, bits uint64, scale float32, zero int32) uint64 {
	y := math.RoundToEven(float64(nearest32(from, bits) / scale))
	lo, hi := rangeOf(to)
	switch {
	case y != y:
		y = 0
	case math.IsInf(y, -1):
		return bitsOfInteger(to, lo)
	case math.IsInf(y, 1):
		return bitsOfInteger(to, hi)
	}
	n, _ := big.NewFloat(y).Int(nil)
	return bitsOfInteger(to, n.Add(n, big.NewInt(int64(zero))))
}

// nearest32 returns the float32 nearest to the number with the given bits.
func nearest32(t slice1.DataType, bits uint64) float32 {
	if _, integer := rangeOf(t); integer != nil {
		y, _ := new(big.Float).SetInt(integerOf(t, bits)).Float32()
		return y
	}
	return float32(float64Of(t, bits))
}

// dequantized returns the bits of (q - zero) * scale in type `to`.
func dequantized(from, to slice1.DataType, bits uint64, scale float32, zero int32) uint64 {
	n := integerOf(from, bits)
	y, _ := new(big.Float).SetInt(n.Sub(n, big.NewInt(int64(zero)))).Float32()
	return stored(to, float64(y*scale))
}

// Quantize and Dequantize have the bits of their formulas, between all types that they take, by all
// kernels, with one value and one for each index, forwards and with gaps backwards.
func TestQuantizingOfEveryType(t *testing.T) {
	zeros := []int32{0, 1, -1, 3, 127, -128, 255, 32767, -32768, 65535, math.MaxInt32, math.MinInt32, 1 << 24, 1<<24 + 1}
	scales := []float32{1, 0.007843138, 0.1, 0.5, 2, 3, 1e-30, 1e30, float32(math.Inf(1))}
	for k, from := range everyType {
		t.Run(from.String(), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(79, uint64(k)))
			src := edges(from, rng)
			count := len(src) / from.Size()
			for _, to := range everyType {
				_, source := rangeOf(from)
				_, target := rangeOf(to)
				for _, divide := range []bool{true, false} {
					if divide && target == nil || !divide && source == nil {
						continue
					}
					for i := range len(zeros) {
						scale, zero := make([]float32, count), make([]int32, count)
						for e := range count {
							scale[e], zero[e] = scales[i%len(scales)], zeros[i]
							if i%2 == 1 {
								scale[e], zero[e] = scales[rng.IntN(len(scales))], zeros[rng.IntN(len(zeros))]
							}
						}
						want := make([]byte, 0, count*to.Size())
						for e := range count {
							bits := bitsOf(from, src[e*from.Size():])
							if divide {
								want = appendBits(to, want, quantized(from, to, bits, scale[e], zero[e]))
							} else {
								want = appendBits(to, want, dequantized(from, to, bits, scale[e], zero[e]))
							}
						}
						if i%2 == 0 {
							scale, zero = scale[:1], zero[:1]
						}
						a := slice1.Dequantize(scale, zero)
						if divide {
							a = slice1.Quantize(scale, zero)
						}
						for _, kernel := range usableKernels() {
							got := make([]byte, len(want))
							require.NoError(t, slice1.CopyBytes(got, src, slice1.Whole(from, count), slice1.WithNumbers(to, a), slice1.WithKernel(kernel)))
							equalBits(t, to, want, got, true, func() string { return fmt.Sprint(kernel, " ", from, " to ", to, " ", divide, scale[0], zero[0]) })
							tested(t, kernel)
						}
					}
				}
			}
		})
	}
}

// Divide alone is a quotient in float32 for floats, too, and of the nearest float32 of each number.
// Quantize of a nil zero is Divide alone.
func TestQuotients(t *testing.T) {
	for k, from := range everyType {
		src := edges(from, rand.New(rand.NewPCG(79, uint64(k))))
		for _, to := range []slice1.DataType{slice1.Float32, slice1.Float16, slice1.BFloat16, slice1.Float64} {
			var want []byte
			for e := range slices.Chunk(src, from.Size()) {
				want = appendBits(to, want, stored(to, float64(nearest32(from, bitsOf(from, e))/3)))
			}
			checkKernels(t, slice1.Whole(from, len(src)/from.Size()), to, src, want, slice1.WithNumbers(to, slice1.Quantize([]float32{3}, nil)))
		}
	}
	for _, to := range []slice1.DataType{slice1.Float32, slice1.Float16, slice1.Float64} {
		src := []float32{1, -2, 3, 1e30, minusZero}
		want := make([]byte, 0, 8*len(src))
		for _, x := range src {
			want = appendBits(to, want, stored(to, float64(x/3)))
		}
		for _, kernel := range usableKernels() {
			got := make([]byte, len(want))
			a := slice1.Quantize([]float32{3}, nil)
			require.NoError(t, slice1.CopyBytes(got, slice1.Bytes(src), slice1.Whole(slice1.Float32, len(src)), slice1.WithNumbers(to, a), slice1.WithKernel(kernel)))
			require.Equal(t, want, got)
		}
	}
}

// A byte becomes its table's number in every type, by all kernels, of planes, pixels and rows with
// gaps, with a table for all and one for each index of any axis, of any length.
func TestTablesOfEveryType(t *testing.T) {
	rng := rand.New(rand.NewPCG(79, 99))
	for _, to := range everyType {
		for _, shape := range [][]int{{3, 9, 70}, {9, 70, 3}, {2, 300, 5}, {700}, {3, 600}, {1, 4, 4}, {5, 2, 64}, {260, 3, 7}} {
			for axis := -1; axis < len(shape); axis++ {
				for layout := range 3 {
					d := slice1.Whole(slice1.Uint8, shape...)
					last := len(shape) - 1
					switch layout {
					case 1: // reversed rows, of every second element
						d.WindowStrides[last], d.Output.Strides = -1, packedStrides(shape, 2)
					case 2: // rows with gaps between them
						d.Output.Strides = packedStrides(shape, 2)
						d.Output.Strides[last] = 1
					}
					tables := 1
					if axis >= 0 {
						tables = shape[axis]
					}
					table := make([]float32, 256*tables)
					for i := range table {
						switch table[i] = float32(rng.NormFloat64() * math.Exp2(float64(rng.IntN(40)-10))); rng.IntN(9) {
						case 0:
							table[i] = float32(rng.IntN(600)-300) / 2
						case 1:
							table[i] = float32(math.Inf(1 - 2*rng.IntN(2)))
						case 2:
							table[i] = float32(math.NaN())
						}
					}
					src := make([]byte, elementsOf(t, d.Input))
					randomize(src, rng)
					size := to.Size()
					want := slices.Repeat([]byte{canary}, elementsOf(t, d.Output)*size)
					index := slice1.Affine{Axis: axis, Scale: make([]float32, max(1, tables))} // the index of each element
					for i := range index.Scale {
						index.Scale[i] = float32(i)
					}
					if axis < 0 {
						index.Scale[0] = 0
					}
					places := map[int]int{}
					convertSlowly(d, slice1.Float32, slices.Repeat([]byte{1}, len(src)), orNative(nil), index, func(_, at int, y float64) { places[at] = int(y) })
					convertSlowly(d, slice1.Float32, src, orNative(nil), slice1.Affine{}, func(_, at int, y float64) {
						copy(want[at*size:], appendBits(to, nil, stored(to, float64(table[256*places[at]+int(y)]))))
					})
					for _, kernel := range usableKernels() {
						got := slices.Repeat([]byte{canary}, len(want)+1)[1:]
						require.NoError(t, slice1.CopyBytes(got, src, d, slice1.WithNumbers(to, slice1.Affine{Axis: axis, Table: table}), slice1.WithKernel(kernel)))
						equalBits(t, to, want, got, true, func() string { return fmt.Sprint(kernel, " ", to, shape, axis, layout) })
						tested(t, kernel)
					}
				}
			}
		}
	}
}

// packedStrides returns the strides of an array whose innermost axis has this stride.
func packedStrides(shape []int, stride int) []int {
	strides := make([]int, len(shape))
	for i, n := range slices.Backward(shape) {
		strides[i] = stride
		stride *= n
	}
	return strides
}

// Affine.Quantize makes what QuantizeLinear makes of each value of a table, or of Scale and Bias.
// With a scale of 2/255 and zero point -1 a picture's bytes become codes of int8 by way of -1 to 1,
// of which a product and a sum in one step leave 128 (ExampleConvert_int8 of package imageslice).
func TestQuantizedTables(t *testing.T) {
	const scale = float32(0.007843137718737125)
	src := make([]uint8, 256)
	for i := range src {
		src[i] = uint8(i)
	}
	steps := slice1.Affine{Scale: []float32{1 / 127.5}, Bias: []float32{-1}}
	floats, want, got := make([]float32, 256), make([]int8, 256), make([]int8, 256)
	require.NoError(t, slice1.Copy(floats, src, slice1.Whole(slice1.Uint8, 256), slice1.WithNumbers(slice1.Float32, steps)))
	require.NoError(t, slice1.Copy(want, floats, slice1.Whole(slice1.Float32, 256), slice1.WithNumbers(slice1.Int8, slice1.Quantize([]float32{scale}, []int32{-1}))))
	for i, x := range floats {
		require.EqualValues(t, min(max(math.RoundToEven(float64(x/scale))-1, -128), 127), want[i])
	}
	for _, a := range []slice1.Affine{steps.Quantize(scale, -1), {Table: steps.Quantize(scale, -1).Table}, slice1.Affine{Table: floats}.Quantize(scale, -1)} {
		for _, kernel := range usableKernels() {
			clear(got)
			require.NoError(t, slice1.Copy(got, src, slice1.Whole(slice1.Uint8, 256), slice1.WithNumbers(slice1.Int8, a), slice1.WithKernel(kernel)))
			require.Equal(t, want, got, kernel)
		}
	}
	three := slice1.Affine{Axis: 2, Scale: []float32{1, 2, 3}}.Quantize(1, 5)
	require.Len(t, three.Table, 768)
	require.Equal(t, 2, three.Axis)
	require.Equal(t, []float32{5, 205, 305}, []float32{three.Table[0], three.Table[356], three.Table[612]})
	nan := slice1.Affine{Table: slices.Repeat([]float32{float32(math.NaN())}, 256)}.Quantize(1, 7)
	require.Equal(t, slices.Repeat([]float32{7}, 256), nan.Table)
}

// Fields that exclude each other, other types, wrong lengths and scales that are not above 0 are
// errors that name the field, and nothing is written.
func TestValuesThatPlansRefuse(t *testing.T) {
	table, one := make([]float32, 256), []float32{1}
	for i, row := range []struct {
		from, to slice1.DataType
		a        slice1.Affine
		is       error
		field    string
	}{
		{slice1.Uint8, slice1.Float32, slice1.Affine{Table: table[:255]}, slice1.ErrSize, "Affine.Table"},
		{slice1.Uint8, slice1.Float32, slice1.Affine{Table: table[:1]}, slice1.ErrSize, "Affine.Table"},
		{slice1.Uint8, slice1.Float32, slice1.Affine{Table: make([]float32, 512)}, slice1.ErrSize, "Affine.Table"},
		{slice1.Uint8, slice1.Float32, slice1.Affine{Table: make([]float32, 768), Axis: -1}, slice1.ErrRank, "Affine.Axis"},
		{slice1.Int8, slice1.Float32, slice1.Affine{Table: table}, errors.ErrUnsupported, "Affine.Table"},
		{slice1.Float32, slice1.Float32, slice1.Affine{Table: table}, errors.ErrUnsupported, "Affine.Table"},
		{slice1.Uint8, slice1.Float32, slice1.Affine{Table: table, Scale: one}, errors.ErrUnsupported, "Affine.Scale"},
		{slice1.Uint8, slice1.Float32, slice1.Affine{Table: table, Bias: one}, errors.ErrUnsupported, "Affine.Bias"},
		{slice1.Uint8, slice1.Float32, slice1.Affine{Table: table, Divide: true}, errors.ErrUnsupported, "Affine.Divide"},
		{slice1.Uint8, slice1.Float32, slice1.Affine{Table: table, Zero: []int32{1}}, errors.ErrUnsupported, "Affine.Zero"},
		{slice1.Uint8, slice1.Int8, slice1.Affine{Zero: []int32{1}, Bias: one, Divide: true}, errors.ErrUnsupported, "Affine.Zero"},
		{slice1.Uint8, slice1.Float32, slice1.Affine{Divide: true, Bias: one}, errors.ErrUnsupported, "Affine.Divide"},
		{slice1.Uint8, slice1.Float32, slice1.Quantize(one, []int32{1}), errors.ErrUnsupported, "Affine.Zero"},
		{slice1.Float32, slice1.Float32, slice1.Dequantize(one, nil), errors.ErrUnsupported, "Affine.Zero"},
		{slice1.Float32, slice1.Int8, slice1.Quantize([]float32{0}, nil), slice1.ErrSize, "Affine.Scale"},
		{slice1.Float32, slice1.Int8, slice1.Quantize([]float32{-1}, nil), slice1.ErrSize, "Affine.Scale"},
		{slice1.Float32, slice1.Int8, slice1.Quantize([]float32{float32(math.NaN())}, nil), slice1.ErrSize, "Affine.Scale"},
		{slice1.Int8, slice1.Float32, slice1.Dequantize([]float32{1, 0, 1}, nil), slice1.ErrSize, "Affine.Scale"},
		{slice1.Int8, slice1.Float32, slice1.Dequantize(one, []int32{1, 2}), slice1.ErrSize, "Affine.Zero"},
	} {
		d := slice1.Whole(row.from, 3, 2)
		_, err := slice1.NewPlan(d, slice1.WithNumbers(row.to, row.a))
		requireField(t, err, row.is, row.field)
		dst := slices.Repeat([]byte{canary}, 6*row.to.Size())
		requireField(t, slice1.CopyBytes(dst, make([]byte, 6*row.from.Size()), d, slice1.WithNumbers(row.to, row.a)), row.is, row.field)
		require.Equal(t, slices.Repeat([]byte{canary}, len(dst)), dst, i)
		if row.is == slice1.ErrSize && row.a.Axis >= 0 {
			continue // of another number of values than the plan's, perhaps
		}
		p, err := slice1.NewPlan(d, slice1.WithNumbers(row.to, slice1.Affine{}))
		require.NoError(t, err)
		_, err = p.WithAffine(row.a)
		require.Error(t, err, i)
	}
}

// WithAffine takes tables and zero points, and values of another sort give a plan of another rule.
func TestOtherTablesAndZeroPoints(t *testing.T) {
	src, got := []uint8{0, 7, 255, 100}, make([]int16, 4)
	p, err := slice1.NewPlan(slice1.Whole(slice1.Uint8, 4), slice1.WithNumbers(slice1.Int16, slice1.Affine{}))
	require.NoError(t, err)
	line, curve := make([]float32, 256), make([]float32, 256)
	for i := range 256 {
		line[i], curve[i] = float32(2*i+1), float32(i*i%1000)
	}
	for _, row := range []struct {
		a    slice1.Affine
		want []int16
	}{
		{slice1.Affine{}, []int16{0, 7, 255, 100}},
		{slice1.Affine{Table: line}, []int16{1, 15, 511, 201}},
		{slice1.Affine{Table: curve}, []int16{0, 49, 25, 0}},
		{slice1.Quantize([]float32{2}, []int32{-3}), []int16{-3, 1, 125, 47}},
		{slice1.Dequantize([]float32{2}, []int32{-3}), []int16{6, 20, 516, 206}},
		{slice1.Affine{Scale: []float32{3}}, []int16{0, 21, 765, 300}},
	} {
		given := slice1.Affine{Scale: slices.Clone(row.a.Scale), Zero: slices.Clone(row.a.Zero), Table: slices.Clone(row.a.Table), Divide: row.a.Divide}
		p, err = p.WithAffine(given)
		require.NoError(t, err)
		clear(given.Scale)
		clear(given.Zero)
		clear(given.Table)
		require.NoError(t, slice1.Run(p, got, src))
		require.Equal(t, row.want, got)
	}
}

// Rows of tables are right by non-temporal stores, too, from every address and of any length, and
// store nothing beside the row: by one table, by one for each row, for each column, and for each
// channel of pixels of three.
func TestTablesOfEveryAddress(t *testing.T) {
	rng := rand.New(rand.NewPCG(79, 100))
	const bytes = 280 << 10
	for _, to := range []slice1.DataType{slice1.Int8, slice1.Float32} {
		size := to.Size()
		for _, columns := range []int{3, 31, 32, 47, 64, 96, 100, 129, 530, 591} {
			rows := bytes / size / columns
			src := make([]byte, rows*columns)
			randomize(src, rng)
			for axis, tables := range []int{1, rows, columns, 3} {
				axis--
				if tables > 1<<7 || axis == 2 && columns%tables != 0 {
					continue
				}
				a := slice1.Affine{Axis: axis, Table: make([]float32, 256*tables)}
				for i := range a.Table {
					a.Table[i] = float32(rng.NormFloat64() * 1000)
				}
				var entries []byte
				for _, y := range a.Table {
					entries = appendBits(to, entries, stored(to, float64(y)))
				}
				d, pitch := slice1.Whole(slice1.Uint8, rows, columns), columns+1+axis
				d.Output.Strides = []int{pitch, 1}
				if axis == 2 {
					d = slice1.Whole(slice1.Uint8, rows, columns/3, 3)
					d.Output.Strides = []int{pitch, 3, 1}
				}
				want := slices.Repeat([]byte{canary}, pitch*rows*size)
				for i, x := range src {
					row, column := i/columns, i%columns
					index := [...]int{0, row, column, column % 3}[axis+1]
					copy(want[(row*pitch+column)*size:], entries[(256*index+int(x))*size:][:size])
				}
				for _, kernel := range usableKernels() {
					p, err := slice1.NewPlan(d, slice1.WithNumbers(to, a), slice1.WithKernel(kernel), slice1.WithStreaming(1))
					require.NoError(t, err)
					for _, start := range []int{0, 1, 4, 60} {
						got := slices.Repeat([]byte{canary}, start+len(want))[start:]
						require.NoError(t, p.Run(got, src))
						require.True(t, string(want) == string(got), "%s %v %d %d %d", kernel, to, columns, axis, start)
					}
				}
			}
		}
	}
}
