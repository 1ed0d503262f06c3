package slice1_test

import (
	"context"
	"encoding/binary"
	"image"
	"io"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/imageslice/hf"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// What other programs compile against: public names with their exact types.
var (
	_ = [...]slice1.DataType{
		1: slice1.Float32, 2: slice1.Float16, 3: slice1.Uint32, 4: slice1.Uint16, 5: slice1.Uint8, 6: slice1.Int32,
		7: slice1.Int16, 8: slice1.Int8, 9: slice1.Float64, 10: slice1.Uint64, 11: slice1.Int64,
	}
	_ func(slice1.DataType) int    = slice1.DataType.Size
	_ func(slice1.DataType) string = slice1.DataType.String

	_ struct {
		DataType  slice1.DataType
		Sizes     []int
		Strides   []int
		TotalSize int64
		BaseAlign int
	} = slice1.TensorDesc{}
	_ func(slice1.TensorDesc) (int64, error) = slice1.TensorDesc.MinSize
	_ struct {
		Input, Output                             slice1.TensorDesc
		WindowOffsets, WindowSizes, WindowStrides []int
	} = slice1.Desc{}
	_ func(*slice1.Desc) error                      = (*slice1.Desc).Validate
	_ func(*slice1.Desc, slice1.FeatureLevel) error = (*slice1.Desc).ValidateFor
	_ slice1.FeatureLevel                           = slice1.FeatureLevel2_1
	_ slice1.FeatureLevel                           = slice1.FeatureLevel6_4

	_ struct {
		Field      string
		Axis       int
		Got, Limit int64
		Err        error
	} = slice1.DescError{}
	_ error = &slice1.DescError{}
	_       = []error{
		slice1.ErrRank, slice1.ErrDataType, slice1.ErrSize, slice1.ErrStride, slice1.ErrWindow, slice1.ErrOutput, slice1.ErrTotalSize,
		slice1.ErrAlign, slice1.ErrOverflow, slice1.ErrOverlap, slice1.ErrBuffer, slice1.ErrKernel, slice1.ErrEmpty, slice1.ErrSyntax,
	}

	_ func(*slice1.Desc, ...slice1.Option) (*slice1.Plan, error)   = slice1.NewPlan
	_ func(*slice1.Plan, []byte, []byte) error                     = (*slice1.Plan).Run
	_ func(*slice1.Plan, context.Context, []byte, []byte) error    = (*slice1.Plan).RunContext
	_ func(*slice1.Plan) string                                    = (*slice1.Plan).Kernel
	_ func(*slice1.Plan) string                                    = (*slice1.Plan).String
	_ func(*slice1.Plan) int64                                     = (*slice1.Plan).DstSize
	_ func(*slice1.Plan) int64                                     = (*slice1.Plan).SrcSize
	_ func(*slice1.Plan) []slice1.Candidate                        = (*slice1.Plan).Candidates
	_                                                              = slice1.Candidate{Name: "", Cost: float64(0), Chosen: false}
	_ func(slice1.Runner, []int, []int) error                      = slice1.Run[int, int]
	_ func([]bool, []bool, *slice1.Desc, ...slice1.Option) error   = slice1.Copy[bool, bool]
	_ func() slice1.DataType                                       = slice1.DataTypeOf[complex64]
	_ func(string) slice1.Option                                   = slice1.WithKernel
	_ func(int) slice1.Option                                      = slice1.WithParallelism
	_ func(int64) slice1.Option                                    = slice1.WithStreaming
	_ func(time.Duration) slice1.Option                            = slice1.WithMeasure
	_ func(string) slice1.Option                                   = slice1.WithCandidate
	_ func() []slice1.KernelInfo                                   = slice1.Kernels
	_                                                              = slice1.KernelInfo{Name: "", Usable: false, Reason: ""}
	_                                                              = (struct{ Offsets, Sizes, Strides, Out []int })(slice1.Window{})
	_ func(string, []int) (slice1.Window, []int, error)            = slice1.ParseIndex
	_ func(slice1.DataType, []int, slice1.Window) *slice1.Desc     = slice1.NewDesc
	_ func(*slice1.Desc, ...int) (*slice1.Desc, error)             = (*slice1.Desc).Permute
	_ func(*slice1.Desc) string                                    = (*slice1.Desc).Key
	_ func(shape []int, a, b, c, d []int64) (slice1.Window, error) = slice1.FromONNX

	_ = struct {
		Axis        int
		Scale, Bias []float32
		Table       []float32
		Zero        []int32
		Divide      bool
	}(slice1.Affine{})
	_    func(slice1.DataType, slice1.Affine) slice1.Option             = slice1.WithNumbers
	_    func(*slice1.Plan, []byte, []byte, ...int) error               = (*slice1.Plan).RunAt
	_    func(*slice1.Plan, slice1.Affine) (*slice1.Plan, error)        = (*slice1.Plan).WithAffine
	_, _ func(*slice1.Plan) slice1.DataType                             = (*slice1.Plan).SrcType, (*slice1.Plan).DstType
	_    func(slice1.Runner, []int8, []float32) error                   = slice1.Run[int8, float32]
	_    func(slice1.RunnerAt, []uint16, []uint8, ...int) error         = slice1.RunAt[uint16, uint8]
	_    func([]float32, []uint8, *slice1.Desc, ...slice1.Option) error = slice1.Copy[float32, uint8]
	_    func(binary.ByteOrder) slice1.Option                           = slice1.WithByteOrder
	_    func([]float64) []byte                                         = slice1.Bytes[float64]
	_    func(slice1.Window, slice1.TensorDesc) (slice1.Shard, error)   = slice1.Window.Into
	_    func([]uint16, slice1.Shard) []uint16                          = slice1.Part[uint16]
	_    func([]bool, []int, string, []bool) error                      = slice1.Assign[bool]
	_    slice1.DataType                                                = slice1.BFloat16
	_    func([][4]uint8, []int, string) ([][4]uint8, []int, error)     = slice1.Slice[[4]uint8]

	_    func(io.Reader) (npy.Header, error)                                                     = npy.ReadHeader
	_    func([]byte, npy.Header) ([]byte, error)                                                = npy.AppendHeader
	_    func(npy.Header) (slice1.TensorDesc, error)                                             = npy.Header.Desc
	_    func(io.Reader) ([]int16, []int, error)                                                 = npy.Read[int16]
	_    func(io.Reader) ([][2]float64, []int, error)                                            = npy.Read[[2]float64]
	_    func(io.ReaderAt, int64, string) (io.ReadCloser, error)                                 = npy.OpenMember
	_    func(io.Writer, [][2]float32, []int) error                                              = npy.Write[[2]float32]
	_    func(io.Reader) (int, error)                                                            = imageslice.Orientation
	_    func(mean, std []float32) slice1.Affine                                                 = imageslice.Normalize
	_, _ func(mean, std []float32) slice1.Affine                                                 = imageslice.Normalize, imageslice.Denormalize
	_    func(imageslice.Tensor, image.Image, image.Rectangle) ([3]int, error)                   = imageslice.Tensor.Size
	_    func(imageslice.Tensor, image.Image, int, int) image.Rectangle                          = imageslice.Tensor.Center
	_    func([]int8, image.Image, image.Rectangle, imageslice.Tensor, ...slice1.Option) error   = imageslice.Convert[int8]
	_    func(image.Image, image.Rectangle, []uint16, imageslice.Tensor, ...slice1.Option) error = imageslice.Draw[uint16]
	_    func(imageslice.Tensor, image.Rectangle, int, int) imageslice.Tensor                    = imageslice.Tensor.Letterbox
	_    func(imageslice.Tensor, image.Rectangle, int, int, int) imageslice.Tensor               = imageslice.Tensor.SmartResize
	_    func(imageslice.Tensor, image.Rectangle, float64, float64) (float64, float64)           = imageslice.Tensor.Source
	_    func(imageslice.Tensor, image.Image) image.Rectangle                                    = imageslice.Tensor.Whole
	_    func([]byte) (*hf.Processor, error)                                                     = hf.Parse
	_    func(*hf.Processor, image.Rectangle) (imageslice.Tensor, error)                         = (*hf.Processor).Tensor
	_    func(*hf.Processor) bool                                                                = (*hf.Processor).Exact
	_                                                                                            = imageslice.Tensor{Type: slice1.Float16, Layout: imageslice.HWC, BGR: true, Channels: 3, Orientation: 6, Width: 1, Height: 1, At: image.Point{}, Fill: []float32{1}, Keep: true, Patch: 1, Merge: 1, Frames: 1, StepX: 1, StepY: 1, Affine: slice1.Affine{}}
	_                                                                                            = []imageslice.Layout{imageslice.CHW, imageslice.HWC}

	_ = []func([]uint8, int, int, int) (*imageslice.Frame, error){imageslice.NV12, imageslice.NV21, imageslice.I420, imageslice.YUY2, imageslice.UYVY}
	_ = struct {
		Y, Cb, Cr        []uint8
		YStride, CStride int
		YStep, CStep     int
		Ratio            image.YCbCrSubsampleRatio
		Rect             image.Rectangle
		Matrix           imageslice.Matrix
		FullRange        bool
		Colours          imageslice.Colours
	}(imageslice.Frame{})
	_ = []imageslice.Colours{imageslice.Repeated, imageslice.Libjpeg, imageslice.Libwebp, imageslice.Swscale, imageslice.OpenCV}
	_ = []imageslice.Matrix{imageslice.BT601, imageslice.BT709, imageslice.BT2020}
	_ = struct {
		Pix    []uint8
		Stride int
		Rect   image.Rectangle
		Order  imageslice.Order
	}(imageslice.Pixels{})
	_                                        = []imageslice.Order{imageslice.RGB, imageslice.BGR, imageslice.BGRA, imageslice.ARGB, imageslice.ABGR}
	_ []image.Image                          = []image.Image{&imageslice.Frame{}, &imageslice.Pixels{}}
	_ func(m *image.YCbCr) *imageslice.Frame = imageslice.Limited

	_, _ func(m *image.YCbCr) *imageslice.Frame = imageslice.LibJPEG, imageslice.LibWebP
	_    func(image.Image, string) image.Image  = imageslice.Decoded

	_ slice1.Runner = interface {
		Run(dst, src []byte) error
		RunContext(ctx context.Context, dst, src []byte) error
		SrcType() slice1.DataType
		DstType() slice1.DataType
	}(nil)
	_ interface {
		Run(dst, src []byte) error
		RunContext(ctx context.Context, dst, src []byte) error
		SrcType() slice1.DataType
		DstType() slice1.DataType
	} = slice1.Runner(nil)
	_ interface {
		slice1.Runner
		RunAt(dst, src []byte, offsets ...int) error
	} = slice1.RunnerAt(nil)
)

// kinds is what Element takes, so that generic code over it compiles.
type kinds interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint | ~float32 | ~float64 | ~bool | ~complex64 |
		~[2]uint8 | ~[4]uint8 | ~[8]uint8 | ~[2]uint16 | ~[4]uint16 | ~[2]uint32 | ~[2]float32
}

func _[T kinds](dst, src []T, d *slice1.Desc) error           { return slice1.Copy(dst, src, d) }
func _[D, S kinds](dst []D, src []S, r slice1.RunnerAt) error { return slice1.RunAt(r, dst, src) }
func _[T slice1.Element](x T)                                 { takes(x) }
func takes[T kinds](T)                                        {}
func _[T slice1.Element](w io.Writer, x []T) error            { return npy.Write(w, x, nil) }

func _[N ~uint8 | ~int8 | ~uint16 | ~int16 | ~uint32 | ~int32 | ~uint64 | ~int64 | ~float32 | ~float64](dst []N, m image.Image) error {
	return imageslice.Convert(dst, m, m.Bounds(), imageslice.Tensor{})
}
