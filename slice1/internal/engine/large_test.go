package engine

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/tune"
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

// costClock makes nanotime a clock that advances by what cost returns for the way of each run or
// block that is timed.
func costClock(t testing.TB, e *Entry, cost func(w *Way) int64) {
	beforeNow, beforeClocked := nanotime, clocked
	at, ends := int64(0), false
	nanotime = func() int64 {
		if ends {
			at += cost(e.LastWay())
		}
		ends = !ends
		return at
	}
	clocked = func() (step, timing int64) { return 1, 0 }
	t.Cleanup(func() { nanotime, clocked = beforeNow, beforeClocked })
}

// Every run of a large slice writes the same bytes as plain Go, while it learns and afterwards, on
// one goroutine and on several.
func TestLargeSlicesAreRightWhileTheyLearn(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 1<<20, 256<<10)
	host := plan.ThisHost()
	defer func(last int64) { host.LastLevel = last }(host.LastLevel)
	host.LastLevel = 1 << 20
	for _, n := range []nest.Nest{
		rows(1, 5, 333_333, 2, 700_001), rows(2, 701, 1203, -1, 1301),
		permuted(4, 550, 503), permuted(1, 95, 203, 70), permuted(8, 17, 33, 19, 13), permuted(2, 700, 3, 310),
	} {
		for _, parallelism := range []int{1, 2} {
			Forget()
			e := entryOf(t, n, Settings{Parallelism: parallelism})
			m := memoryOf(&n)
			want := make([]byte, len(m.dst))
			portable.Slice(&e.problem.Nest, (&memory{dst: want}).to(), m.from)
			for settled := 0; settled < 3; {
				clear(m.dst)
				require.NoError(t, e.Run(context.Background(), m.to(), m.from, &Values{}, parallelism > 1))
				require.True(t, string(want) == string(m.dst), "%s of %+v", e.LastWay(), n)
				if e.settled.Load() != nil {
					settled++
				}
			}
			if e.learner != nil { // there was something to learn
				assert.Greater(t, len(e.Known()), 1)
			}
		}
	}
}

// A large slice of one order runs parts in a row in each block. So its parts are the same while it
// learns and afterwards. A scout compares ways of one sort of stores, unless the last-level cache
// is small.
func TestBlocksOfRowsAreItsParts(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 3<<20, 1<<20)
	for _, n := range []nest.Nest{rows(1, 3, 4<<20, 2, 9<<20), rows(4, 1500, 1600, 1, 1700)} {
		e := entryOf(t, n, Settings{Parallelism: 1})
		require.Equal(t, e.problem.Kernels.Strongest().CallsC(), len(scoutsOf(e)) > 0, "%+v", n)
		for _, s := range scoutsOf(e) {
			for _, w := range s.ways {
				assert.True(t, w.NonTemporal == s.ways[0].NonTemporal || plan.ThisHost().L3 <= tune.ShortTurn*plan.BlockBytes)
				e.prepare(w, nil)
				assert.Equal(t, e.pieces, *w.Pieces(), w.String())
				count, numbers := w.InBlocks(2)
				assert.EqualValues(t, 2*plan.BlockBytes/plan.PartBytes, numbers)
				assert.Equal(t, w.Parts(), (count-1)*numbers+min(numbers, w.Parts()-(count-1)*numbers))
			}
		}
	}
}

// The way with the fastest blocks wins, whichever scout has it, if its whole runs are the fastest
// too. Otherwise the way wins that only whole runs compare, if there is one.
func TestBlocksTellTheFastestWay(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 3<<20, 64<<10)
	for _, n := range []nest.Nest{permuted(4, 1024, 1024), rows(4, 1500, 1600, 1, 1700), rows(1, 1, 9<<20, 2, 0)} {
		e := entryOf(t, n, Settings{Parallelism: 1})
		if e.settled.Load() != nil {
			continue // one way
		}
		whole := waysIn(e)[len(e.learner.scouts):]
		blocks, _ := waysIn(e)[0].InBlocks(1)
		for _, way := range slices.Concat(e.learner.scouts[0].ways, e.learner.scouts[len(e.learner.scouts)-1].ways) {
			for _, took := range []int64{9 * us, 11 * us} { // of as much as a block by a way of no scout
				Forget()
				e := entryOf(t, n, Settings{Parallelism: 1})
				costClock(t, e, func(w *Way) int64 {
					switch {
					case slices.ContainsFunc(whole, func(o *Way) bool { return w.SameWay(o.Candidate) }):
						return took * blocks
					case w.SameWay(way.Candidate):
						return 10 * us
					}
					return 20 * us
				})
				learned(t, e)
				assert.Nil(t, e.learner.scouts)
				want := way.Candidate
				if len(whole) > 0 && took < 10*us {
					want = whole[0].Candidate
				}
				require.Equal(t, want.String(), e.Upcoming().Candidate.String())
				assert.NotEmpty(t, e.Known())
			}
		}
	}
}

