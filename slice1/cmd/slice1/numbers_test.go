package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// Values go along an axis of the index's result, whatever -axes then makes of that axis. This holds
// for a file, in memory and in pipes, and if the output is cut along that axis.
func TestNumbersAreConvertedAlongAnAxis(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, shape := range [][]int{{7, 5, 3}, {2, 600_001}, {300_000, 2}, {3, 300, 400}} {
		d := newDir(t)
		in, data := tensor{shape: shape}, noise(r, product(shape))
		for _, b := range data {
			in.data = append(in.data, float64(b))
		}
		d.write("in.raw", data)
		d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: shape}, data))
		in = in.permuted(shape, func(i []int) []int { i[0] = shape[0] - 1 - i[0]; return i }) // the index is [::-1]
		text := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ","), "[]")
		turned, axes := slices.Clone(shape), "" // the axes in the other order
		slices.Reverse(turned)
		for axis := range shape {
			axes = fmt.Sprint(axis, ",", axes)
		}
		for channel, n := range shape {
			if n > 1000 {
				continue
			}
			scale, bias := "", ""
			for i := range n {
				scale, bias = fmt.Sprint(scale, ",", 1+i%7), fmt.Sprint(bias, ",", -i%3)
			}
			converted := tensor{shape: shape}
			below := product(shape[channel+1:])
			for i, x := range in.data {
				c := i / below % n
				converted.data = append(converted.data, x*float64(1+c%7)+float64(-c%3))
			}
			flags := []string{"-force", "-to", "raw", "-channel", strconv.Itoa(channel - len(shape)*(channel%2)), "-scale", scale[1:], "-bias", bias[1:]}
			for _, row := range []struct {
				flags []string
				want  tensor
			}{
				{nil, converted},
				{[]string{"-axes", strings.TrimSuffix(axes, ",")}, converted.permuted(turned, func(i []int) []int { slices.Reverse(i); return i })},
			} {
				want := row.want.encoded(slice1.Float32)
				for i, in := range [][]string{{"[::-1]", "./in.npy"}, {"-raw", "u1", "-shape", text, "[::-1]", "./in.raw"}, {"-raw", "u1", "-shape", text, "[::-1]", "-"}, {"-raw", "u1", "-shape", "-1" + text[strings.Index(text, ","):], "[::-1]", "-"}} {
					out := []string{"./out.raw", "-"}[i%2]
					args := slices.Concat(flags, row.flags, in, []string{out})
					if out == "-" {
						d.passes(want, data, args...)
						continue
					}
					d.passes(nil, data, args...)
					require.True(t, bytes.Equal(want, d.read("out.raw")), "%v %s", shape, args)
				}
			}
		}
	}
}

// The rows of a pipe of unknown length get one value each, if as many rows come as there are
// values.
func TestNumbersAlongRowsThatCome(t *testing.T) {
	d := newDir(t)
	for _, index := range []string{"[:]", "[None]", "[:9]"} {
		args := []string{"-to", "raw,u1", "-raw", "u1", "-shape", "-1,3", "-channel", "-2", "-scale", "2,3", index, "-", "-"}
		d.passes([]byte{0, 2, 4, 9, 12, 15}, counting(6), args...)
		d.refusesPipe(counting(9), exitUsage, "2 values, and axis", args...)
	}
}

