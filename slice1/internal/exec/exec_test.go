package exec

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// usable returns the kernels of this build that the host can run.
func usable() (ks plan.Kernels) {
	ks = plan.OneKernel(plan.Go)
	for number := range program.Sets {
		if k := plan.Kernel(number); k.Built() && k.Lacks(cpuid.Host()) == "" {
			ks |= plan.OneKernel(k)
		}
	}
	return ks
}

// Parts of several shapes, run a few at a time from any part on, make each element once, by every
// candidate.
func TestPartsRunTogether(t *testing.T) {
	n := nest.Nest{Width: 2, Rank: 3, Dims: [nest.MaxRank]nest.Dim{
		{Extent: 301, Src: 2, Dst: 2 * 41 * 77}, {Extent: 41, Src: 2 * 301 * 77, Dst: 2 * 77}, {Extent: 77, Src: 2 * 301, Dst: 2},
	}}
	nest.Normalize(&n)
	src := make([]byte, nest.Bytes(&n))
	for i := range src {
		src[i] = byte(i*i>>8 ^ i)
	}
	want := make([]byte, len(src))
	portable.Slice(&n, unsafe.Pointer(&want[0]), unsafe.Pointer(&src[0]))
	pieces := plan.Cut(&n, plan.Stores{Cached: true}, plan.Cutting{})
	require.Greater(t, pieces.NumShapes, 1)
	require.Greater(t, pieces.Count, int64(2))
	work := &plan.Problem{Kernels: usable(), Stores: plan.Stores{Cached: true}}
	for _, c := range plan.ThisHost().Candidates(&pieces.Shapes[0], pieces.Count, work) {
		w := Slice(&pieces, c, nil, nil)
		assert.False(t, w.Single())
		for first := int64(1); first <= min(CallParts, pieces.Count); first++ {
			got := make([]byte, len(want))
			d, s := unsafe.Pointer(&got[0]), unsafe.Pointer(&src[0])
			w.SliceParts(0, first, d, s, nil)
			for i := first; i < pieces.Count; i += CallParts {
				w.SliceParts(i, min(CallParts, pieces.Count-i), d, s, nil)
			}
			require.Equal(t, want, got, "%s, %d first", c, first)
		}
	}
}

// Packed parts of several shapes make each element once, whatever the order and the directions of
// the loops.
func TestPackedParts(t *testing.T) {
	const a, b, c = 151, 23, 211 // more than half of most second-level caches holds
	for _, width := range []int64{1, 2, 4, 8} {
		for _, sign := range []int64{1, -1} {
			n := nest.Nest{Width: int32(width), Rank: 3, SrcOff: (1 - sign) / 2 * width * a * (c - 1), Dims: [nest.MaxRank]nest.Dim{
				{Extent: a, Src: width, Dst: width * b * c}, {Extent: b, Src: width * a * c, Dst: width * c}, {Extent: c, Src: sign * width * a, Dst: width},
			}}
			src, want := make([]byte, nest.Bytes(&n)), make([]byte, nest.Bytes(&n))
			for i := range src {
				src[i] = byte(i*i>>8 ^ i)
			}
			portable.Slice(&n, unsafe.Pointer(&want[0]), unsafe.Pointer(&src[0]))
			from := unsafe.Pointer(&src[n.SrcOff])
			n.SrcOff = 0
			for k := plan.Go; k < plan.Kernel(len(program.Sets)); k++ {
				if !usable().Contains(k) {
					continue
				}
				slice := plan.Problem{Nest: n, Kernels: plan.OneKernel(k)}
				for _, nt := range []bool{false, true} {
					w := InStages(slice.Plan(plan.Candidate{Kernel: k, Stages: plan.Packed, NonTemporal: nt}))
					require.Equal(t, width*a*b*c > plan.ThisHost().L2/2, w.Parts() > 1)
					got, scratch := make([]byte, len(want)), w.Scratch(&Values{})
					for i := range w.Parts() {
						w.SliceParts(i, 1, unsafe.Pointer(&got[0]), from, scratch)
					}
					scratch.Put()
					require.Equal(t, want, got, "%v, %d bytes, %d", k, width, sign)
				}
			}
		}
	}
}

