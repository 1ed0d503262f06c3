package npy_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"os"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// An array is sliced and written as a new file.
func Example() {
	in, err := os.Open("../../testdata/arrays/i32_fortran_big_endian.npy")
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	data, shape, err := npy.Read[int32](in)
	if err != nil {
		log.Fatal(err)
	}
	corner, cornerShape, err := slice1.Slice(data, shape, "[..., :2, ::-2]")
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	fmt.Println(shape, cornerShape, npy.Write(&out, corner, cornerShape))
	// Output: [24 24 3] [24 2 2] <nil>
}

// A batch of frames is too large for memory. The header says where the frames lie, and one plan
// slices one frame after another.
func ExampleReadHeader() {
	f, err := os.CreateTemp("", "*.npy")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	frames := make([]uint8, 100*6*8)
	for i := range frames {
		frames[i] = uint8(i / 48)
	}
	if err := npy.Write(f, frames, []int{100, 6, 8}); err != nil {
		log.Fatal(err)
	}

	// The file is now as another program left it.
	file := io.NewSectionReader(f, 0, 1<<62)
	h, err := npy.ReadHeader(file)
	if err != nil {
		log.Fatal(err)
	}
	middle, err := slice1.Crop(h.Shape[1:], []int{2, 2}, []int{2, 4})
	if err != nil {
		log.Fatal(err)
	}
	plan, err := slice1.NewPlan(slice1.NewDesc(h.Type, h.Shape[1:], middle))
	if err != nil {
		log.Fatal(err)
	}
	frame, out := make([]byte, h.Size/int64(h.Shape[0])), make([]byte, plan.DstSize())
	for i := range h.Shape[0] {
		if _, err := io.ReadFull(file, frame); err != nil {
			log.Fatal(err)
		}
		if err := plan.Run(out, frame); err != nil {
			log.Fatal(err)
		}
		if i%33 == 0 {
			fmt.Println(len(out), out[0])
		}
	}
	// Output:
	// 8 0
	// 8 33
	// 8 66
	// 8 99
}

// A view across a volume in Fortran order, which scanners write, from a file that is mapped or read
// whole. The header's strides say where the elements lie, and only the result is copied, in the
// machine's byte order.
func ExampleHeader_Desc() {
	mapped, err := os.ReadFile("../../testdata/arrays/i32_fortran_big_endian.npy")
	if err != nil {
		log.Fatal(err)
	}
	h, err := npy.Parse(mapped)
	if err != nil {
		log.Fatal(err)
	}
	volume, err := h.Desc()
	if err != nil {
		log.Fatal(err)
	}
	window, shape, err := h.ParseIndex("[:, 5, ::-1]")
	if err != nil {
		log.Fatal(err)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if h.BigEndian {
		order = binary.BigEndian
	}
	plan, err := slice1.NewPlan(window.Of(volume), slice1.WithByteOrder(order))
	if err != nil {
		log.Fatal(err)
	}
	view := make([]int32, plan.DstSize()/4)
	err = plan.Run(slice1.Bytes(view), mapped[h.Offset:])
	fmt.Println(err, volume.Strides, shape, view[:3])
	// Output: <nil> [1 24 576] [24 3] [-3997757 -5767256 -9044106]
}

// A mask of booleans becomes float32. Some programs write true as 255 or another byte, which NumPy
// reads as True, too. The table makes 1 of each.
func ExampleHeader_Desc_booleans() {
	file, err := npy.AppendHeader(nil, npy.Header{Descr: "|b1", Shape: []int{2, 3}})
	if err != nil {
		log.Fatal(err)
	}
	file = append(file, 0, 1, 2, 255, 0, 1)

	h, err := npy.Parse(file)
	if err != nil {
		log.Fatal(err)
	}
	mask, err := h.Desc()
	if err != nil {
		log.Fatal(err)
	}
	window, shape, err := h.ParseIndex("[::-1]")
	if err != nil {
		log.Fatal(err)
	}
	var affine slice1.Affine
	if h.Descr == "|b1" {
		affine.Table = append([]float32{0}, slices.Repeat([]float32{1}, 255)...)
	}
	plan, err := slice1.NewPlan(window.Of(mask), slice1.WithNumbers(slice1.Float32, affine))
	if err != nil {
		log.Fatal(err)
	}
	numbers := make([]float32, plan.DstSize()/4)
	err = plan.Run(slice1.Bytes(numbers), file[h.Offset:])
	fmt.Println(err, shape, numbers)
	// Output: <nil> [2 3] [1 0 1 0 1 1]
}

// The array "weights" of an archive is read as a stream. Compressed members are inflated while they
// are read.
func ExampleOpenMember() {
	var file bytes.Buffer
	z := zip.NewWriter(&file)
	w, err := z.Create("weights.npy")
	if err == nil {
		err = npy.Write(w, []float32{1, 2, 3, 4}, []int{2, 2})
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		log.Fatal(err)
	}

	member, err := npy.OpenMember(bytes.NewReader(file.Bytes()), int64(file.Len()), "weights")
	if err != nil {
		log.Fatal(err)
	}
	defer member.Close()
	fmt.Println(npy.Read[float32](member))
	// Output: [1 2 3 4] [2 2] <nil>
}
