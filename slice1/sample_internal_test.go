package slice1

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// spread returns a descriptor that takes a whole tensor, with the given memory strides.
func spread(t DataType, sizes, src, dst []int) *Desc {
	one := make([]int, len(sizes))
	for i := range one {
		one[i] = 1
	}
	d := NewDesc(t, sizes, Window{make([]int, len(sizes)), sizes, one, sizes})
	d.Input.Strides, d.Output.Strides = src, dst
	return d
}

// sampled returns slices of many sizes and memory strides.
func sampled() []*Desc {
	mirrored := spread(Uint8, []int{90, 4096}, []int{1 << 24, 1}, []int{5000, 1})
	mirrored.WindowStrides[1] = -1
	repeated := NewDesc(Uint8, []int{3, 60_000}, Window{[]int{0, 7}, []int{1, 50_000}, []int{1, 1}, []int{1, 50_000}})
	repeated.Input.Strides, repeated.Output.Strides = []int{0, 0}, []int{1, 90}
	all := []*Desc{
		reversed(1), reversed(4000), reversed(600_000), reversed(64 << 20),
		NewDesc(Uint16, []int{1 << 20}, Window{[]int{3}, []int{1<<20 - 3}, []int{-2}, []int{1000}}),
		NewDesc(Float64, []int{3, 1 << 20}, Window{[]int{1, 5}, []int{2, 1<<20 - 5}, []int{-1, 7}, []int{2, 149000}}),
		spread(Float32, []int{4096, 4096}, []int{1, 4096}, nil),
		mirrored, repeated,
	}
	if far := int64(1) << 40; int64(int(far)) == far {
		big := int(far)
		all = append(all,
			spread(Int8, []int{1 << 20, 1 << 20}, []int{1, big}, []int{big, 1}),
			spread(Int8, []int{2, 3}, []int{big, big << 20}, []int{big << 20, big}))
	}
	return all
}

func TestSamplesFitTheirMemory(t *testing.T) {
	for i, d := range sampled() {
		p, c := planned(t, d)
		least := min(p.bytes, plan.PartBytes) / 8
		for _, room := range []int64{0, 1, 200_000, 1 << 20, maxScratch} {
			q := p.sample(room, p.bytes)
			if q == nil {
				continue
			}
			assert.LessOrEqual(t, q.dstSize+q.srcSize+2*largeBytes, room+nest.Line)
			for most := p.bytes; most > 0; most /= 3 {
				s := p.sample(room, most)
				what := fmt.Sprintf("slice %d, room %d, most %d: %+v", i, room, most, s.nest)
				assert.LessOrEqual(t, s.dstSize, q.dstSize, what)
				assert.LessOrEqual(t, s.srcSize, q.srcSize, what)
				assert.GreaterOrEqual(t, s.bytes, least, what)
				assert.LessOrEqual(t, s.bytes, max(most, 2*least), what)
				assert.Equal(t, nest.Bytes(&s.nest), s.bytes, what)
				lo, _, _, _ := nest.Span(&s.nest)
				assert.Zero(t, lo, what)
				assert.Less(t, s.home, nest.Line, what)

				if made := s.as(p.chosen, c); made != nil {
					require.NoError(t, made.Run(make([]byte, s.dstSize), make([]byte, s.srcSize)), what)
				}
			}
		}
	}
}

func TestASampleKeepsItsPlaceInALine(t *testing.T) {
	p, _ := planned(t, NewDesc(Uint16, []int{10_000}, Window{[]int{100}, []int{9000}, []int{-2}, []int{1000}}))
	// Output element 0 is element 9099 of the source, output element 999 is element 9099-1998.
	assert.Equal(t, (9099-1998)*2%64, p.sample(maxScratch, p.bytes).home)
}

func TestASliceThatDoesNotFitHasNoSample(t *testing.T) {
	sample := func(d *Desc, room, most int64) *Plan {
		p, _ := planned(t, d)
		return p.sample(room, most)
	}
	assert.Nil(t, sample(reversed(1), 2*largeBytes+1, 1))
	assert.NotNil(t, sample(reversed(1), 2*largeBytes+2, 1))
	assert.Nil(t, sample(spread(Float64, []int{1}, nil, nil), 0, 8))
	assert.Nil(t, sample(spread(Uint8, []int{2}, nil, []int{math.MaxInt - 1}), 0, 2))
	assert.Equal(t, int64(3), sample(spread(Uint8, []int{20, 1}, []int{16 << 20, 1}, nil), maxScratch, 20).bytes)
	assert.Nil(t, sample(spread(Uint8, []int{20, 1}, []int{64 << 20, 1}, nil), maxScratch, 20))
}

// A sample runs on as many goroutines as its plan or, if that is less, as it has parts, even if
// it is smaller than plan.ParallelBytes.
func TestASampleRunsOnAsManyGoroutines(t *testing.T) {
	p, c := planned(t, reversed(16<<20))
	if p.parts == nil || racersOf(p) == 0 {
		return
	}
	p.parts.workers = 3
	for _, most := range []int64{2 << 20, plan.PartBytes * 2} {
		racers := p.racers(c, p.rivals(), maxScratch, most)
		require.NotEmpty(t, racers)
		for _, r := range racers {
			require.NotNil(t, r.plan.parts)
			assert.Equal(t, int(min(3, r.plan.parts.Count)), r.plan.workers())
		}
		assert.Equal(t, most == 2<<20, racers[0].plan.workers() == 3)
	}
}

func TestMemoryIsWrittenAndUsedAgain(t *testing.T) {
	p, _ := planned(t, reversed(300_000))
	r := race{measurer: newMeasurer(), racers: []racer{{plan: p}}}
	for range 5 {
		free := r.getMemory()
		require.Len(t, r.dst, 300_000)
		require.Len(t, r.src, 300_000)
		for at := 0; at < len(r.src); at += pageBytes {
			require.NotZero(t, r.src[at])
		}
		free()
	}
	r.racers[0].plan, _ = planned(t, reversed(10))
	r.getMemory()
	assert.Len(t, r.dst, 10)
	assert.Len(t, r.src, 10)
}
