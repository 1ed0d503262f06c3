package translate

import "github.com/seed2e45c115/dml/slice1"

// desc returns the operator as a descriptor.
func (op *Operator) desc() *slice1.Desc {
	t := func(t *Tensor) slice1.TensorDesc {
		return slice1.TensorDesc{
			DataType: op.DataType, Sizes: ints(t.Sizes[:op.Rank]), Strides: ints(t.Strides[:op.Rank]),
			TotalSize: int64(t.Total), BaseAlign: Alignment,
		}
	}
	return &slice1.Desc{
		Input: t(&op.Input), Output: t(&op.Output),
		WindowOffsets: ints(op.Offsets[:op.Rank]), WindowSizes: ints(op.Windows[:op.Rank]), WindowStrides: ints(op.Steps[:op.Rank]),
	}
}

func ints[T uint32 | int32](words []T) []int {
	all := make([]int, len(words))
	for i, w := range words {
		all[i] = int(w)
	}
	return all
}
