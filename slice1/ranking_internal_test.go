package slice1

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

func TestAPlanSettlesForTheFirstItCanBe(t *testing.T) {
	p, c := planned(t, reversed(4000))
	assert.False(t, p.settle(nil, c))
	field := append(p.rivals(), p.chosen)
	first := field[0]
	if strongest.Kernel != plan.Go {
		before := p.chosen
		assert.False(t, p.settle([]plan.Candidate{unmakeable}, c))
		assert.True(t, p.chosen.Is(before))
		field = append([]plan.Candidate{unmakeable}, field...)
	}
	assert.Empty(t, p.measured)
	require.True(t, p.settle(field, c))
	assert.Equal(t, field, p.measured)
	assert.True(t, p.chosen.Is(first))
}

func TestShapesAreEqualWhereRacesWouldBe(t *testing.T) {
	of := func(d *Desc, opts ...Option) shape {
		p, err := NewPlan(d, opts...)
		require.NoError(t, err)
		return shapeOf(p, configure(opts))
	}
	flip := func(offset, extent int) *Desc {
		return NewDesc(Uint8, []int{5000}, Window{[]int{offset}, []int{extent}, []int{-1}, []int{extent}})
	}
	plain := of(flip(0, 4000))
	assert.Equal(t, plain, of(flip(17, 4000)), "offsets")
	assert.Equal(t, plain, of(flip(0, 4000), WithMeasure(time.Second)), "budgets")
	assert.Equal(t, plain, of(flip(0, 4000), WithParallelism(7)), "limits that are not reached")
	box := []int{40, 100}
	assert.Equal(t, plain, of(NewDesc(Uint8, box, Window{[]int{0, 0}, box, []int{-1, -1}, box})), "descriptors of one nest")
	assert.NotEqual(t, plain, of(flip(0, 3999)), "extents")
	assert.NotEqual(t, plain, of(flip(0, 4000), WithStreaming(-1)), "stores")
	assert.Equal(t, usable != plan.Only(plan.Go) && !raceEnabled, plain != of(flip(0, 4000), WithKernel("go")), "kernels")
	several, err := NewPlan(reversed(16 << 20))
	require.NoError(t, err)
	before := shapeOf(several, config{})
	several.parts.workers++
	assert.NotEqual(t, before, shapeOf(several, config{}), "goroutines")
}

func TestTheShapeNotUsedForLongestIsForgotten(t *testing.T) {
	var r rankings
	at := func(i int) *shape { return &shape{workers: i} }
	ranking := func(i int) []plan.Candidate { return []plan.Candidate{{Cost: int64(i)}} }
	assert.Nil(t, r.get(at(0)))
	for i := range maxShapes {
		r.put(at(i), ranking(i))
	}
	for i := range maxShapes {
		require.Equal(t, ranking(i), r.get(at(i)))
	}
	assert.Equal(t, ranking(0), r.get(at(0)))
	r.put(at(maxShapes), ranking(maxShapes))
	assert.Nil(t, r.get(at(1)))
	for _, i := range []int{0, 2, 3, maxShapes - 1, maxShapes} {
		assert.Equal(t, ranking(i), r.get(at(i)))
	}
	r.put(at(2), ranking(22))
	assert.Equal(t, ranking(22), r.get(at(2)), "the later race counts")
	assert.Equal(t, maxShapes, r.all.Len())
	assert.Len(t, r.of, maxShapes)
}