// Every type becomes every other type, like package slice1 converts it, from both orders of bytes.
func TestNumbersOfEveryType(t *testing.T) {
	d := newDir(t)
	r := rand.New(rand.NewPCG(3, 4))
	names := []string{"u1", "i1", "u2", "i2", "u4", "i4", "u64", "i64", "f2", "bf16", "f4", "f8"}
	numberTypes := []slice1.DataType{slice1.Uint8, slice1.Int8, slice1.Uint16, slice1.Int16, slice1.Uint32, slice1.Int32,
		slice1.Uint64, slice1.Int64, slice1.Float16, slice1.BFloat16, slice1.Float32, slice1.Float64}
	for i, from := range numberTypes {
		data := noise(r, 60*from.Size())
		for k, to := range numberTypes {
			want := make([]byte, 30*to.Size())
			c, err := slice1.NewPlan(crop(t, from, "[1]", 2, 30), slice1.WithNumbers(to, slice1.Affine{Scale: []float32{.5}, Bias: []float32{3}}))
			require.NoError(t, err)
			require.NoError(t, c.Run(want, data))
			for big, file := range [][]byte{data, reversed(data, from.Size())} {
				name := names[i]
				if big == 1 && from == slice1.BFloat16 {
					continue
				} else if big == 1 {
					name = map[bool]string{true: "<", false: ">"}[nativeBig] + strings.Replace(name, "64", "8", 1)
				}
				d.write("in.raw", file)
				d.works("-force", "-to", names[k], "-scale", ".5", "-bias", "3", "-raw", name, "-shape", "2,30", "[1]", "./in.raw", "./out.npy")
				h, got := d.array("out.npy")
				require.Equal(t, want, got, "%s to %s", name, names[k])
				if to == slice1.BFloat16 {
					require.Equal(t, "|V2", h.Descr)
				} else {
					require.Equal(t, npy.Header{Type: to, BigEndian: nativeBig && to.Size() > 1, Shape: []int{30}}, h)
				}
			}
		}
	}
}

// The order of bytes alone changes no number, also where float32 does not hold it, and bfloat16 is
// read as it is written.
func TestNumbersThatKeepTheirTypeAreKept(t *testing.T) {
	d := newDir(t)
	r := rand.New(rand.NewPCG(5, 6))
	for _, typ := range []slice1.DataType{slice1.Uint16, slice1.Int16, slice1.Uint32, slice1.Int32, slice1.Uint64, slice1.Int64, slice1.Float16, slice1.Float32, slice1.Float64} {
		data := noise(r, 40*typ.Size())
		for i := typ.Size() - 1; i < len(data); i += typ.Size() {
			data[i] &= 0x3f // no NaN in either order
			data[i/typ.Size()*typ.Size()] &= 0x3f
		}
		d.write("in.npy", npyFile(npy.Header{Type: typ, BigEndian: !nativeBig, Shape: []int{40}}, reversed(data, typ.Size())))
		d.makes(data, "-to", strings.Replace(typ.String(), "float", "f", 1), "[...]", "./in.npy")
	}
	d.write("f4.npy", npyFile(npy.Header{Type: slice1.Float32, BigEndian: nativeBig, Shape: []int{3}}, slice1.Bytes([]float32{1, 2, .5})))
	d.works("-to", "bf16", "[...]", "./f4.npy", "./bf16.npy")
	d.makes(slice1.Bytes([]float32{1, 2, .5}), "-to", "f4", "[...]", "./bf16.npy")

	// Booleans are 0 and 1, of which a picture is black unless -scale says what is white.
	d.write("bool.npy", npyFile(npy.Header{Descr: "|b1", Shape: []int{2, 2}}, []byte{0, 1, 1, 0}))
	assert.Equal(t, slice1.Uint8, d.makes([]byte{0, 1, 1, 0}, "-to", "u1", "[...]", "./bool.npy").Type)
	d.makes(slice1.Bytes([]float32{2, 1}), "-mean", "-1", "[1]", "./bool.npy")
	d.refuses(exitError, "not bool [2, 2]; -to u1 -scale 255 makes bytes of numbers from 0 to 1", "[...]", "./bool.npy", "./out.png")
	d.refuses(exitError, "-scale 255 makes them of numbers from 0 to 1", "-to", "u1", "[...]", "./bool.npy", "./out.png")
	d.works("-to", "u1", "-scale", "255", "[...]", "./bool.npy", "./out.png")
	_, mask := pictureSamples(t, slice1.Uint8, d.read("out.png"))
	assert.Equal(t, []byte{0, 255, 255, 0}, mask)

	// In parts of the largest sample, whatever that is.
	d.write("in.pgm", []byte("P5\n3 1\n15\n\x00\x08\x0f"))
	d.makes(slice1.Bytes([]float32{0, float32(8 * (1. / 15)), 1}), "-mean", "0", "-std", "1", "[0, :, 0]", "./in.pgm")
}

func crop(t *testing.T, dtype slice1.DataType, index string, shape ...int) *slice1.Desc {
	w, _, err := slice1.ParseIndex(index, shape)
	require.NoError(t, err)
	return slice1.NewDesc(dtype, shape, w)
}

