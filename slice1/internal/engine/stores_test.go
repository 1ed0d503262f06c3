package engine

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// From four second-level caches on, runs compare non-temporal stores with ordinary ones, though the
// system reports a last-level cache of 260 MiB. The first choice is as without them. They win if
// they take 10 % less time, not if they take 5 % less.
func TestStoresAreComparedWhateverTheLastLevelIs(t *testing.T) {
	learningFrom(t, 0)
	host := plan.ThisHost()
	defer func(h plan.Host) { *host = h }(*host)
	reported := plan.HostOf(cpuid.Features{L2: 256 << 10, L3: 260 << 20})
	host.L2, host.L3, host.LastLevel = reported.L2, reported.L3, reported.LastLevel
	if Race || !slices.ContainsFunc(Kernels(), func(k HostKernel) bool {
		return k.Usable && k.number.CallsC() && program.Sets[k.number].NonTemporal
	}) {
		t.Skip("no kernel that is chosen has non-temporal stores")
	}
	for name, made := range map[string]func(rows int64) plan.Problem{
		"rows":      func(n int64) plan.Problem { return plan.Problem{Nest: rows(1, n, 3000, 1, 5000)} },
		"flip":      func(n int64) plan.Problem { return plan.Problem{Nest: rows(4, 1, n*800, -1, 0)} },
		"transpose": func(n int64) plan.Problem { return plan.Problem{Nest: permuted(4, 2*n, 512)} },
		"pixels": func(n int64) plan.Problem {
			return conversion(program.Uint8, program.Float32, []int64{3, n, 320}, []int64{1, 2, 0}, 1, 0, -1)
		},
	} {
		for _, took := range []int64{80, 95} { // of non-temporal stores, when ordinary ones take 100
			Forget()
			p := made(400)
			e, m, v, want := entryOfProblem(t, p)
			require.NotNil(t, e.learner, name)
			first := e.learner.ways[0]
			require.False(t, first.NonTemporal, name)
			require.True(t, slices.ContainsFunc(e.learner.ways, func(w *Way) bool { return w.NonTemporal }), name)
			all, _, _ := e.Candidates()
			require.True(t, slices.ContainsFunc(all, func(c plan.Candidate) bool { return c.NonTemporal }), name)
			setClock(t, e, 1, func(w *Way) int64 {
				if w.NonTemporal {
					return took * us
				}
				return 100 * us
			})
			for runs := 0; e.settled.Load() == nil; runs++ {
				require.Less(t, runs, 10_000)
				clear(m.dst)
				require.NoError(t, e.Run(context.Background(), m.to(), m.from, &v, true))
				require.True(t, bytes.Equal(want, m.dst), "%s: %s", name, e.LastWay())
			}
			assert.Equal(t, took == 80, e.Upcoming().NonTemporal, "%s: %s", name, e.Upcoming())
			fixed := p
			require.NoError(t, Configure(&fixed, &Settings{Fixed: true}))
			f, err := EntryOf(&fixed, &Settings{Fixed: true})
			require.NoError(t, err)
			assert.True(t, f.Upcoming().SameWay(first.Candidate), "%s: %s, not %s", name, f.Upcoming(), first)
		}
		Forget()
		small, _, _, _ := entryOfProblem(t, made(250))
		assert.False(t, slices.ContainsFunc(waysIn(small), func(w *Way) bool { return w.NonTemporal }), name)
	}
}

// entryOfProblem returns the entry of p, which runs on one goroutine, memory and values for a run,
// and what the run must write.
func entryOfProblem(t testing.TB, p plan.Problem) (e *Entry, m memory, v Values, want []byte) {
	s := Settings{Parallelism: 1}
	if v = (Values{Scale: unit, Bias: nothing}); p.Cast.Opaque() {
		m = memoryOf(&p.Nest)
		want = make([]byte, len(m.dst))
		slowly(&p, 0, 0, 0, 0, func(src, dst, _ int64) {
			copy(want[dst:][:p.Nest.Width], unsafe.Slice((*byte)(unsafe.Add(m.from, src)), p.Nest.Width))
		})
	} else {
		v = valuesOf(&p)
		m.src, m.from, m.dst, want = conversionMemory(&p, v)
	}
	require.NoError(t, Configure(&p, &s))
	e, err := EntryOf(&p, &s)
	require.NoError(t, err)
	return e, m, v, want
}
