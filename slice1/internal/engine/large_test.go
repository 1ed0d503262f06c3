package engine

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// inBlocks makes slices of `large` bytes or more run in blocks of about `block` bytes, until the
// test ends.
func inBlocks(t testing.TB, large, block int64) {
	beforeLarge, beforeBlock := plan.LargeBytes, plan.BlockBytes
	plan.LargeBytes, plan.BlockBytes = large, block
	t.Cleanup(func() { plan.LargeBytes, plan.BlockBytes = beforeLarge, beforeBlock })
}

// permuted returns a nest with a packed destination of these extents, and with elements of `width`
// bytes. The source is packed too, with its axes in the opposite order.
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
	beforeNow, beforeStep, beforeTiming := nanotime, step, timing
	at, ends := int64(0), false
	nanotime = func() int64 {
		if ends {
			at += cost(e.LastWay())
		}
		ends = !ends
		return at
	}
	step = func() int64 { return 1 }
	timing = func() int64 { return 0 }
	t.Cleanup(func() { nanotime, step, timing = beforeNow, beforeStep, beforeTiming })
}

// Every run of a large slice writes the same bytes as plain Go, while it learns and afterwards, on
// one goroutine and on several.
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
			portable.Slice(&e.problem.Nest, (&memory{dst: want}).to(), m.from)
			seen := map[string]bool{}
			for settled := 0; settled < 3; {
				clear(m.dst)
				require.NoError(t, e.Run(context.Background(), m.to(), m.from, &Values{}, parallelism > 1))
				require.True(t, string(want) == string(m.dst), "%s of %+v", e.LastWay(), n)
				seen[e.LastWay().String()] = true
				if e.settled.Load() != nil {
					settled++
				}
			}
			assert.Greater(t, len(seen), 1)
		}
	}
}

// A large slice that transposes nothing does not run in blocks.
func TestRowsAreNotRunInBlocks(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 3<<20, 1<<20)
	for _, n := range []nest.Nest{rows(1, 3, 3<<20, 2, 7<<20), rows(4, 1500, 700, 1, 1000)} {
		assert.Nil(t, entryOf(t, n, Settings{}).scout)
	}
}

// The way with the fastest blocks wins if its whole runs are the fastest too. Otherwise the first
// choice stays.
func TestBlocksTellTheFastestWay(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 3<<20, 1<<20)
	n := permuted(4, 1024, 1024)
	e := entryOf(t, n, Settings{Parallelism: 1})
	first := e.ways[0].Candidate
	for _, way := range e.scout.ways {
		for _, whole := range []int64{9 * us, 11 * us} { // the time of a whole run by the first choice
			Forget()
			e := entryOf(t, n, Settings{Parallelism: 1})
			costClock(t, e, func(w *Way) int64 {
				switch {
				case w.Same(first):
					return whole
				case w.Same(way.Candidate):
					return 10 * us
				}
				return 20 * us
			})
			learned(t, e)
			assert.Nil(t, e.scout)
			want := way.Candidate
			if whole < 10*us {
				want = first
			}
			require.Equal(t, want.String(), e.Upcoming().Candidate.String())
			assert.NotEmpty(t, e.Known())
		}
	}
}

// The time of a run that is cancelled between blocks does not count, and learning goes on with the
// next run.
func TestLargeRunsThatAreCancelled(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 3<<20, 1<<20)
	e := entryOf(t, permuted(4, 1024, 1024), Settings{Parallelism: 1})
	m := memoryOf(&e.problem.Nest)
	for runs := range 5 {
		require.ErrorIs(t, e.Run(&doneAfter{looks: 1}, m.to(), m.from, &Values{}, true), context.Canceled)
		require.LessOrEqual(t, e.scout.tune.Told(), runs+1, "the block before")
	}
	learned(t, e)
}

// Some of the part numbers of blocks have no part. Parts counts only the parts. Each part runs
// once, whichever numbers the goroutines take.
func TestPartsOfBlocksRunOnce(t *testing.T) {
	inBlocks(t, 1<<20, 1<<20)
	rng := rand.New(rand.NewPCG(5, 5))
	n := permuted(4, 33, 35, 37, 39)
	for _, e := range []*Entry{entryOf(t, n, Settings{Candidate: "go in blocks"}), entryOf(t, n, Settings{Candidate: "go bands in blocks"})} {
		w := e.Upcoming()
		blocks, _ := w.InBlocks()
		require.NotNil(t, blocks)
		require.Greater(t, blocks.NumShapes, 1)
		m := memoryOf(&e.problem.Nest)
		want := make([]byte, len(m.dst))
		portable.Slice(&e.problem.Nest, (&memory{dst: want}).to(), m.from)
		wrote, none := int64(0), make([]byte, len(m.dst))
		for i := range w.Numbers() {
			clear(m.dst)
			if w.SliceParts(i, 1, m.to(), m.from, nil, nil); string(m.dst) != string(none) {
				wrote++
			}
		}
		require.Equal(t, wrote, w.Parts())
		require.Less(t, wrote, w.Numbers())
		for range 10 {
			clear(m.dst)
			for first := int64(0); first < w.Numbers(); {
				count := min(1+rng.Int64N(exec.CallParts), w.Numbers()-first)
				w.SliceParts(first, count, m.to(), m.from, nil, nil)
				first += count
			}
			require.True(t, string(want) == string(m.dst))
		}
	}
}
