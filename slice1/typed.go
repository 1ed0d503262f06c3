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
	if err := checkElement[T](p.elemSize); err != nil {
		return err
	}
	return p.Run(bytesOf(dst), bytesOf(src))
}

// Copy plans d and runs it once: Run for a slice that will not come again.
// The errors are those of [NewPlan], [Plan.Run] and [Run].
func Copy[T Element](dst, src []T, d *Desc, opts ...Option) error {
	var p Plan
	if err := p.init(d, configure(opts)); err != nil {
		return err
	}
	return Run(&p, dst, src)
}

func checkElement[T Element](size int) error {
	var zero T
	if got := int(unsafe.Sizeof(zero)); got != size {
		return &DescError{"element size", -1, int64(got), int64(size), ErrDataType}
	}
	return nil
}

// bytesOf returns the memory of s.
//
// unsafe: elements have no pointers and every bit pattern is a valid byte.
func bytesOf[T Element](s []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(zero)))
}
