package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// with gives the process, until the test ends, the state that it would have if the environment had
// only these variables.
func with(t *testing.T, variables map[string]string) {
	before := *thisProcess()
	theProcess = newProcess(func(name string) string { return variables[name] })
	t.Cleanup(func() { theProcess = before })
}

func TestEnvironmentNamesTheKernelOfSlicesThatNameNone(t *testing.T) {
	n := rows(1, 1, 1<<20, -1, 0)
	for _, k := range Kernels() {
		if !k.Usable {
			continue
		}
		with(t, map[string]string{"SLICE1_KERNEL": k.Name})
		assert.Equal(t, k.number, entryOf(t, n, Settings{}).Upcoming().Kernel)
		usual, err := thisProcess().allowed(&Settings{})
		require.NoError(t, err)
		assert.Equal(t, plan.OneKernel(k.number), usual)
		assert.Equal(t, plan.Go, entryOf(t, n, Settings{Kernel: "go"}).Upcoming().Kernel, "a setting outweighs the environment")
	}
	with(t, map[string]string{"SLICE1_KERNEL": "mmx"})
	_, err := thisProcess().allowed(&Settings{})
	require.ErrorIs(t, err, ErrKernel)
	assert.ErrorContains(t, err, `: SLICE1_KERNEL is "mmx"; this build for `)
	require.ErrorIs(t, Configure(new(plan.Problem), &Settings{}), ErrKernel)
	assert.NoError(t, Configure(&plan.Problem{Nest: n}, &Settings{Kernel: "go"}))
}

// A kernel that the host cannot run cannot be named by the environment either.
func TestEnvironmentNamesAKernelThatCannotRun(t *testing.T) {
	for _, k := range Kernels() {
		if !k.Usable {
			with(t, map[string]string{"SLICE1_KERNEL": k.Name})
			_, err := thisProcess().allowed(&Settings{})
			require.ErrorIs(t, err, ErrKernel)
			assert.ErrorContains(t, err, `SLICE1_KERNEL is "`+k.Name+`"; `+k.Reason)
		}
	}
}

func TestEnvironmentTurnsLearningOff(t *testing.T) {
	for value, on := range map[string]bool{"": true, "on": true, "1": true, "true": true, "off": false, "0": false, "false": false} {
		with(t, map[string]string{"SLICE1_LEARN": value})
		var p plan.Problem
		require.NoError(t, Configure(&p, &Settings{}), value)
		assert.Equal(t, on && !Race, !p.Fixed, value)
		require.NoError(t, Configure(&p, &Settings{Fixed: true}), value)
		assert.True(t, p.Fixed, value)
	}
	for _, value := range []string{"no", "Off", "OFF", " off", "2"} {
		with(t, map[string]string{"SLICE1_LEARN": value})
		for _, s := range []Settings{{}, {Kernel: "go"}, {Fixed: true}} {
			err := Configure(new(plan.Problem), &s)
			require.ErrorIs(t, err, ErrSyntax, value)
			assert.ErrorContains(t, err, `SLICE1_LEARN is "`+value+`"; its values are on, off, 1, 0, true and false`)
		}
	}
}

// programs returns the programs of an entry, one for each shape of parts of each of its ways. Ways
// of plain Go have none.
func programs(e *Entry) (all []*program.Program) {
	for i := range waysIn(e) {
		w := e.prepare(waysIn(e)[i], nil)
		for k := range w.Programs().Len() {
			all = append(all, w.Programs().At(k))
		}
	}
	return all
}

// A slice with a named kernel runs only loops of that kernel.
func TestNamedKernelsRunTheirOwnLoops(t *testing.T) {
	for _, k := range Kernels() {
		for _, elements := range []int64{3, 1000, 300_001, 1 << 20} {
			for _, step := range []int64{1, -1} {
				n, s := rows(2, 1, elements, step, 0), Settings{Kernel: k.Name}
				if !k.Usable {
					require.ErrorIs(t, Configure(&plan.Problem{Nest: n}, &s), ErrKernel)
					continue
				}
				e := entryOf(t, n, s)
				assert.Equal(t, k.number, e.Upcoming().Kernel)
				assert.Equal(t, k.number >= 0, len(programs(e)) > 0, "%s, %d elements", k.Name, elements)
				for _, p := range programs(e) {
					assert.Contains(t, program.Sets[k.number].Kernel, p.Set, "%s, %d elements", k.Name, elements)
				}
			}
		}
	}
}

// Streaming decides which large slices use non-temporal stores, if their kernel has them.
func TestStreamingForcesTheStores(t *testing.T) {
	n := rows(1, 1, 1<<20, -1, 0)
	for _, k := range Kernels() {
		if !k.Usable {
			continue
		}
		can := k.number >= 0 && program.Sets[k.number].NonTemporal
		for from, want := range map[int64]bool{1: can, 1 << 20: can, 1<<20 + 1: false, -1: false} {
			e := entryOf(t, n, Settings{Kernel: k.Name, Streaming: from})
			assert.Equal(t, want, e.Upcoming().NonTemporal, "%s from %d", k.Name, from)
			for _, p := range programs(e) {
				assert.Equal(t, want, p.NT != 0, "%s from %d", k.Name, from)
			}
		}
	}
}

// waysIn returns the ways of an entry: the one that it has, or those that it compares.
func waysIn(e *Entry) []*Way {
	if e.learner == nil {
		return []*Way{e.settled.Load()}
	}
	return e.learner.ways
}

// scoutsOf returns the scouts of e. An entry with one way has none.
func scoutsOf(e *Entry) []*scout {
	if e.learner == nil {
		return nil
	}
	return e.learner.scouts
}
