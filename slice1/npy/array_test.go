package npy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// written returns what Write writes.
func written[T Element](t *testing.T, data []T, shape ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, data, shape))
	return b.Bytes()
}

// roundTrip writes data, requires the type that the header names, and reads it back from a stream
// of small parts, up to the array's end and no further.
func roundTrip[T Element](t *testing.T, descr string, data []T, shape ...int) {
	t.Helper()
	file := written(t, data, shape...)
	require.Contains(t, string(file[:128]), "'descr': '"+descr+"'")
	rest := bytes.NewReader(append(file, "next"...))
	got, gotShape, err := Read[T](iotest.OneByteReader(rest))
	require.NoError(t, err)
	require.Equal(t, data, got)
	require.Equal(t, shape, gotShape)
	require.Equal(t, 4, rest.Len())
}

func native(code string) string {
	if hostBigEndian {
		return ">" + code
	}
	return "<" + code
}

func TestWriteAndReadEveryElement(t *testing.T) {
	roundTrip(t, "|b1", []bool{true, false, true}, 3)
	roundTrip(t, "|i1", []int8{-1, 2}, 2, 1)
	roundTrip(t, "|u1", []uint8{255}, 1)
	roundTrip(t, native("i2"), []int16{-2, 1, 0, 5}, 2, 2)
	roundTrip(t, native("u2"), []uint16{65535, 1}, 1, 2, 1)
	roundTrip(t, native("i4"), []int32{math.MinInt32}, 1)
	roundTrip(t, native("u4"), []uint32{math.MaxUint32}, 1)
	roundTrip(t, native("i8"), []int64{math.MinInt64}, 1)
	roundTrip(t, native("u8"), []uint64{math.MaxUint64}, 1)
	roundTrip(t, native("f4"), []float32{1.5, -2}, 2)
	roundTrip(t, native("f8"), []float64{math.Pi}, 1)
	roundTrip(t, native("c8"), []complex64{1 + 2i}, 1)
	roundTrip(t, native("c8"), [][2]float32{{1, 2}}, 1)
	roundTrip(t, native("c16"), []complex128{1 + 2i, 3}, 2)
	roundTrip(t, native("c16"), [][2]float64{{1, 2}}, 1)
	roundTrip(t, "|u1", [][4]uint8{{1, 2, 3, 4}, {5, 6, 7, 8}}, 1, 2)
	roundTrip(t, native("u2"), [][2]uint16{{1, 2}}, 1)
	roundTrip(t, native("f4"), make([]float32, 1<<20), 4, 1<<18)
	roundTrip(t, native("f4"), []float32{}, 3, 0)
}

func TestWriteAndReadAScalar(t *testing.T) {
	file := written(t, []int16{7})
	got, shape, err := Read[int16](bytes.NewReader(file))
	require.NoError(t, err)
	assert.Equal(t, []int16{7}, got)
	assert.Empty(t, shape)
}

func TestWriteRefusesAShapeOfOtherElements(t *testing.T) {
	for _, shape := range [][]int{nil, {2}, {-3}, {-1, -3}, {3, 0}, {math.MaxInt, math.MaxInt, 4}, {math.MaxInt, 3}, {math.MinInt}} {
		var b bytes.Buffer
		require.ErrorIs(t, Write(&b, []uint8{1, 2, 3}, shape), slice1.ErrSize, shape)
		require.Zero(t, b.Len())
	}
	require.NoError(t, Write(io.Discard, []uint8{}, []int{math.MaxInt, 0}))
	require.ErrorIs(t, Write(io.Discard, []uint8{}, []int{math.MaxInt, math.MaxInt, math.MaxInt, 0}), slice1.ErrSize) // which nothing would read
}

// fileOf returns a file of a type with these bytes as its data.
func fileOf(descr, fortran, shape string, data ...byte) io.Reader {
	return bytes.NewReader(append(file(1, dictOf(descr, fortran, shape), 0), data...))
}