// -mean and -std have the meaning that models give them: they apply to samples as fractions of the
// largest sample.
func TestPicturesBecomeTheInputsOfModels(t *testing.T) {
	d := newDir(t)
	m := image.NewNRGBA(image.Rect(0, 0, 20, 10))
	for i := range m.Pix {
		m.Pix[i] = byte(i*i) | byte(i%4/3*255) // opaque
	}
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, m))
	d.write("in.png", file.Bytes())
	d.works("-mean", "0.485,0.456,0.406", "-std", "0.229,0.224,0.225", "-axes", "2,0,1", "[2:8, 3:]", "./in.png", "./out.npy")
	h, got := d.array("out.npy")
	assert.Equal(t, npy.Header{Type: slice1.Float32, Shape: []int{3, 6, 17}, BigEndian: nativeBig}, h)
	want := make([]float32, 3*6*17)
	require.NoError(t, imageslice.Convert(want, m, image.Rect(3, 2, 20, 8), imageslice.Tensor{Affine: imageslice.Normalize([]float32{.485, .456, .406}, []float32{.229, .224, .225})}))
	assert.Equal(t, slice1.Bytes(want), got)

	// The way back, and a picture of 16 bits that becomes one of 8.
	d.works("-to", "u1", "-axes", "1,2,0", "-channel", "0", "-scale", "58.395,57.12,57.375", "-bias", "123.675,116.28,103.53", "[...]", "./out.npy", "./back.png")
	d.works("[2:8, 3:]", "./in.png", "./part.png")
	assert.Equal(t, d.read("part.png"), d.read("back.png"))
	d.works("-force", "-to", "u2", "-scale", "257", "[...]", "./in.png", "./wide.png")
	d.works("-force", "-to", "u1", "-std", "0.00392156862745098", "[...]", "./wide.png", "./narrow.png")
	d.works("-force", "[...]", "./in.png", "./same.png")
	assert.Equal(t, d.read("same.png"), d.read("narrow.png"))

	// If no picture format holds the numbers, a picture for a folder becomes an .npy file.
	_, _, stderr := d.run("-q", "-to", "f2", "[0]", "./in.png", d.folder("sub").path)
	require.Empty(t, stderr)
	assert.Equal(t, []string{"in.npy"}, d.folder("sub").files())
}

