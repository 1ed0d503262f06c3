package plan

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/stretchr/testify/assert"
)

// usable returns all kernels, except plain Go, that this build has and this host can run.
func usable() (ks []Kernel) {
	for number := range program.Sets {
		if k := Kernel(number); k.Built() && k.Lacks(cpuid.Host()) == "" {
			ks = append(ks, k)
		}
	}
	return ks
}

func dim(extent, src, dst int64) nest.Dim { return nest.Dim{Extent: extent, Src: src, Dst: dst} }

func nestOf(width int32, dims ...nest.Dim) nest.Nest {
	n := nest.Nest{Rank: int32(len(dims)), Width: width}
	copy(n.Dims[:], dims)
	return n
}

// fitting returns the kinds of all candidates of a kernel for a nest, by the rules that `work`
// returns, in the order of kinds.
func fitting(n *nest.Nest, k Kernel, work func(ks Kernels) *Problem) string {
	cs := plainHost().Candidates(n, 1, work(OneKernel(k)))
	slices.SortFunc(cs, func(a, b Candidate) int { return cmp.Compare(a.Kind, b.Kind) })
	var names []string
	for _, c := range cs {
		names = append(names, strings.TrimPrefix(strings.TrimSuffix(c.String(), " nt"), k.String()+" "))
	}
	return strings.Join(names, ", ")
}

// The candidates for each nest are of these kinds. Candidates of kernels that this host can run
// copy what the nest does.
func TestKindsThatFit(t *testing.T) {
	b := newBench(22)
	for _, c := range []struct {
		nest               string
		avx2, avx512, neon string
	}{
		{"8", "copy, element", "copy, element", "copy, element"},
		{"1 2:9000:5008 5000:1:1", "copy, string, element", "copy, string, element", "copy, element"},
		{"2 40:-2:140 70:-90:2", "tile, gather, element", "tile, gather, element", "tile, shuffle, gather, element"},
		{"8 5:4096:5504 2:640:2712 33:-8:80 9:72:8", "tile, shuffle, gather, element, element long", "tile, shuffle, gather, element, element long", "tile, shuffle, gather, element, element long"},
		{"1 7:40:36 35:1:1", "copy, element", "copy, shuffle, element", "copy, element"},
		{"4 3:400:300 70:4:4", "copy, element", "copy, element", "copy, element"},
		{"1 40:100:32 32:1:1", "copy, element, element long", "copy, shuffle, element, element long", "copy, units, element, element long"},
		{"1 8:-300:128 4:70:32 32:1:1", "copy, units, element", "copy, units, shuffle, element", "copy, units, element"},
		{"1 5:40:30 20:1:1", "copy, shuffle, element", "copy, shuffle, element", "copy, element"},
		{"1 15:1:1", "copy, element", "copy, shuffle, element", "copy, element"},
		{"1 16:1:1", "copy, shuffle, element", "copy, shuffle, element", "copy, element"},
		{"1 100:2:1", "shuffle, gather, element", "shuffle, gather, element", "shuffle, gather, element"},
		{"2 100:-2:2", "shuffle, gather, element", "shuffle, gather, element", "shuffle, gather, element"},
		{"1 16:2:1", "shuffle, gather, element", "shuffle, gather, element", "shuffle, gather, element"},
		{"1 15:2:1", "element", "shuffle, element", "element"},
		{"4 9:400:80 20:12:4", "units, shuffle, gather, element", "units, shuffle, gather, element", "units, shuffle, gather, element"},
		{"1 40:4:3 3:1:1", "copy, shuffle, element, element long", "copy, shuffle, element, element long", "copy, shuffle, element, element long"},
		{"1 100:-24:2 2:12:1", "shuffle, element, element long", "shuffle, element, element long", "shuffle, element, element long"},
		{"1 3:0:100 64:0:1", "gather, element", "shuffle, gather, element", "gather, element"},
		{"1 3:0:100 16:0:1", "gather, element", "shuffle, gather, element", "gather, element"},
		{"1 3:0:100 15:0:1", "element", "shuffle, element", "element"},
		{"8 9:0:8", "gather, element", "shuffle, gather, element", "gather, element"},
		{"1 40:1:70 70:100:1", "tile, gather, element", "tile, gather, element", "tile, gather, element"},
		{"1 40:1:70 31:100:1", "tile, gather, element, element long", "tile, gather, element, element long", "tile, gather, element, element long"},
		{"1 40:1:16 16:100:1", "tile, gather, element, element long", "tile, gather, element, element long", "tile, gather, element, element long"},
		{"1 40:1:15 15:100:1", "tile, element, element long", "tile, element, element long", "tile, element, element long"},
		{"1 4:1:4 4:100:1", "tile, shuffle, element", "tile, shuffle, element", "tile, shuffle, element"},
		{"1 3:1:70 70:100:1", "gather, element", "gather, element", "gather, element"},
		{"1 15:1:3 3:100:1", "shuffle, element, element long", "shuffle, element, element long", "shuffle, element, element long"},
		{"1 48:1:12 4:48:3 3:192:1", "tile, element, element long", "tile, element, element long", "tile, element, element long"},
		{"1 12:1:12 4:48:3 3:192:1", "element, element long", "element, element long", "element, element long"},
		{"2 6:2:200 100:80:2", "tile, gather, element", "tile, gather, element", "tile, shuffle, gather, element"},
		{"1 15:1:70 70:100:1", "tile, gather, element", "tile, gather, element", "tile, gather, element"},
		{"1 3:1:370 10:3:37 37:31:1", "tile, units, gather, element", "tile, gather, element", "tile, units, gather, element"},
		{"1 3:1:90 10:3:9 9:31:1", "element, element long", "element, element long", "element, element long"},
		{"1 40:3:31 31:100:1", "gather, element, element long", "gather, element, element long", "tile, units, gather, element, element long"},
		{"4 30:-8:24 6:100:4", "shuffle, gather, element, element long", "shuffle, gather, element, element long", "tile, shuffle, gather, element, element long"},
		{"4 3:100:24 6:100:4", "shuffle, gather, element", "shuffle, gather, element", "shuffle, gather, element"},
		{"8 30:16:24 3:400:8", "shuffle, gather, element, element long", "shuffle, gather, element, element long", "tile, units, shuffle, gather, element, element long"},
		{"1 40:64:70 70:100:1", "gather, element", "gather, element", "gather, element"},
		{"4 9:256:4", "shuffle, gather, element", "gather, element", "shuffle, gather, element"},
		{"4 4:256:4", "shuffle, gather, element", "shuffle, gather, element", "shuffle, gather, element"},
		{"4 3:256:4", "element", "shuffle, element", "element"},
		{"1 50:1:32", "element", "spread, element", "element"},
		{"1 50:1:33", "element", "element", "element"},
		{"2 50:2:600", "element", "element", "element"},
		{"1 9:9:100 50:2:3", "element", "spread, element", "element"},
		{"1 60:1:40 9:40:3", "element, element long", "spread, element, element long", "element, element long"},
	} {
		n := parseNest(c.nest)
		for k, want := range []string{c.avx2, c.avx512, c.neon} {
			assert.Equal(t, want, fitting(&n, Kernel(k), cached), "%s: %s", Kernel(k), c.nest)
		}
		b.turn = -1 // with -short, too, check then runs all candidates
		b.check(t, n)
	}
}