// A run that compares stores which turn out to be far slower than the others goes on with those as
// soon as it has filled the last-level cache. It writes the right bytes.
func TestRunsLeaveSlowStores(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 3<<20, 64<<10)
	host := plan.ThisHost()
	defer func(l3, last int64) { host.L3, host.LastLevel = l3, last }(host.L3, host.LastLevel)
	host.L3, host.LastLevel = 1<<20, 1<<20
	for _, n := range []nest.Nest{permuted(4, 1024, 1024), rows(4, 1500, 1600, 1, 1700)} {
		e := entryOf(t, n, Settings{Parallelism: 1})
		if len(scoutsOf(e)) < 2 {
			continue // no non-temporal stores
		}
		first, slow, fast := waysIn(e)[0].NonTemporal, 0, 0
		costClock(t, e, func(w *Way) int64 {
			if w.NonTemporal != first {
				slow++
				return 40 * us
			}
			fast++
			return 10 * us
		})
		m := memoryOf(&n)
		m.run(t, e)
		for e.learner.tune.NextWay() != 1 {
			m.run(t, e)
		}
		require.Zero(t, slow)
		want := bytes.Clone(m.dst)
		clear(m.dst)
		fast = 0
		m.run(t, e)
		assert.Positive(t, fast)
		assert.LessOrEqual(t, slow, 16)
		assert.Equal(t, want, m.dst)
		assert.Equal(t, first, e.learner.best.Load().NonTemporal)
	}
}

// The time of a run that is cancelled between blocks does not count, and learning goes on with the
// next run.
func TestLargeRunsThatAreCancelled(t *testing.T) {
	learningFrom(t, 0)
	inBlocks(t, 3<<20, 1<<20)
	for _, n := range []nest.Nest{permuted(4, 1024, 1024), rows(4, 1500, 1600, 1, 1700)} {
		e := entryOf(t, n, Settings{Parallelism: 1})
		if e.settled.Load() != nil {
			continue // one way
		}
		m := memoryOf(&e.problem.Nest)
		for runs := range 5 {
			require.ErrorIs(t, e.Run(&doneAfter{looks: 1}, m.to(), m.from, &Values{}, true), context.Canceled)
			require.LessOrEqual(t, e.learner.scouts[0].tune.Told(), runs+1, "the block before")
			require.Zero(t, e.learner.tune.Told())
		}
		learned(t, e)
	}
}

// Some of the part numbers of blocks have no part. Parts counts only the parts. Each part runs
// once, whichever numbers the goroutines take.
func TestPartsOfBlocksRunOnce(t *testing.T) {
	inBlocks(t, 1<<20, 1<<20)
	rng := rand.New(rand.NewPCG(5, 5))
	n := permuted(4, 33, 35, 37, 39)
	for _, e := range []*Entry{entryOf(t, n, Settings{Candidate: "go in blocks"}), entryOf(t, n, Settings{Candidate: "go bands in blocks"})} {
		w := e.Described(e.Upcoming())
		require.True(t, w.Candidate.Blocks)
		m := memoryOf(&e.problem.Nest)
		want := make([]byte, len(m.dst))
		portable.Slice(&e.problem.Nest, (&memory{dst: want}).to(), m.from)
		wrote, none := int64(0), make([]byte, len(m.dst))
		for i := range w.Slots() {
			clear(m.dst)
			if w.SliceParts(i, 1, m.to(), m.from, nil); string(m.dst) != string(none) {
				wrote++
			}
		}
		require.Equal(t, wrote, w.Parts())
		require.Less(t, wrote, w.Slots())
		for range 10 {
			clear(m.dst)
			for first := int64(0); first < w.Slots(); {
				count := min(1+rng.Int64N(exec.CallParts), w.Slots()-first)
				w.SliceParts(first, count, m.to(), m.from, nil)
				first += count
			}
			require.True(t, string(want) == string(m.dst))
		}
	}
}