func TestNumbersThatAreNoneAreErrors(t *testing.T) {
	d := newDir(t)
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{2, 3}}, counting(6)))
	d.write("rgba.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{1, 2, 4}}, counting(8)))
	d.write("complex.npy", npyFile(npy.Header{Descr: "<c8", Shape: []int{2}}, counting(16)))
	d.write("wide.npy", npyFile(npy.Header{Type: slice1.Uint16, Shape: []int{2}}, counting(4)))
	d.write("int.npy", npyFile(npy.Header{Type: slice1.Int32, Shape: []int{2}}, counting(8)))
	foreign := ">i2"
	if nativeBig {
		foreign = "<i2"
	}
	for _, row := range []struct {
		code int
		says string
		args []string
	}{
		{exitUsage, "numbers are u1", []string{"-to", "c8", "[:]", "./in.npy"}},
		{exitUsage, "output is npy", []string{"-to", "npy,raw", "[:]", "./in.npy"}},
		{exitUsage, "numbers are u1", []string{"-to", foreign, "[:]", "./in.npy"}},
		{exitUsage, "numbers with commas", []string{"-mean", "0.5;2", "[:]", "./in.npy"}},
		{exitUsage, "numbers with commas", []string{"-scale", "nan", "[:]", "./in.npy"}},
		{exitUsage, "numbers with commas", []string{"-std", "1,-inf,2", "[:]", "./in.npy"}},
		{exitUsage, "-channel 2: the result has rank 2", []string{"-scale", "2", "-channel", "2", "[:]", "./in.npy"}},
		{exitUsage, "-channel -2: the result has rank 1", []string{"-scale", "2", "-channel", "-2", "[0]", "./in.npy"}},
		{exitUsage, "2 values, and axis 1 of [2, 3] has 3", []string{"-scale", "1,2", "[:]", "./in.npy"}},
		{exitUsage, "3 values, and axis 0 of [2, 3] has 2", []string{"-mean", "1,2,3", "-channel", "0", "[:]", "./in.npy"}},
		{exitUsage, "-channel -3: the result has rank 2", []string{"-mean", "1,2,3", "-channel", "-3", "[:]", "./in.npy"}},
		{exitUsage, "-channel 0: the result has rank 0", []string{"-mean", "1,2,3", "-channel", "0", "[0, 0]", "./in.npy"}},
		{exitUsage, "-std divides, and cannot be 0", []string{"-std", "1,0,1", "[:]", "./in.npy"}},
		{exitUsage, "-mean and -std are in parts of the largest sample, 255: a mean of 127.5 is -mean 0.5, and so for -std\n", []string{"-mean", ".5,127.5,.5", "[:]", "./in.npy"}},
		{exitUsage, "255: a mean of -16.5 is -mean -0.064", []string{"-mean", "-16.5", "[:]", "./in.npy"}},
		{exitUsage, "65535: a mean of 32767.5 is -mean 0.5,", []string{"-mean", "32767.5", "-std", "20000", "[:]", "./wide.npy"}},
		{exitUsage, "-scale does not go with -mean", []string{"-scale", "2", "-mean", "1", "[:]", "./in.npy"}},
		{exitUsage, "2 values, and axis 1 of [2, 3] has 3", []string{"-mean", "1,2", "-std", "1,2,3", "[:]", "./in.npy"}},
		{exitUsage, "[..., :3] leaves alpha out", []string{"-mean", "1,2,3", "[...]", "./rgba.npy"}},
		{exitUsage, "-scale is given twice", []string{"-scale", "2", "-scale", "2", "[:]", "./in.npy"}},
		{exitUsage, "-scale and -bias are for int32", []string{"-mean", "1", "[:]", "./int.npy"}},
		{exitError, "complex64 is not converted", []string{"-to", "f4", "[:]", "./complex.npy"}},
		{exitUsage, "-part does not go with -to=TYPE", []string{"-to", "f4", "-part", "1/2", "[:]", "./in.npy"}},
		{exitUsage, "-device=gpu does not go with -to=TYPE", []string{"-to", "f4", "-device", "gpu", "[:]", "./in.npy"}},
	} {
		d.refuses(row.code, row.says, append(row.args, "./out.npy")...)
	}
	d.refuses(exitError, "not float32 [2, 3]; -to u1 leaves numbers as they are", "-to", "f4", "[:]", "./in.npy", "./out.png")
	d.refuses(exitError, "not float32 [2, 3]; numbers by -mean and -std lie around 0, and .npy takes them", "-mean", ".5", "[:]", "./in.npy", "./out.png")
	d.refuses(exitError, "not float32 [2, 3]; -to u1 rounds numbers, and", "-bias", ".5", "[:]", "./in.npy", "./out.png")
	d.refuses(exitError, "not int32 [2]; -to u1 -scale 1 makes bytes of numbers from 0 to 255", "[:]", "./int.npy", "./out.png")

	// Floats have no largest sample but 1, and may have means of any size.
	d.write("f4.npy", npyFile(npy.Header{Type: slice1.Float32, BigEndian: nativeBig, Shape: []int{1}}, slice1.Bytes([]float32{100})))
	d.works("-mean", "123", "-std", "0.5", "[:]", "./f4.npy", "./out.npy")
	_, got := d.array("out.npy")
	assert.Equal(t, slice1.Bytes([]float32{-46}), got)
}

