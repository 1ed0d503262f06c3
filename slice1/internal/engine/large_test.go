package engine

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// inBlocks makes slices of so many bytes large, in blocks of about so many, until the test ends.
func inBlocks(t testing.TB, large, block int64) {
	beforeLarge, beforeBlock := plan.LargeBytes, plan.BlockBytes
	plan.LargeBytes, plan.BlockBytes = large, block
	t.Cleanup(func() { plan.LargeBytes, plan.BlockBytes = beforeLarge, beforeBlock })
}

// permuted returns the nest of a packed array of `width` bytes whose loops have these extents, and
// whose source has them in the opposite order.
func permuted(width int32, extents ...int64) nest.Nest {
	n := nest.Nest{Rank: int32(len(extents)), Width: width}
	src, dst := int64(width), int64(width)
	for i := range extents {
		j := len(extents) - 1 - i
		n.Dims[i].Src, n.Dims[j].Dst = src, dst
		n.Dims[i].Extent = extents[i]
		src *= extents[i]
		dst *= extents[j]
	}
	nest.Normalize(&n)
	return n
}

// costClock makes now a clock that advances by what cost returns for the way of each run or block
// that is timed.
func costClock(t testing.TB, e *Entry, cost func(w *Way) int64) {
	beforeNow, beforeStep, beforeTiming := now, step, timing
	at, ends := int64(0), false
	now = func() int64 {
		if ends {
			at += cost(e.Last())
		}
		ends = !ends
		return at
	}
	step = func() int64 { return 1 }
	timing = func() int64 { return 0 }
	t.Cleanup(func() { now, step, timing = beforeNow, beforeStep, beforeTiming })
}

// Every run of a large slice writes what plain Go does, while it learns and afterwards, on one
// goroutine and on several.
func TestLargeSlicesAreRightWhileTheyLearn(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 3<<20, 1<<20)
	for _, n := range []nest.Nest{
		permuted(4, 1100, 1003), permuted(1, 95, 203, 170), permuted(8, 17, 33, 19, 41), permuted(2, 1400, 3, 510),
	} {
		for _, parallelism := range []int{1, 2} {
			Forget()
			e := entryOf(t, n, Settings{Parallelism: parallelism})
			require.NotNil(t, e.scout)
			m := memoryOf(&n)
			want := make([]byte, len(m.dst))
			portable.Run(&e.problem.Nest, (&memory{dst: want}).to(), m.from)
			seen := map[string]bool{}
			for settled := 0; settled < 3; {
				clear(m.dst)
				require.NoError(t, e.Run(context.Background(), m.to(), m.from, parallelism > 1))
				require.True(t, string(want) == string(m.dst), "%s of %+v", e.Last(), n)
				seen[e.Last().String()] = true
				if e.settled.Load() != nil {
					settled++
				}
			}
			assert.Greater(t, len(seen), 1)
		}
	}
}

// Slices of one order run as smaller ones do.
func TestRowsAreNotRunInBlocks(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 3<<20, 1<<20)
	for _, n := range []nest.Nest{rows(1, 3, 3<<20, 2, 7<<20), rows(4, 1500, 700, 1, 1000)} {
		assert.Nil(t, entryOf(t, n, Settings{}).scout)
	}
}

// The way whose blocks are the fastest is taken if its whole runs are, and the first choice
// otherwise.
func TestBlocksTellTheFastestWay(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 3<<20, 1<<20)
	n := permuted(4, 1024, 1024)
	fast, slow := 0, 0
	e := entryOf(t, n, Settings{Parallelism: 1})
	first := e.ways[0].Candidate
	for _, way := range e.scout.ways {
		for _, whole := range []int64{9 * us, 11 * us} { // for the first choice
			Forget()
			e := entryOf(t, n, Settings{Parallelism: 1})
			costClock(t, e, func(w *Way) int64 {
				switch {
				case w.Is(first):
					return whole
				case w.Is(way.Candidate):
					return 10 * us
				}
				return 20 * us
			})
			learned(t, e)
			assert.Nil(t, e.scout)
			if got := e.Upcoming(); got.Is(first) {
				slow++
			} else {
				require.Equal(t, way.String(), got.String())
				fast++
			}
			assert.NotEmpty(t, e.Known())
		}
	}
	assert.Positive(t, fast)
	assert.Positive(t, slow)
}

// A run that is cancelled between blocks is not told of, and the next one goes on.
func TestLargeRunsThatAreCancelled(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 3<<20, 1<<20)
	e := entryOf(t, permuted(4, 1024, 1024), Settings{Parallelism: 1})
	m := memoryOf(&e.problem.Nest)
	for runs := range 5 {
		require.ErrorIs(t, e.Run(&doneAfter{looks: 1}, m.to(), m.from, true), context.Canceled)
		require.LessOrEqual(t, e.scout.tune.Runs(), runs+1, "the block before")
	}
	learned(t, e)
}

// The parts of blocks have numbers of which some have no part. Parts counts those that have one,
// and each part runs once, whatever the numbers that goroutines take.
func TestPartsOfBlocksRunOnce(t *testing.T) {
	inBlocks(t, 1<<20, 1<<20)
	rng := rand.New(rand.NewPCG(5, 5))
	n := permuted(4, 33, 35, 37, 39)
	for _, e := range []*Entry{entryOf(t, n, Settings{Candidate: "go in blocks"}), entryOf(t, n, Settings{Candidate: "go bands in blocks"})} {
		w := e.Upcoming()
		require.NotNil(t, w.blocks)
		require.Greater(t, w.blocks.NumShapes, 1)
		m := memoryOf(&e.problem.Nest)
		want := make([]byte, len(m.dst))
		portable.Run(&e.problem.Nest, (&memory{dst: want}).to(), m.from)
		wrote, none := int64(0), make([]byte, len(m.dst))
		for i := range w.parts() {
			clear(m.dst)
			if w.blocks.run(i, 1, m.to(), m.from); string(m.dst) != string(none) {
				wrote++
			}
		}
		require.Equal(t, wrote, w.Parts())
		require.Less(t, wrote, w.parts())
		for range 10 {
			clear(m.dst)
			for first := int64(0); first < w.parts(); {
				count := min(1+rng.Int64N(plan.CallParts), w.parts()-first)
				w.blocks.run(first, count, m.to(), m.from)
				first += count
			}
			require.True(t, string(want) == string(m.dst))
		}
	}
}
