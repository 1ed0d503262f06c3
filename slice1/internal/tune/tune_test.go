package tune

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const us = 1000

// many is how many ways the states of these tests have at most.
const many = 12

// settle tells s how long runs take until it has settled. cost(w, n) is the time of run n by way w.
// Runs count from 0. settle returns how many runs each way had, and how long all of them took.
func settle(t *testing.T, s *State, cost func(w, n int) int64) (ran [many]int, total int64) {
	t.Helper()
	for n := 0; !s.Settled(); n++ {
		require.Less(t, n, 8*warmUp, "never settles")
		w := s.NextWay()
		require.Equal(t, w, s.NextWay(), "asking changes nothing")
		ran[w]++
		took := cost(w, n)
		total += took
		s.Add(took)
	}
	return ran, total
}

// fixed returns a cost that depends only on the way.
func fixed(costs ...int64) func(w, n int) int64 { return func(w, _ int) int64 { return costs[w] } }

// begun returns a state of so many ways. Bit w of nt is set if way w uses non-temporal stores.
func begun(ways int, nt uint16) *State {
	s := new(State)
	s.Begin(ways, func(way int) bool { return nt>>way&1 != 0 }, Rounds, Turn)
	return s
}

func TestTheFastestWayWins(t *testing.T) {
	for best := range many {
		costs := slices.Repeat([]int64{20 * us}, many)
		costs[best] = 15 * us
		s := begun(many, 0)
		settle(t, s, fixed(costs...))
		assert.Equal(t, best, s.Best())
		assert.Equal(t, best, s.NextWay())
		took, known := s.Time(best)
		assert.True(t, known)
		assert.EqualValues(t, 15*us, took)
	}
}

// A turn of a single run counts. Such a way is out after two runs that take twice as long.
func TestTurnsOfOneRun(t *testing.T) {
	s := new(State)
	s.Begin(3, func(int) bool { return false }, RetryRounds, 1)
	ran, _ := settle(t, s, fixed(50*us, 40*us, 100*us))
	assert.Equal(t, 1, s.Best())
	assert.Equal(t, RetryRounds, ran[2])
	took, known := s.Time(1)
	assert.True(t, known)
	assert.EqualValues(t, 40*us, took)
}

func TestAWayMustBeFasterByAMargin(t *testing.T) {
	for _, c := range []struct {
		nt     uint16
		costs  [2]int64
		winner int
	}{
		{0, [2]int64{10000, 9720}, 0}, {0, [2]int64{10000, 9700}, 1},
		{2, [2]int64{10000, 9100}, 0}, {2, [2]int64{10000, 9070}, 1},
		{1, [2]int64{10000, 10380}, 1}, {1, [2]int64{10000, 10400}, 0}, // non-temporal stores come first by estimate
		{3, [2]int64{10000, 9720}, 0}, {3, [2]int64{10000, 9700}, 1},
	} {
		s := begun(2, c.nt)
		settle(t, s, fixed(c.costs[:]...))
		assert.Equal(t, c.winner, s.Best(), "%+v", c)
	}
}

func TestASingleWayHasNothingToLearn(t *testing.T) {
	s := begun(1, 0)
	assert.True(t, s.Settled())
	assert.Zero(t, s.NextWay())
	s.Add(us)
	assert.Zero(t, s.Told())
}

func TestTurnsAndRounds(t *testing.T) {
	s := begun(3, 0)
	var order []int
	for range 3 * 3 * Turn {
		order = append(order, s.NextWay())
		s.Add(10 * us)
	}
	for i, w := range order {
		assert.Equal(t, i/Turn%3, w, "run %d", i)
	}
	assert.True(t, s.Settled(), "equal ways need no more rounds")
	assert.Equal(t, 3*3*Turn, s.Told())

	s = begun(2, 0)
	ran, _ := settle(t, s, func(w, n int) int64 {
		if w == 1 && n/Turn == 1 {
			return 9400
		}
		return 10 * us
	})
	assert.Equal(t, [many]int{Rounds * Turn, Rounds * Turn}, ran, "the second way may be faster")
	assert.Zero(t, s.Best())

	s = begun(2, 0)
	ran, _ = settle(t, s, fixed(longRun, longRun))
	assert.Equal(t, [many]int{minRounds * ShortTurn, minRounds * ShortTurn}, ran, "turns of slow runs are short")
}

