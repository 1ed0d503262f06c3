package slice1

import "unsafe"

// Element is a Go type whose values a slice can move. Float16 tensors are
// slices of any 2-byte type, usually uint16.
type Element interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~float32 | ~float64
}

// Run is p.Run on slices of elements. T must have the size of the plan's data
// type, or the error is ErrDataType; the bits move as they are.
func Run[T Element](p *Plan, dst, src []T) error {
	if err := p.checkElement(sizeOf[T]()); err != nil {
		return err
	}
	return p.Run(bytesOf(dst), bytesOf(src))
}

// RunAt is p.RunAt on slices of elements, as Run is p.Run.
func RunAt[T Element](p *Plan, dst, src []T, offsets ...int) error {
	if err := p.checkElement(sizeOf[T]()); err != nil {
		return err
	}
	return p.RunAt(bytesOf(dst), bytesOf(src), offsets...)
}

// Copy plans d and runs it once. The errors are those of [NewPlan], [Plan.Run]
// and [Run].
//
// Slices of at most 256 KiB of output are planned twice at most: what runs a
// shape that came twice is remembered until another takes its place, 256 shapes
// in less than 1 MiB. Copy allocates when it remembers a shape or uses more
// than one goroutine, and not otherwise.
func Copy[T Element](dst, src []T, d *Desc, opts ...Option) error {
	return runOnce(bytesOf(dst), bytesOf(src), sizeOf[T](), d, configure(opts))
}

func (p *Plan) checkElement(size int) error {
	if size != p.elemSize {
		return &DescError{"element size", -1, int64(size), int64(p.elemSize), ErrDataType}
	}
	return nil
}

func sizeOf[T Element]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// bytesOf returns the memory of s.
//
// unsafe: elements have no pointers and every bit pattern is a valid byte.
func bytesOf[T Element](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*sizeOf[T]())
}
