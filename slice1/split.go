package slice1

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// Shard is a slice whose output is a part of a larger buffer: what [Window.Into] writes of a
// tensor, or one of the parts into which [Desc.Split] divides a descriptor. Its output buffer is
// the larger one from byte Offset on, which [Part] returns, or a buffer of its own whose bytes
// belong there.
type Shard struct {
	Desc   *Desc
	Offset int64 // bytes of the larger buffer before the lowest output element; a multiple of the element size
}

// Part returns dst from the first element of s's output on, without a copy. It skips as many
// elements of dst as s.Offset counts elements of s.Desc.Output.DataType, whatever T is. So it also
// suits a conversion, whose dst has another type. For a []byte that holds elements of several
// bytes, use dst[s.Offset:]. Part returns an empty slice if dst ends before that element, if s.Desc
// is nil or has an unknown type, or if s.Offset is negative or within an element. Then a run
// returns ErrBuffer.
func Part[T Element](dst []T, s Shard) []T {
	if s.Desc == nil {
		return nil
	}
	size := int64(s.Desc.Output.DataType.Size())
	if size == 0 || s.Offset < 0 || s.Offset%size != 0 || s.Offset/size >= int64(len(dst)) {
		return nil
	}
	return dst[s.Offset/size:]
}

// Split divides d into n shards with about equal numbers of elements, or into one shard per element
// if there are fewer elements. All shards read the whole input buffer. Together they write each
// output element once, each into [Part] of the output buffer, in any order or at once. Each shard
// is valid, also for a feature level, if d is. The errors are the same as Validate's, and also
// ErrSize for an n below 1 and ErrOverflow if a stride of a packed output overflows int.
func (d *Desc) Split(n int) ([]Shard, error) {
	var input, output layout
	if err := d.validate(&input, &output, 0); err != nil {
		return nil, err
	}
	if err := bounded(ErrSize, "n", -1, n, 1, math.MaxInt, ""); err != nil {
		return nil, err
	}
	s := splitter{desc: d, strides: output.strides[:len(d.Output.Sizes)]}
	elements := int64(1) // does not overflow: each element has its own address
	full := make(box, len(d.Output.Sizes))
	for i, m := range d.Output.Sizes {
		if err := intBounded("Output.Strides", i, s.strides[i]); err != nil {
			return nil, err
		}
		elements *= int64(m)
		full[i].n = m
		s.order = append(s.order, i)
	}
	slices.SortStableFunc(s.order, func(i, j int) int { return cmp.Compare(s.strides[j], s.strides[i]) })
	s.split(full, int(min(int64(n), elements)))
	return s.shards, nil
}

type splitter struct {
	desc    *Desc
	strides []int64 // the output's
	order   []int   // axes, outermost in the output's memory first
	shards  []Shard
}

// box is a part of an output: on each axis, the first position and the number of positions.
type box []struct{ start, n int }

// halving divides a box across an axis. The first positions, `count` of them, become n shards.
type halving struct {
	axis, count, n int
	share          float64 // the largest shard's part of the box's elements, if each side is divided evenly
}

// uneven is how much larger than an equal share a shard may be, as a fraction of that share. With
// this slack an outer axis can be halved. Halvings of inner axes leave shards less contiguous in
// memory.
const uneven = 1.0 / 16

// split makes n shards of a box, which has at least n elements.
func (s *splitter) split(b box, n int) {
	if n == 1 {
		s.add(b)
		return
	}
	best := s.best(b, n)
	lo, hi := slices.Clone(b), slices.Clone(b)
	lo[best.axis].n = best.count
	hi[best.axis].start += best.count
	hi[best.axis].n -= best.count
	s.split(lo, best.n)
	s.split(hi, n-best.n)
}

// best returns the first halving of a box into n shards whose largest share exceeds an equal share
// by at most uneven. If there is none, it returns the most even one. It tries the outermost axis
// first, and each axis from its middle down to its beginning: a halving near the middle needs the
// fewest further ones. An axis of 24 positions or more has one.
func (s *splitter) best(b box, n int) halving {
	best := halving{share: 2}
	for _, axis := range s.order {
		for middle := min(scale(b[axis].n, n/2, n), b[axis].n-1); middle > 0; middle-- {
			if c := halve(axis, middle, b[axis].n, n); c.share < best.share {
				best = c
			}
			if best.share*float64(n) <= 1+uneven {
				return best
			}
		}
	}
	return best
}

// halve returns the halving of an axis of `extent` positions behind the first ones, `count` of
// them. It divides n shards, at least 2, between both sides in proportion to their positions, and
// each side gets at least one. If the box has at least n elements, no side gets more shards than it
// has elements.
func halve(axis, count, extent, n int) halving {
	half := min(max(scale(n, count, extent), 1), n-1)
	share := max(float64(count)/float64(half), float64(extent-count)/float64(n-half)) / float64(extent)
	return halving{axis, count, half, share}
}

// scale returns v*num/den, rounded to the nearest integer, for v >= 0 and 0 <= num < den.
func scale(v, num, den int) int {
	hi, lo := bits.Mul64(uint64(v), uint64(num))
	lo, carry := bits.Add64(lo, uint64(den/2), 0)
	quotient, _ := bits.Div64(hi+carry, lo, uint64(den))
	return int(quotient)
}

// add appends the shard that writes a box.
func (s *splitter) add(b box) {
	d, c, offset := s.desc, new(Desc), int64(0)
	c.Input = d.Input.clone()
	c.Output.DataType = d.Output.DataType
	for i, part := range b {
		c.Output.Sizes = append(c.Output.Sizes, part.n)
		c.Output.Strides = append(c.Output.Strides, int(s.strides[i]))
		c.window(Axis{Start: int64(d.start(i)), Step: int64(d.WindowStrides[i])}, part.start, part.n)
		offset += int64(part.start) * s.strides[i]
	}
	offset *= int64(d.Output.DataType.Size())
	if align := d.Output.BaseAlign; align != 0 && offset%int64(align) == 0 {
		c.Output.BaseAlign = align
	}
	s.shards = append(s.shards, Shard{c, offset})
}