// Only the fastest run of a turn counts, apart from its first run.
func TestTheLeastOfATurnCounts(t *testing.T) {
	s := begun(2, 0)
	settle(t, s, func(w, _ int) int64 {
		if w == 1 && s.run != 2 {
			return 15 * us
		}
		return []int64{10 * us, 8 * us}[w]
	})
	assert.Equal(t, 1, s.Best())
}

// If runs take half, twice or three times as long in one turn of one way, this does not decide.
func TestPhasesDoNotDecide(t *testing.T) {
	for _, factor := range []int64{5, 20, 30} { // tenths
		for round := range Rounds {
			for hit := range 3 {
				for winner := range 3 {
					costs := []int64{10 * us, 10 * us, 10 * us}
					costs[winner] = 9 * us
					s := begun(3, 0)
					var turns [3]int
					last, lastRun := -1, 0
					settle(t, s, func(w, n int) int64 {
						if n > lastRun && w != last {
							turns[w]++
							last = w
						} else if n == 0 {
							turns[0]++
							last = 0
						}
						lastRun = n
						if w == hit && turns[w] == round+1 {
							return costs[w] * factor / 10
						}
						return costs[w]
					})
					assert.Equal(t, winner, s.Best(), "factor %d, way %d in round %d", factor, hit, round)
				}
			}
		}
	}
}

// A way that was fast in a turn does not drop out when something else makes its later runs slow.
func TestFastWaysAreNotDropped(t *testing.T) {
	for round := 1; round < Rounds; round++ {
		s := begun(2, 0)
		settle(t, s, func(w, n int) int64 {
			if w == 1 && n >= 2*Turn*round && n%Turn < 2 {
				return 90 * us
			}
			return []int64{10 * us, 8 * us}[w]
		})
		assert.Equal(t, 1, s.Best(), "slow from round %d on", round)
	}
}

// A way that is far behind drops out, and learning costs little.
func TestSlowWaysAreDropped(t *testing.T) {
	s := begun(4, 0)
	ran, total := settle(t, s, fixed(10*us, 50*us, 25*us, 13*us))
	assert.Equal(t, 0, s.Best())
	assert.Equal(t, 2, ran[1], "hopeless at once")
	assert.Equal(t, 4, ran[2], "far behind twice")
	assert.Equal(t, minRounds*Turn, ran[3], "never faster")
	all := int64(ran[0] + ran[1] + ran[2] + ran[3])
	assert.LessOrEqual(t, total, all*10*us*4/3)
}

// Learning takes at most its share of the time, not counting a turn that has not ended and the
// first way that is made. This holds whether the runs between turns are timed or not.
func TestLearningTakesAtMostItsShareOfTheTime(t *testing.T) {
	for _, c := range []struct {
		timed bool
		best  int64
	}{{true, 10 * us}, {false, 10 * us}, {true, us}, {false, us}} {
		timed, costs := c.timed, []int64{c.best, 39 * c.best / 10, 39 * c.best / 10, 39 * c.best / 10}
		s := begun(4, 0)
		var spent, total, rested int64
		var ran [4]bool
		for n := 0; !s.Settled(); n++ {
			if n%7 == 0 {
				s.Spend(c.best / 10)
				spent += c.best / 10
			}
			w := s.NextWay()
			if w != 0 && !ran[w] {
				s.Prepared(4 * us)
				spent += 4 * us
			}
			ran[w] = true
			spent += costs[w] - costs[0]
			total += costs[w]
			s.Add(costs[w])
			if !timed {
				rest := s.Rest()
				total += rest * costs[0]
				rested += rest
				assert.Zero(t, s.Rest())
			}
			assert.LessOrEqual(t, learningShare*spent, total+learningShare*(4*us+2*(costs[3]-costs[0])+c.best/10), "run %d", n)
		}
		assert.Equal(t, 0, s.Best())
		assert.Equal(t, timed, rested == 0)
		assert.Less(t, total, (learningShare+1)*spent, "it takes nearly its share")
	}
}