func TestReadGivesRowMajorDataOfThisMachinesByteOrder(t *testing.T) {
	// As np.array([[0, 1, 2], [10, 11, 12]], '>i2', order='F').
	got, shape, err := Read[int16](fileOf(">i2", "True", "(2, 3)", 0, 0, 0, 10, 0, 1, 0, 11, 0, 2, 0, 12))
	require.NoError(t, err)
	assert.Equal(t, []int16{0, 1, 2, 10, 11, 12}, got)
	assert.Equal(t, []int{2, 3}, shape)

	for order, want := range map[string]uint64{"<": 0x0807060504030201, ">": 0x0102030405060708} {
		eight := []byte{1, 2, 3, 4, 5, 6, 7, 8}
		whole, _, err := Read[uint64](fileOf(order+"u8", "False", "(1,)", eight...))
		require.NoError(t, err)
		assert.Equal(t, []uint64{want}, whole)
		halves, _, err := Read[[2]float32](fileOf(order+"c8", "False", "(1,)", eight...))
		require.NoError(t, err)
		bits := []uint32{math.Float32bits(halves[0][0]), math.Float32bits(halves[0][1])}
		if order == "<" {
			assert.Equal(t, []uint32{0x04030201, 0x08070605}, bits)
		} else {
			assert.Equal(t, []uint32{0x01020304, 0x05060708}, bits)
		}
	}
}

// TestReadFortranEqualsTheFormula compares arrays of random shapes. Each element is the place where
// it lies.
func TestReadFortranEqualsTheFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		shape := make([]int, rng.IntN(11))
		n, long := 1, 0
		for i := range shape {
			shape[i] = 1 + rng.IntN(3)
			if shape[i] > 1 {
				long++
			}
			n *= shape[i]
		}
		h := Header{Type: slice1.Uint32, Shape: shape, Fortran: true}
		data := make([]byte, 4*n)
		for i := range n {
			binary.NativeEndian.PutUint32(data[4*i:], uint32(i))
		}
		head := headerOf(t, Header{Type: slice1.Uint32, BigEndian: hostBigEndian, Shape: shape})
		head = bytes.Replace(head, []byte("'fortran_order': False"), []byte("'fortran_order': True "), 1)
		got, gotShape, err := Read[uint32](bytes.NewReader(append(head, data...)))
		if long > 8 {
			require.ErrorIs(t, err, slice1.ErrRank)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, shape, append([]int{}, gotShape...))
		strides := make([]int, len(shape))
		for i, step := 0, 1; i < len(shape); i++ {
			strides[i], step = step, step*shape[i]
		}
		for k, v := range got {
			at := 0
			for i, rest := len(shape)-1, k; i >= 0; i-- {
				at += rest % shape[i] * strides[i]
				rest /= shape[i]
			}
			require.EqualValues(t, at, v, "%v of %v", k, h.Shape)
		}
	}
}

func TestReadTakesTypesOfTheSameBits(t *testing.T) {
	bytes, _, err := Read[uint8](fileOf("|b1", "False", "(3,)", 0, 1, 2))
	require.NoError(t, err)
	assert.Equal(t, []uint8{0, 1, 2}, bytes, "bytes of a bool are kept")
	_, _, err = Read[bool](fileOf("|u1", "False", "(1,)", 1))
	require.NoError(t, err)
	halves, _, err := Read[uint16](fileOf("<f2", "False", "(1,)", 0, 0x3c))
	require.NoError(t, err)
	assert.Equal(t, []uint16{0x3c00}, halves)
	dates, _, err := Read[int64](fileOf("<M8[ns]", "False", "(1,)", 7, 0, 0, 0, 0, 0, 0, 0))
	require.NoError(t, err)
	assert.Equal(t, []int64{7}, dates)
}

func TestReadRefusesOtherTypes(t *testing.T) {
	for _, descr := range []string{"<i2", "<u8", "<f4", "<c8", "|S4", "<U1", "|V4"} {
		_, _, err := Read[uint32](fileOf(descr, "False", "(0,)"))
		require.ErrorIs(t, err, slice1.ErrDataType, descr)
	}
	_, _, err := Read[[4]uint8](fileOf("|u1", "False", "(2, 3)", 1, 2, 3, 4, 5, 6))
	require.ErrorIs(t, err, slice1.ErrDataType)
	require.ErrorContains(t, err, "shape [2 3] of uint8, which cannot be read as [4]uint8")
	_, _, err = Read[[4]uint8](fileOf("|u1", "False", "()", 1))
	require.ErrorIs(t, err, slice1.ErrDataType)
}