// each calls f with the offsets of every element that the loops of n from `axis` on reach. dst and
// src are the offsets of the first of these elements.
func each(n *nest.Nest, axis int, dst, src int64, f func(dst, src int64)) {
	if axis == int(n.Rank) {
		f(dst, src)
		return
	}
	for i := range n.Dims[axis].Extent {
		each(n, axis+1, dst+i*n.Dims[axis].Dst, src+i*n.Dims[axis].Src, f)
	}
}

// In a transposed view, the loop along the lines is the one with the smallest source stride that is
// not 0. This stride must be less than a line.
func TestTransposedViews(t *testing.T) {
	packed, leaving := int64(2), int64(64)
	for _, c := range []struct {
		want int
		dims []nest.Dim
	}{
		{-1, nil},
		{-1, []nest.Dim{{Extent: 9, Src: leaving, Dst: packed}}},
		{0, []nest.Dim{{Extent: 9, Src: 2, Dst: 100}, {Extent: 9, Src: leaving, Dst: packed}}},
		{0, []nest.Dim{{Extent: 9, Src: -2, Dst: 100}, {Extent: 9, Src: -leaving, Dst: packed}}},
		{-1, []nest.Dim{{Extent: 9, Src: 2, Dst: 100}, {Extent: 9, Src: leaving - 1, Dst: packed}}},
		{-1, []nest.Dim{{Extent: 9, Src: 2, Dst: 100}, {Extent: 9, Src: leaving, Dst: packed + 1}}},
		{-1, []nest.Dim{{Extent: 9, Src: 0, Dst: 100}, {Extent: 9, Src: leaving, Dst: packed}}},
		{0, []nest.Dim{{Extent: 9, Src: 63, Dst: 100}, {Extent: 9, Src: leaving, Dst: packed}}},
		{-1, []nest.Dim{{Extent: 9, Src: 64, Dst: 100}, {Extent: 9, Src: leaving, Dst: packed}}},
		{1, []nest.Dim{{Extent: 9, Src: 8, Dst: 900}, {Extent: 9, Src: 4, Dst: 100}, {Extent: 9, Src: leaving, Dst: packed}}},
		{0, []nest.Dim{{Extent: 9, Src: 4, Dst: 900}, {Extent: 9, Src: -8, Dst: 100}, {Extent: 9, Src: leaving, Dst: packed}}},
		{0, []nest.Dim{{Extent: 9, Src: 4, Dst: 900}, {Extent: 9, Src: 4, Dst: 100}, {Extent: 9, Src: leaving, Dst: packed}}},
	} {
		n := nest.Nest{Rank: int32(len(c.dims)), Width: int32(packed)}
		copy(n.Dims[:], c.dims)
		assert.Equal(t, c.want, transposed(&n), "%+v", c.dims)
	}
}