// Once a way was made, another one begins when making that too takes no more than learning's share
// of the time.
func TestWaysAreMadeInTime(t *testing.T) {
	s := begun(3, 0)
	runs, before := 0, 0
	for w := 0; w != 2; w = s.NextWay() {
		if w == 1 && before == 0 {
			s.Prepared(4 * us)
		}
		s.Add(us)
		runs++
		before = w
	}
	assert.EqualValues(t, learningShare*(4+4), runs)
}

func TestLearningIsShort(t *testing.T) {
	const ms = 1000 * us
	s := begun(3, 0)
	ran, _ := settle(t, s, fixed(100*ms, 130*ms, 90*ms))
	assert.Equal(t, 0, s.Best(), "the budget ends before the third way has had a turn")
	assert.Equal(t, [many]int{2, 2, 0}, ran)

	s = begun(2, 0)
	settle(t, s, fixed(100*ms, 90*ms))
	assert.Equal(t, 1, s.Best(), "a faster way costs nothing")
}

// The first turn ends even if learning has spent much before.
func TestTheFirstTurnEnds(t *testing.T) {
	s := begun(2, 0)
	s.Spend(1000 * us)
	for range warmUp/us + 2*Turn {
		s.Add(us)
		s.Spend(us)
		if s.Rest() > 0 {
			return
		}
	}
	t.Fatal("no rest")
}

// Runs that fail or are cut short begin the turn anew.
func TestRunsThatFailDoNotCount(t *testing.T) {
	s := begun(2, 0)
	for range 100 {
		require.Zero(t, s.NextWay())
		s.Drop()
	}
	s.Add(10 * us)
	s.Drop()
	s.Add(1 * us) // the first of the new turn
	_, known := s.Time(0)
	assert.False(t, known)
	settle(t, s, fixed(10*us, 8*us))
	assert.Equal(t, 1, s.Best())
}

func TestStopKeepsTheBestSoFar(t *testing.T) {
	s := begun(2, 0)
	s.Stop()
	assert.True(t, s.Settled())
	assert.Zero(t, s.Best())

	s = begun(2, 0)
	for range 2 * Turn {
		s.Add(fixed(10*us, 8*us)(s.NextWay(), 0))
	}
	s.Stop()
	assert.Equal(t, 1, s.Best())
	s.Add(1)
	assert.Equal(t, 2*Turn, s.Told())
}

// The widest vectors of some processors run at half of their speed for the first microseconds.
func TestTheFirstWayWarmsUp(t *testing.T) {
	s := begun(2, 0)
	ran, _ := settle(t, s, func(w, n int) int64 {
		switch {
		case w == 1:
			return 150
		case n < 40:
			return 200
		}
		return 100
	})
	assert.Zero(t, s.Best())
	assert.Equal(t, minRounds*Turn, ran[1])
	assert.EqualValues(t, 100, s.ways[0].times[minRounds-1], "its slowest turn")
}

// The runs that warm up the first way need not be timed, except for two.
func TestWarmingUpIsNotTimed(t *testing.T) {
	s := begun(2, 0)
	s.Add(2 * us)
	require.Zero(t, s.Rest(), "the first run is slow")
	s.Add(us / 5)
	assert.EqualValues(t, (warmUp-2*us-us/5)/(us/5)+1, s.Rest())
	assert.Zero(t, s.Rest())
	settle(t, s, fixed(us, us/2))
	assert.Equal(t, 1, s.Best())
}

func TestTimesOfZeroCountAsTheLeast(t *testing.T) {
	s := begun(2, 0)
	settle(t, s, fixed(0, 0))
	took, known := s.Time(0)
	assert.True(t, known)
	assert.EqualValues(t, 1, took)
}

// Rests lie between turns, so that the runs of a turn find the caches as its own way left them.
func TestTurnsAreNotInterrupted(t *testing.T) {
	s := begun(2, 0)
	var order []int
	for range 12 {
		order = append(order, s.NextWay())
		s.Add(fixed(10*us, 19*us)(s.NextWay(), 0))
	}
	assert.Equal(t, []int{0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0}, order)
}