func TestReadOfATruncatedFileAllocatesWhatHasCome(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := Read[uint32](fileOf("<u4", "False", "(500000000,)", make([]byte, 3<<20)...))
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, ErrTruncated)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(20<<20))
}

func TestHeaderDescSaysTheOrder(t *testing.T) {
	for _, c := range []struct {
		descr, fortran, shape string
		want                  slice1.TensorDesc
	}{
		{">f4", "False", "(2, 3)", slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{2, 3}}},
		{"<f4", "True", "(2, 3)", slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{2, 3}, Strides: []int{1, 2}}},
		{"<c16", "True", "(2, 3)", slice1.TensorDesc{DataType: slice1.Uint64, Sizes: []int{2, 3, 2}, Strides: []int{2, 4, 1}}},
		{"<c16", "False", "()", slice1.TensorDesc{DataType: slice1.Uint64, Sizes: []int{2}}},
		{"|u1", "False", "()", slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{1}}},
	} {
		h, err := ReadHeader(fileOf(c.descr, c.fortran, c.shape))
		require.NoError(t, err)
		got, err := h.Desc()
		require.NoError(t, err)
		assert.Equal(t, c.want, got, c)
	}
	h, err := ReadHeader(fileOf("<f4", "False", "(2, 0)"))
	require.NoError(t, err)
	_, err = h.Desc()
	require.ErrorIs(t, err, slice1.ErrEmpty)
	h.Shape = make([]int, 9)
	for i := range h.Shape {
		h.Shape[i] = 1
	}
	_, err = h.Desc()
	require.ErrorIs(t, err, slice1.ErrRank)
}

// archive makes an .npz of members, in their order.
func archive(t *testing.T, method uint16, members ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: members[i].(string), Method: method})
		require.NoError(t, err)
		require.NoError(t, Write(w, []uint8{uint8(members[i+1].(int))}, []int{1}))
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

// open reads the only element of a member.
func open(file []byte, name string) (int, error) {
	r, err := OpenMember(bytes.NewReader(file), int64(len(file)), name)
	if err != nil {
		return 0, err
	}
	data, _, err := Read[uint8](r)
	if err != nil {
		return 0, err
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		return 0, err
	}
	return int(data[0]), r.Close()
}

// A window of an array takes whole elements, in either order of memory. Elements of several values
// are among them.
func TestWindowsOfHeadersTakeWholeElements(t *testing.T) {
	for _, c := range []struct {
		descr string
		size  int
	}{{"<i4", 4}, {"<c8", 8}, {"<c16", 16}, {"|V5", 5}} {
		for _, order := range []string{"False", "True"} {
			file := fmt.Sprintf("\x93NUMPY\x01\x00\x76\x00%-117s\n", fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (3, 4), }", c.descr, order))
			data := make([]byte, 12*c.size)
			for i := range data {
				data[i] = byte(i)
			}
			h, err := Parse(append([]byte(file), data...))
			require.NoError(t, err)
			tensor, err := h.Desc()
			require.NoError(t, err)
			w, shape, err := h.ParseIndex("[::-2, 1:3]")
			require.NoError(t, err)
			require.Equal(t, []int{2, 2}, shape)
			plan, err := slice1.NewPlan(w.Of(tensor))
			require.NoError(t, err)
			got := make([]byte, plan.DstSize())
			require.NoError(t, plan.Run(got, data))
			var want []byte
			for _, y := range []int{2, 0} {
				for _, x := range []int{1, 2} {
					at := 4*y + x
					if order == "True" {
						at = y + 3*x
					}
					want = append(want, data[at*c.size:][:c.size]...)
				}
			}
			require.Equal(t, want, got, "%s %s", c.descr, order)
			_, shape, err = h.ParseIndex("[3:, :]")
			require.ErrorIs(t, err, slice1.ErrEmpty)
			require.Equal(t, []int{0, 4}, shape)
			_, _, err = h.ParseIndex("[0, 4]")
			require.ErrorIs(t, err, slice1.ErrWindow)
		}
	}
}

