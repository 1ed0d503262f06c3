package main

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// fast returns a meter that measures `rounds` rounds, each of one repetition.
func fast(rounds int) *meter { return &meter{pace: pace{rounds: rounds, limit: time.Minute}} }

// cellOf returns the cell of a work.
func cellOf(t *testing.T, w work, width int, size string) cell {
	t.Helper()
	c, err := w.cell(strconv.Itoa(width), size)
	require.NoError(t, err, "%s, width %d", w.name, width)
	return c
}

// measure checks every output before it measures times.
func TestEveryContenderIsRightOnEveryWork(t *testing.T) {
	m := fast(1)
	for _, w := range works {
		for width := range types {
			r, err := m.measure(cellOf(t, w, width, "S"))
			require.NoError(t, err, "%s, width %d", w.name, width)
			for _, name := range []string{naive, "go", dml, oneShot} {
				assert.NotNil(t, r.find(name), "%s, width %d: %s", w.name, width, name)
			}
		}
	}
}

func TestEveryStrideOfTheSweepIsRight(t *testing.T) {
	m := fast(1)
	for by := -16; by <= 16; by++ {
		for width := range types {
			if by == 0 {
				continue
			}
			_, err := m.measure(cellOf(t, stride(by), width, "1024"))
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
	r, err := m.measure(cellOf(t, stride(2), 1, "S"))
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
	times := []float64{9, 1, 3}
	median(times)
	assert.Equal(t, []float64{9, 1, 3}, times, "they belong to their rounds")
}

func TestRateCountsOutputBytes(t *testing.T) {
	r := row{bytes: 3000}
	assert.Equal(t, 2.0, r.rate(1500))
}

func TestBestIsTheFastestPeer(t *testing.T) {
	r := row{results: []result{{name: dml, ns: []float64{1}}, {name: numpy, ns: []float64{3}}, {name: fftw, ns: []float64{2}}}}
	require.NotNil(t, r.best())
	assert.Equal(t, fftw, r.best().name)
	r.results = r.results[:1]
	assert.Nil(t, r.best())
}

func TestRooflineMovesAsManyLinesAsTheSlice(t *testing.T) {
	for _, c := range []struct {
		width int
		view  view
		want  int // lines read and written
	}{
		{1, view{shape: []int{8194}, index: "[1:8193:2]"}, 128 + 64},
		{1, view{shape: []int{64}, index: "..."}, 1 + 1},
		{1, view{shape: []int{65}, index: "[1:]"}, 2 + 1},
		{1, view{shape: []int{64}, index: "[::-1]"}, 1 + 1},
		{4, view{shape: []int{128}, index: "[::2]"}, 8 + 4},
		{1, view{shape: []int{640}, index: "[::64]"}, 10 + 1},
		{1, view{shape: []int{4, 4}, index: "...", srcStrides: []int{16, 1}}, 1 + 1},
		{1, view{shape: []int{4, 4}, index: "...", srcStrides: []int{1, 256}}, 4 + 1},
		{1, view{shape: []int{32, 4}, index: "...", srcStrides: []int{1, 32}}, 2 + 2},
		{8, view{shape: []int{4, 2}, index: "...", dstStrides: []int{64, 8}}, 1 + 8},
	} {
		d, err := c.view.desc(c.width)
		require.NoError(t, err)
		src, _ := d.Input.MinSize()
		dst, _ := d.Output.MinSize()
		assert.Equal(t, c.want*line/2, roofBytes(d, int(src), int(dst)), "%v", c.view)
	}
}

func TestContendersTakeTurns(t *testing.T) {
	var log string
	turns := func(name string) contender {
		return contender{name: name, run: func(t turn) (took time.Duration, err error) {
			if t.Warm > 0 {
				log += "+"
			}
			log += name
			return time.Duration(t.Reps) * time.Microsecond, nil
		}}
	}
	reps, ns, err := interleave([]contender{turns("a"), turns("b")}, pace{rounds: 3, sample: 2 * time.Microsecond, limit: time.Minute})
	require.NoError(t, err)
	assert.Equal(t, "ab"+"+a+b"+"+b+a"+"+a+b", log, "each round begins with the next one, + is a slice that is not timed")
	assert.Equal(t, []int{1, 1}, reps)
	assert.Equal(t, [][]float64{{1000, 1000, 1000}, {1000, 1000, 1000}}, ns)

	reps, _, err = interleave([]contender{turns("a")}, pace{rounds: 3, sample: 10 * time.Microsecond, limit: time.Minute})
	require.NoError(t, err)
	assert.Equal(t, []int{8}, reps)
	assert.Equal(t, "aaaa"+"+a+a+a", log[len(log)-10:])

}

func TestATurnSettlesAfterAnotherProcess(t *testing.T) {
	p := pace{warm: time.Millisecond}
	for _, c := range []struct {
		reps       int
		each       time.Duration
		afterOther bool
		want       turn
	}{
		{64, time.Microsecond, false, turn{1, 64}},
		{64, time.Microsecond, true, turn{1001, 64}},
		{1, time.Millisecond, true, turn{2, 1}},
		{1, 2 * time.Millisecond, true, turn{1, 1}},
		{1, 11 * time.Millisecond, true, turn{0, 1}},
		{1, 0, false, turn{1, 1}},
	} {
		assert.Equal(t, c.want, p.turn(c.reps, c.each, c.afterOther), c)
	}
	var log []int
	logging := func(home *process) contender {
		return contender{home: home, run: func(t turn) (time.Duration, error) {
			log = append(log, t.Warm)
			return time.Duration(t.Reps) * 100 * time.Microsecond, nil
		}}
	}
	_, _, err := interleave([]contender{logging(nil), logging(nil), logging(new(process))}, pace{rounds: 2, limit: time.Minute, warm: time.Millisecond})
	require.NoError(t, err)
	assert.Equal(t, []int{0, 0, 0 /**/, 11, 1, 11 /**/, 11, 11, 11}, log)
}

func TestARowEndsAtItsLimit(t *testing.T) {
	for limit, want := range map[time.Duration]int{0: 1, 15 * time.Minute: 1, 40 * time.Minute: 2, time.Hour: 3, 5 * time.Hour: 4, 9 * time.Hour: 8} {
		c := contender{run: func(turn) (time.Duration, error) { return time.Hour, nil }}
		_, ns, err := interleave([]contender{c}, pace{rounds: 8, limit: limit})
		require.NoError(t, err)
		assert.Len(t, ns[0], want, limit)
	}
}

func TestAFailedRunIsAnError(t *testing.T) {
	broken := errors.New("broken")
	_, _, err := interleave([]contender{{run: func(turn) (time.Duration, error) { return 0, broken }}}, pace{rounds: 1})
	assert.ErrorIs(t, err, broken)
}

func TestPlansRunAsOftenAsTheyLearn(t *testing.T) {
	ran := map[string]int{}
	var cs []contender
	for _, name := range []string{naive, dml, "go", oneShot, numpy, "slow"} {
		cs = append(cs, contender{name: name, run: func(t turn) (time.Duration, error) {
			ran[name] += t.Warm + t.Reps
			if name == "slow" {
				return 100 * time.Millisecond, nil
			}
			return time.Duration(t.Warm+t.Reps) * time.Microsecond, nil
		}})
	}
	first, err := settle(cs, 0)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{dml: 1 + firstRuns, "go": 1 + firstRuns, oneShot: 1 + firstRuns, "slow": 11}, ran)
	assert.Equal(t, []float64{0, 1000, 1000, 1000, 0, 200e6 / 11.}, first)
	clear(ran)
	_, err = settle(cs, 16)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{dml: 16, "go": 16, oneShot: 16, "slow": 16}, ran)
}