// Of NumPy's booleans, byte 0 is 0 and another byte 1, in every type, alone and with values: from a
// file, from a pipe of unknown length, and where several goroutines share the axis of the values.
func TestBytesOfBooleans(t *testing.T) {
	d := newDir(t)
	file := npyFile(npy.Header{Descr: "|b1", Shape: []int{2, 4}}, []byte{0, 1, 2, 255, 255, 128, 0, 1})
	d.write("b.npy", file)
	types := []slice1.DataType{slice1.Uint8, slice1.Int8, slice1.Uint16, slice1.Int16, slice1.Uint32, slice1.Int32,
		slice1.Uint64, slice1.Int64, slice1.Float16, slice1.BFloat16, slice1.Float32, slice1.Float64}
	names := strings.Fields("u1 i1 u2 i2 u4 i4 u64 i64 f2 bf16 f4 f8")
	for i, to := range types {
		for _, row := range []struct {
			flags string
			want  []float32
		}{
			{"", []float32{0, 1, 1, 1, 1, 1, 0, 1}},
			{"-scale 3 -bias 2", []float32{2, 5, 5, 5, 5, 5, 2, 5}},
			{"-scale 1,2,3,4", []float32{0, 2, 3, 4, 1, 2, 0, 4}},
			{"-channel 0 -bias 1,7", []float32{1, 2, 2, 2, 8, 8, 7, 8}},
			{"-scale -1", []float32{float32(math.Copysign(0, -1)), -1, -1, -1, -1, -1, float32(math.Copysign(0, -1)), -1}},
			{"-mean -1 -std 0.5", []float32{2, 4, 4, 4, 4, 4, 2, 4}},
			{"-quantize 0.5,3", []float32{3, 5, 5, 5, 5, 5, 3, 5}},
		} {
			if strings.HasPrefix(row.flags, "-quantize") && isFloat(to) {
				continue
			}
			want := make([]byte, len(row.want)*to.Size())
			require.NoError(t, slice1.CopyBytes(want, slice1.Bytes(row.want), slice1.Whole(slice1.Float32, len(row.want)), slice1.WithNumbers(to, slice1.Affine{})))
			args := append(strings.Fields(row.flags), "-to", names[i])
			d.makes(want, append(args, "[...]", "./b.npy")...)
			d.makes(want, append(args, "-j", "2", "[...]", "./b.npy")...)
			args[len(args)-1] = "raw," + names[i]
			d.passes(want, file, append(args, "[...]", "-", "-")...)
		}
	}

	const columns = 3 << 20 // so that rows are parts of their own
	data, want := make([]byte, 2*columns), make([]byte, 2*columns)
	for i := range data {
		data[i] = byte(i % 3)
		want[i] = byte(1 + 6*(i/columns) + min(i%3, 1))
	}
	d.write("large.npy", npyFile(npy.Header{Descr: "|b1", Shape: []int{2, columns}}, data))
	d.works("-force", "-j", "2", "-channel", "0", "-bias", "1,7", "-to", "u1", "[...]", "./large.npy", "./out.npy")
	_, got := d.array("out.npy")
	require.True(t, bytes.Equal(want, got))
}

// -quantize and -dequantize are ONNX's: the quotient is rounded, ties to even, before the zero
// point is added, which is subtracted first on the way back.
func TestQuantize(t *testing.T) {
	d := newDir(t)
	d.write("f.npy", npyFile(npy.Header{Type: slice1.Float32, BigEndian: nativeBig, Shape: []int{5}}, slice1.Bytes([]float32{.5, 1.5, 2.5, -3.5, 1e9})))
	d.write("i.npy", npyFile(npy.Header{Type: slice1.Int8, Shape: []int{3}}, []byte{0, 127, 128}))
	for _, row := range []struct{ args, want string }{
		{"-quantize 1,127 -to raw,u1 [...] ./f.npy -", "\x7f\x81\x81\x7b\xff"},
		{"-quantize 1,-1 -to raw [...] ./f.npy -", "\xff\x01\x01\xfb\x7f"},
		{"-quantize 2,0 -to raw [::-1] ./f.npy -", "\x7f\xfe\x01\x01\x00"},
		{"-dequantize 0.5,3 -to raw,i1 [...] ./i.npy -", "\xfe\x3e\xbe"},
	} {
		d.passes([]byte(row.want), nil, strings.Fields(row.args)...)
	}
	for _, args := range []string{"-quantize 0,1 [...] ./f.npy ./o.npy", "-quantize 1 [...] ./f.npy ./o.npy", "-quantize nan,1 [...] ./f.npy ./o.npy", "-quantize 1,.5 [...] ./f.npy ./o.npy",
		"-quantize 1,1 -to f4 [...] ./f.npy ./o.npy", "-dequantize 1,1 [...] ./f.npy ./o.npy", "-quantize 1,1 -bias 1 [...] ./f.npy ./o.npy", "-quantize 1,1 -dequantize 1,1 [...] ./f.npy ./o.npy"} {
		code, _, _ := d.run(strings.Fields(args)...)
		require.Equal(t, exitUsage, code, args)
	}
}