func TestOpenMemberFindsWhatNumPyFinds(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		file := archive(t, method, "x.npy", 1, "y.npy", 2, "x.npy", 3, "y", 4, "z.npy.npy", 5, "z.npy", 6)
		for name, want := range map[string]int{"x": 3, "x.npy": 3, "y": 4, "y.npy": 2, "z": 6, "z.npy": 6, "z.npy.npy": 5} {
			got, err := open(file, name)
			require.NoError(t, err, name)
			assert.Equal(t, want, got, name)
		}
		_, err := open(file, "")
		require.ErrorIs(t, err, ErrFormat)
		_, err = open(file, "w")
		require.ErrorIs(t, err, ErrFormat)
		z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
		require.NoError(t, err)
		assert.Equal(t, []string{"x", "y", "z.npy", "z"}, Members(z))

		got, err := open(archive(t, method, "only.npy", 9), "")
		require.NoError(t, err)
		assert.Equal(t, 9, got)
	}
	_, err := open([]byte("no archive"), "x")
	require.ErrorIs(t, err, zip.ErrFormat)
}

func TestOpenMemberVerifiesChecksumsAndRefusesEncryption(t *testing.T) {
	const flags, sum = 8, 16 // bytes of an entry in the directory
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		for what, change := range map[string]func(entry []byte){
			"encrypted":     func(entry []byte) { entry[flags] |= 1 },
			"no checksum":   func(entry []byte) { entry[flags] &^= 8; clear(entry[sum : sum+4]) },
			"another":       func(entry []byte) { entry[flags] &^= 8; entry[sum] ^= 1 },
			"too long":      func(entry []byte) { entry[27] = 0x7f },
			"beyond":        func(entry []byte) { entry[45] = 0x7f },
			"another bytes": nil,
		} {
			file := archive(t, method, "x.npy", 1)
			if change != nil {
				change(file[bytes.Index(file, []byte("PK\x01\x02")):])
			} else {
				at := bytes.Index(file, []byte("NUMPY"))
				if at < 0 { // deflated
					continue
				}
				file[at+127] ^= 1 // the element, behind a header of 128 bytes
			}
			_, err := open(file, "x")
			require.ErrorContains(t, err, ": ", "%s, method %d", what, method)
			require.NotContains(t, err.Error(), "EOF", "%s, method %d", what, method)
		}
	}
}

// A bit of a compressed member is flipped. Then Read returns an error or the same as before, also
// if bytes follow the array, or if a checksum of 0 is right.
func TestFlippedBitsOfMembersAreErrors(t *testing.T) {
	const n = 3000
	want := make([]float32, n)
	for i := range want {
		want[i] = float32(i * i % 77)
	}
	for _, behind := range []string{"", "bytes behind the array"} {
		var file bytes.Buffer
		z := zip.NewWriter(&file)
		w, err := z.CreateHeader(&zip.FileHeader{Name: "x.npy", Method: zip.Deflate})
		require.NoError(t, err)
		require.NoError(t, Write(w, want, []int{n}))
		_, err = io.WriteString(w, behind)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		from, to := bytes.Index(file.Bytes(), []byte("x.npy"))+5, bytes.Index(file.Bytes(), []byte("PK\x07\x08"))
		r := rand.New(rand.NewPCG(1, uint64(len(behind))))
		wrong := 0
		for range 500 {
			broken := slices.Clone(file.Bytes())
			broken[from+r.IntN(to-from)] ^= 1 << r.IntN(8)
			m, err := OpenMember(bytes.NewReader(broken), int64(len(broken)), "")
			require.NoError(t, err)
			if r.IntN(2) == 0 && behind == "" {
				m = struct{ io.ReadCloser }{m} // as a reader that Read does not know
			}
			got, shape, err := Read[float32](m)
			if err != nil {
				wrong++
				require.Nil(t, got)
				continue
			}
			require.Equal(t, []int{n}, shape)
			require.True(t, slices.Equal(want, got))
		}
		assert.Greater(t, wrong, 400)
	}
}

