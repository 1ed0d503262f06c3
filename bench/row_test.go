package main

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// fast measures with one repetition in few rounds.
func fast(rounds int) *meter { return &meter{pace: pace{rounds: rounds}} }

// measure checks every output before it takes a time.
func TestEveryContenderIsRightOnEveryWork(t *testing.T) {
	m := fast(1)
	for _, w := range works {
		for width := range types {
			r, err := m.measure(cell{work: w, width: width, size: sizeS})
			require.NoError(t, err, "%s, width %d", w.name, width)
			for _, name := range []string{naive, "go", dml, oneShot} {
				assert.NotNil(t, r.find(name), "%s, width %d: %s", w.name, width, name)
			}
			axes, _ := axesOf(r.desc)
			axes = join(axes)
			constant := len(axes) == 1 && axes[0].dst == 1
			assert.Equal(t, constant && compiler != "none" && hasCC(), r.find(cc) != nil, "%s, width %d: cc", w.name, width)
		}
	}
}

// hasCC reports whether the loop in C can run here.
func hasCC() bool {
	return ccLoop(make([]byte, 8), make([]byte, 8), axis{8, 1, 1}, 0, 1) != nil
}

func TestEveryStrideOfTheSweepIsRight(t *testing.T) {
	m := fast(1)
	for by := -16; by <= 16; by++ {
		for width := range types {
			if by == 0 {
				continue
			}
			_, err := m.measure(cell{work: stride(by), width: width, size: sizeOf(1024)})
			require.NoError(t, err, "stride %d, width %d", by, width)
		}
	}
}

func TestWrongOutputIsAnError(t *testing.T) {
	right := contender{name: "a", sum: func() (uint32, error) { return 1, nil }}
	wrong := contender{name: "b", sum: func() (uint32, error) { return 2, nil }}
	failed := contender{name: "c", sum: func() (uint32, error) { return 1, slice1.ErrBuffer }}
	assert.NoError(t, checkOutputs([]contender{right, right}, 1))
	assert.EqualError(t, checkOutputs([]contender{right, wrong}, 1), "b: the output is wrong")
	assert.ErrorIs(t, checkOutputs([]contender{failed}, 1), slice1.ErrBuffer)
}

func TestContendersAreThoseWanted(t *testing.T) {
	m := fast(1)
	m.wanted = []string{"go", naive}
	r, err := m.measure(cell{work: stride(2), width: 1, size: sizeS})
	require.NoError(t, err)
	var found []string
	for _, c := range r.results {
		found = append(found, c.name)
	}
	assert.Equal(t, []string{naive, "go"}, found)
	assert.Nil(t, r.find(dml))
}

func TestRatioIsTheMedianOfRatios(t *testing.T) {
	assert.Equal(t, 3.0, median([]float64{9, 1, 3}))
	assert.Equal(t, 2.0, median([]float64{4, 1, 3, 1}))
	// The medians' ratio would be 1.
	assert.Equal(t, 2.0, ratio([]float64{2, 10, 40}, []float64{1, 20, 10}))
}

func TestRateCountsOutputBytes(t *testing.T) {
	r := row{bytes: 3000}
	assert.Equal(t, 2.0, r.rate(1500))
}

func TestBestIsTheFastestPeer(t *testing.T) {
	r := row{results: []result{{name: dml, ns: []float64{1}}, {name: "x", peer: true, ns: []float64{3}}, {name: "y", peer: true, ns: []float64{2}}}}
	require.NotNil(t, r.best())
	assert.Equal(t, "y", r.best().name)
	r.results = r.results[:1]
	assert.Nil(t, r.best())
}

func TestRooflineMovesAsManyLinesAsTheSlice(t *testing.T) {
	r, err := fast(1).measure(cell{work: stride(2), width: 1, size: sizeS})
	require.NoError(t, err)
	assert.Equal(t, 4096, r.bytes)
	assert.Equal(t, 3*4096, r.touched) // elements 1, 3, ..., 8191: 128 lines; and 64
}

func TestContendersTakeTurns(t *testing.T) {
	var log string
	turn := func(name string) contender {
		return contender{name: name, run: func(reps int) (took time.Duration, err error) {
			log += name
			return time.Duration(reps) * time.Microsecond, nil
		}}
	}
	reps, ns, err := interleave([]contender{turn("a"), turn("b")}, pace{rounds: 3, sample: 2 * time.Microsecond})
	require.NoError(t, err)
	assert.Equal(t, "ab"+"ababab", log)
	assert.Equal(t, []int{1, 1}, reps)
	assert.Equal(t, [][]float64{{1000, 1000, 1000}, {1000, 1000, 1000}}, ns)

	reps, _, err = interleave([]contender{turn("a")}, pace{rounds: 3, sample: 10 * time.Microsecond})
	require.NoError(t, err)
	assert.Equal(t, []int{8}, reps)
}

func TestARowEndsAtItsLimitAfterThreeRounds(t *testing.T) {
	c := contender{run: func(int) (time.Duration, error) { return time.Hour, nil }}
	_, ns, err := interleave([]contender{c}, pace{rounds: 10})
	require.NoError(t, err)
	assert.Len(t, ns[0], 3)
}

func TestAFailedRunIsAnError(t *testing.T) {
	broken := errors.New("broken")
	_, _, err := interleave([]contender{{run: func(int) (time.Duration, error) { return 0, broken }}}, pace{rounds: 1})
	assert.ErrorIs(t, err, broken)
}