// Parts by programs of several sets run in one call.
func TestPartsOfSeveralSetsRunTogether(t *testing.T) {
	const size = 100
	n := nest.Nest{Width: 1, Rank: 1, Dims: [nest.MaxRank]nest.Dim{{Extent: size, Src: 2, Dst: 1}}}
	var programs []program.Draft
	var parts []program.Part
	for number := range program.Sets {
		k := plan.Kernel(number)
		if !usable().Contains(k) || !k.CallsC() {
			continue
		}
		for _, c := range plan.ThisHost().Candidates(&n, 1, &plan.Problem{Kernels: plan.OneKernel(k), Stores: plan.Stores{Cached: true}}) {
			var p program.Draft
			require.True(t, plan.ThisHost().Make(&p, &n, c))
			at := int64(len(parts) * size)
			programs, parts = append(programs, p), append(parts, program.Part{Src: 2 * at, Dst: at, Program: int64(len(parts)) * int64(unsafe.Sizeof(p))})
		}
	}
	src, want, got := make([]byte, 2*len(parts)*size), make([]byte, len(parts)*size), make([]byte, len(parts)*size)
	for i := range want {
		src[2*i], want[i] = byte(i+1), byte(i+1)
	}
	if len(parts) > 0 { // there are loops in C
		csrc.SliceParts(unsafe.Pointer(&programs[0]), unsafe.Pointer(&parts[0]), int64(len(parts)), unsafe.Pointer(&got[0]), unsafe.Pointer(&src[0]))
		assert.Equal(t, want, got)
	}
}

// Slice does not allocate, and a slice of one part may be run by it.
func TestRunsDoNotAllocate(t *testing.T) {
	n := nest.Nest{Width: 1, Rank: 1, Dims: [nest.MaxRank]nest.Dim{{Extent: 100, Src: 2, Dst: 1}}}
	src, dst := make([]byte, 200), make([]byte, 100)
	for i := range src {
		src[i] = byte(i)
	}
	pieces := plan.Cut(&n, plan.Stores{Cached: true}, plan.Cutting{})
	for _, c := range plan.ThisHost().Candidates(&n, 1, &plan.Problem{Kernels: usable(), Stores: plan.Stores{Cached: true}}) {
		w := Slice(&pieces, c, nil, nil)
		require.True(t, w.Single())
		clear(dst)
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			w.Slice(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]))
			w.SliceParts(0, 1, unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), nil)
		}), c)
		for i := range dst {
			require.EqualValues(t, 2*i, dst[i], c)
		}
	}
}

// The address behind the last stage of a part lies in the scratch memory, too.
func TestScratchHoldsEveryAddress(t *testing.T) {
	n := nest.Nest{Width: 1, Rank: 2, Dims: [nest.MaxRank]nest.Dim{{Extent: 64, Src: 128, Dst: 256}, {Extent: 64, Src: 2, Dst: 4}}}
	for _, made := range []int64{0, 128} {
		p := plan.Problem{Nest: n, Cast: plan.Cast{Src: program.Uint8, Dst: program.Float32}, Pitch: made,
			Kernels: plan.OneKernel(plan.Go), Stores: plan.Stores{Cached: true}}
		for _, c := range plan.ThisHost().EveryWay(&p) {
			w := InStages(p.Plan(c))
			s := w.Scratch(&Values{})
			assert.Greater(t, int64(8*len(s.memory)), endOfStages(w.planned), c)
			s.Put()
		}
	}
}

// endOfStages returns where the last stage of a part ends in the scratch memory.
func endOfStages(p *plan.Plan) (end int64) {
	for i := range p.Bands {
		end = max(end, endOfStages(&p.Bands[i]))
	}
	for _, stages := range p.Steps {
		if stages.SliceOut != nil {
			_, read, _, _ := nest.Span(&stages.SliceOut.Nest)
			end = max(end, read)
		}
	}
	return p.Made + end
}

// BenchmarkCalls runs 64 MiB of output in calls of so many parts. With one processor for the whole
// process, Go's scheduler takes it from most calls of a single part:
//
//	taskset -c 0 go test ./slice1/internal/exec -run - -bench Calls
func BenchmarkCalls(b *testing.B) {
	src, dst := make([]byte, 256<<20), make([]byte, 64<<20)
	for i := range src {
		src[i] = byte(i)
	}
	for name, n := range map[string]nest.Nest{
		"every fourth byte": {Width: 1, Rank: 1, Dims: [nest.MaxRank]nest.Dim{{Extent: 64 << 20, Src: 4, Dst: 1}}},
		"rows of 256 bytes": {Width: 1, Rank: 2, Dims: [nest.MaxRank]nest.Dim{{Extent: 256 << 10, Src: 512, Dst: 256}, {Extent: 256, Src: 1, Dst: 1}}},
	} {
		p := plan.Cut(&n, plan.Stores{Cached: true}, plan.Cutting{})
		c := plan.ThisHost().Candidates(&p.Shapes[0], p.Count, &plan.Problem{Kernels: usable(), Stores: plan.Stores{Cached: true}})[0]
		w := Slice(&p, c, nil, nil)
		for _, parts := range []int64{1, CallParts} {
			b.Run(fmt.Sprintf("%s/parts=%d", name, parts), func(b *testing.B) {
				b.SetBytes(64 << 20)
				for b.Loop() {
					for i := int64(0); i < p.Count; i += parts {
						w.SliceParts(i, min(parts, p.Count-i), unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), nil)
					}
				}
			})
		}
	}
}
