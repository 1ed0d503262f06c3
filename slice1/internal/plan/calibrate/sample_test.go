package main

import (
	"math"
	"math/rand/v2"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// A sample of each sort copies at least leastBytes. One of rows copies at most mostBytesOfRows, a
// picture at most mostBytesOfAPicture, any other at most mostBytes. mostSpan is the most bytes that
// a sample may span in the source or in the destination.
const (
	leastBytes          = 64
	mostBytes           = 8 << 20
	mostBytesOfRows     = 32 << 20
	mostBytesOfAPicture = 24 << 20
	mostSpan            = 128 << 20
)

// samples returns `count` random nests in normal form, always the same ones for a seed. Of eight,
// three are made by rows, one by picture, one by patches, and three by sample. The sizes of each
// sort are distributed about evenly on a logarithmic scale. Nests that are too small or too large
// are drawn again.
func samples(seed uint64, count int) (all []nest.Nest) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for len(all) < count {
		n, most := sample(rng), int64(mostBytes)
		switch len(all) % 8 {
		case 1, 3, 5:
			n, most = rows(rng), mostBytesOfRows
		case 6:
			n = patches(rng)
		case 7:
			n, most = picture(rng), mostBytesOfAPicture
		}
		srcLo, srcHi, dstLo, dstHi := nest.Span(&n)
		if b := nest.Bytes(&n); b >= leastBytes && b <= most && srcHi-srcLo <= mostSpan && dstHi-dstLo <= mostSpan {
			all = append(all, n)
		}
	}
	return all
}

// sample returns the nest of a slice of one to six axes. Some axes are sub-sampled, reversed or
// cropped. The axes of some inputs lie in memory in another order, and some inputs and outputs have
// gaps.
func sample(rng *rand.Rand) nest.Nest {
	width := int64(1) << rng.IntN(4)
	bytes := leastBytes * math.Pow(mostBytes/leastBytes, rng.Float64())
	sizes := extents(rng, max(2, int64(bytes)/width), 1+rng.IntN(6))
	steps, shape := make([]int64, len(sizes)), make([]int64, len(sizes))
	plain := rng.IntN(3) == 0
	for i, n := range sizes {
		steps[i] = 1
		if !plain && rng.IntN(2) == 0 {
			steps[i] = []int64{-1, -1, 2, 2, -2, 3, -3, 4, 8, 5}[rng.IntN(10)]
		}
		shape[i] = n * max(steps[i], -steps[i])
		if rng.IntN(3) == 0 {
			shape[i] += 1 + rng.Int64N(n/2+3)
		}
	}
	in := strides(rng, shape, rng.IntN(2) == 0, 8)
	out := strides(rng, sizes, false, 2+rng.IntN(2)*100)
	if rng.IntN(20) == 0 {
		for i := range out {
			out[i] *= 2
		}
	}
	n := nest.Nest{Width: int32(width)}
	for i, extent := range sizes {
		if extent == 1 {
			continue
		}
		d := nest.Dim{Extent: extent, Src: steps[i] * in[i] * width, Dst: out[i] * width}
		n.SrcOff += max(0, -d.Src*(extent-1))
		n.Dims[n.Rank] = d
		n.Rank++
	}
	nest.Normalize(&n)
	return n
}