// FuzzRead reads whole files as each of three types: an error of one line, or data that Write
// writes and Read reads again.
func FuzzRead(f *testing.F) {
	f.Add(file(1, dictOf("<u2", "True", "(2, 3)"), 12))
	f.Add(file(2, dictOf(">c16", "False", "(2,)"), 32))
	f.Add(file(3, dictOf("|u1", "False", "(3, 4)"), 12))
	f.Fuzz(func(t *testing.T, b []byte) {
		again[uint16](t, b)
		again[complex128](t, b)
		again[[4]uint8](t, b)
	})
}

func again[T Element](t *testing.T, b []byte) {
	data, shape, err := Read[T](bytes.NewReader(b))
	if err != nil {
		require.NotContains(t, err.Error(), "\n")
		require.Less(t, len(err.Error()), 2000)
		return
	}
	var file bytes.Buffer
	require.NoError(t, Write(&file, data, shape))
	got, gotShape, err := Read[T](&file)
	require.NoError(t, err)
	require.Equal(t, bytesOf(data), bytesOf(got))
	require.Equal(t, shape, gotShape)
}

// Both ways that Read's error names for a file of numbers of another type give its numbers: the
// type that Go has for it, and a conversion by its descriptor.
func TestNumbersOfAnotherTypeHaveTwoWays(t *testing.T) {
	for _, descr := range []string{"|i1", "|u1", "<i2", "<u2", "<f2", "<i4", "<u4", "<f4", "<i8", "<u8", "<f8", ">f8", ">i2"} {
		var elements []byte
		for v := range 6 {
			bits := map[string]uint64{"f2": uint64([]uint16{0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500}[v]), "f4": uint64(math.Float32bits(float32(v))), "f8": math.Float64bits(float64(v))}
			n, ok := bits[descr[1:]]
			if !ok {
				n = uint64(v)
			}
			element := binary.LittleEndian.AppendUint64(nil, n)[:descr[2]-'0']
			if descr[0] == '>' {
				slices.Reverse(element)
			}
			elements = append(elements, element...)
		}
		data, err := io.ReadAll(fileOf(descr, "False", "(2, 3)", elements...))
		require.NoError(t, err)
		_, _, err = Read[bool](bytes.NewReader(data))
		if descr == "|u1" { // which may be read as bool
			_, _, err = Read[int8](bytes.NewReader(data))
		}
		require.ErrorIs(t, err, slice1.ErrDataType)
		_, way, found := strings.Cut(err.Error(), "; read it as ")
		require.True(t, found, err)
		name, way, _ := strings.Cut(way, ", ")
		require.Equal(t, "or convert it by Header.Desc and slice1.WithNumbers", way)
		read := map[string]func() error{
			"int8": readAs[int8](data), "uint8": readAs[uint8](data), "int16": readAs[int16](data), "uint16": readAs[uint16](data), "int32": readAs[int32](data),
			"uint32": readAs[uint32](data), "float32": readAs[float32](data), "int64": readAs[int64](data), "uint64": readAs[uint64](data), "float64": readAs[float64](data),
		}[name]
		require.NotNil(t, read, name)
		require.NoError(t, read(), descr)

		h, err := Parse(data)
		require.NoError(t, err)
		in, err := h.Desc()
		require.NoError(t, err)
		d := slice1.Whole(in.DataType, in.Sizes...)
		order := binary.ByteOrder(binary.LittleEndian)
		if h.BigEndian {
			order = binary.BigEndian
		}
		dst := slices.Repeat([]float32{1}, 6)
		require.NoError(t, slice1.CopyBytes(slice1.Bytes(dst), data[h.Offset:], d, slice1.WithNumbers(slice1.Float32, slice1.Affine{}), slice1.WithByteOrder(order)))
		require.Equal(t, []float32{0, 1, 2, 3, 4, 5}, dst, descr)
	}
}

func readAs[T Element](file []byte) func() error {
	return func() error {
		data, shape, err := Read[T](bytes.NewReader(file))
		if err == nil && (len(data) != 6 || !slices.Equal(shape, []int{2, 3})) {
			err = fmt.Errorf("%d of %v", len(data), shape)
		}
		return err
	}
}