// extents returns the extents of `rank` axes that have at most n elements in all, mostly about n.
func extents(rng *rand.Rand, n int64, rank int) (sizes []int64) {
	for range rank - 1 {
		size := int64(math.Pow(float64(n), rng.Float64()))
		if rng.IntN(2) == 0 {
			size = 2 + rng.Int64N(15)
		}
		size = max(1, min(size, n))
		sizes = append(sizes, size)
		n /= size
	}
	sizes = append(sizes, n)
	rng.Shuffle(rank, func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	return sizes
}

// strides returns strides, in elements, of axes of these sizes. They lie in memory in a random
// order if permuted is true, else in their own. On average one axis in oneIn has a gap behind it.
func strides(rng *rand.Rand, sizes []int64, permuted bool, oneIn int) []int64 {
	order := rng.Perm(len(sizes))
	of, next := make([]int64, len(sizes)), int64(1)
	for i := len(sizes) - 1; i >= 0; i-- {
		axis := i
		if permuted {
			axis = order[i]
		}
		of[axis] = next
		next *= sizes[axis]
		if rng.IntN(oneIn) == 0 {
			next += of[axis] * (1 + rng.Int64N(16))
		}
	}
	return of
}

// patches returns the nest of a transposed view in two to eight planes. Two short axes make its
// rows, and lie in memory in the other order. The axis across the rows is contiguous in memory, and
// reversed in some views. Such views are rare among other random slices.
func patches(rng *rand.Rand) nest.Nest {
	width, outer, inner := int64(1)<<rng.IntN(4), 2+rng.Int64N(15), 2+rng.Int64N(15)
	lines := int64(16 * math.Exp2(7*rng.Float64()))
	pitch, row := (lines+rng.Int64N(16))*width, (outer*inner+rng.Int64N(4))*width
	n := nest.Nest{Width: int32(width), Rank: 4, Dims: [nest.MaxRank]nest.Dim{
		{Extent: 2 + rng.Int64N(7), Src: outer * inner * pitch, Dst: lines * row},
		{Extent: lines, Src: width, Dst: row},
		{Extent: outer, Src: pitch, Dst: inner * width},
		{Extent: inner, Src: outer * pitch, Dst: width},
	}}
	if rng.IntN(8) == 0 {
		n.SrcOff, n.Dims[1].Src = (lines-1)*width, -width
	}
	nest.Normalize(&n)
	return n
}

// picture returns the nest of a picture whose axes lie in memory in a random order, with two to
// five channels or without. Some axes are reversed. In half of the pictures the sides are multiples
// of 64. Pictures add transposed views of two long axes, which are rare among other random slices.
func picture(rng *rand.Rand) nest.Nest {
	width := int64(1) << rng.IntN(4)
	pixels := leastBytes * math.Pow(mostBytesOfAPicture/leastBytes, rng.Float64()) / float64(width)
	side := math.Sqrt(pixels) * math.Exp2(2*rng.Float64()-1)
	sizes := []int64{max(2, int64(side)), max(2, int64(pixels/side))}
	if rng.IntN(2) == 0 {
		for i := range sizes {
			sizes[i] = (sizes[i] + 63) / 64 * 64
		}
	}
	if channels := rng.Int64N(6); channels > 1 && rng.IntN(2) == 0 {
		sizes = append(sizes, channels)
	}
	in, out := strides(rng, sizes, true, 1000), strides(rng, sizes, false, 1000)
	n := nest.Nest{Width: int32(width), Rank: int32(len(sizes))}
	for i, extent := range sizes {
		n.Dims[i] = nest.Dim{Extent: extent, Src: in[i] * width, Dst: out[i] * width}
		if rng.IntN(8) == 0 {
			n.SrcOff += n.Dims[i].Src * (extent - 1)
			n.Dims[i].Src = -n.Dims[i].Src
		}
	}
	nest.Normalize(&n)
	return n
}

// rows returns the nest of a slice as most programs have them: of one row, every element up to
// every eighth one; a few columns of a table or channels of a picture; a crop; or elements with
// gaps in the destination. Either of its two loops may walk the source downwards.
func rows(rng *rand.Rand) nest.Nest {
	width := int64(1) << rng.IntN(4)
	elements := max(2, int64(leastBytes*math.Pow(mostBytesOfRows/leastBytes, rng.Float64()))/width)
	step, apart, extent := 1+rng.Int64N(8), int64(1), elements
	switch rng.IntN(4) {
	case 0: // few columns
		step, extent = 1+rng.Int64N(3), 2+rng.Int64N(15)
	case 1: // a crop
		step, extent = 1, (16+rng.Int64N(1<<8<<rng.IntN(6)))/width
	case 2:
		apart = 1 + rng.Int64N(3)
		extent = 2 + rng.Int64N(elements)
	}
	extent = max(1, min(extent, elements))
	pitch := step*extent + rng.Int64N(3)*rng.Int64N(1+extent)
	n := nest.Nest{Width: int32(width), Rank: 2}
	n.Dims[0] = nest.Dim{Extent: max(1, elements/extent), Src: pitch * width, Dst: apart * extent * width}
	n.Dims[1] = nest.Dim{Extent: extent, Src: step * width, Dst: apart * width}
	for i := range n.Dims[:n.Rank] {
		if d := &n.Dims[i]; rng.IntN(3) == 0 {
			n.SrcOff += d.Src * (d.Extent - 1)
			d.Src = -d.Src
		}
	}
	nest.Normalize(&n)
	return n
}
