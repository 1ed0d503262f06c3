package slice1_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// budgets are one that is too short for a race, a short one, and one for every round.
var budgets = []time.Duration{1, 300 * time.Microsecond, time.Hour}

// checkMeasured runs d by a plan with opts and compares all of dst with b.want. b is what fill returned
// for d and misalign.
func checkMeasured(t *testing.T, d *slice1.Desc, misalign int, b buffers, opts ...slice1.Option) {
	t.Helper()
	p := newPlan(t, d, opts...)
	dst := append([]byte(nil), b.dst...)
	require.NoError(t, p.Run(dst[64+misalign:len(dst)-64], b.src))
	tested(t, p.Kernel())
	require.True(t, string(b.want) == string(dst), "%s\n%s", describe(d), p)
}

func TestMeasuredPlansOfRandomSlices(t *testing.T) {
	runs := 600
	if testing.Short() {
		runs = 60
	}
	rng := rand.New(rand.NewPCG(21, 21))
	for run := range runs {
		d := smallDesc(rng)
		opts := []slice1.Option{slice1.WithMeasure(budgets[run%3])}
		if k := usableKernels(); run%2 == 0 {
			opts = append(opts, slice1.WithKernel(k[rng.IntN(len(k))]))
		}
		misalign := rng.IntN(9)
		b := fill(d, misalign, rng)
		checkMeasured(t, d, misalign, b, opts...)
		checkMeasured(t, d, misalign, b, opts...) // by the remembered ranking, if there was a race
	}
}

func TestMeasuredPlansOfLargeSlices(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 22))
	turned := whole(slice1.Uint16, 400, 801)
	turned.Input.Strides = []int{1, 407}
	for _, d := range []*slice1.Desc{reversal(slice1.Float64, 600_000), row(slice1.Float64, 90_000, 3), turned} {
		misalign := rng.IntN(70)
		b := fill(d, misalign, rng)
		for _, kernel := range append(usableKernels(), "") {
			for _, from := range []int64{-1, 0, 1} {
				checkMeasured(t, d, misalign, b, slice1.WithMeasure(time.Hour), slice1.WithKernel(kernel), slice1.WithStreaming(from))
			}
		}
	}
}

// measured returns how many of a plan's candidates were measured. It requires that they come
// before the others, that both are ordered by cost, and that one candidate is chosen: the
// first one, if any was measured.
func measured(t *testing.T, p *slice1.Plan) (n int) {
	cs := p.Candidates()
	chosen := 0
	for i, c := range cs {
		assert.Positive(t, c.Cost, c.Name)
		if i > 0 && c.Measured == cs[i-1].Measured {
			assert.GreaterOrEqual(t, c.Cost, cs[i-1].Cost, c.Name)
		}
		if c.Measured {
			require.Equal(t, i, n)
			n++
		}
		if c.Chosen {
			chosen++
		}
	}
	require.Equal(t, 1, chosen)
	assert.True(t, n == 0 || cs[0].Chosen, "the fastest runs")
	return n
}

func TestMeasuredCandidatesHaveMeasuredCosts(t *testing.T) {
	d := reversal(slice1.Uint16, 3001)
	names := func(p *slice1.Plan) (names []string) {
		for _, c := range p.Candidates() {
			names = append(names, c.Name)
		}
		return names
	}
	for _, kernel := range usableKernels() {
		estimated := newPlan(t, d, slice1.WithKernel(kernel))
		assert.Zero(t, measured(t, estimated))
		raced := newPlan(t, d, slice1.WithKernel(kernel), slice1.WithMeasure(time.Hour))
		want := min(4, len(estimated.Candidates()))
		if want == 1 {
			want = 0 // nobody to race
		}
		assert.Equal(t, want, measured(t, raced), kernel)
		assert.ElementsMatch(t, names(estimated), names(raced))
		assert.Equal(t, kernel, raced.Kernel())
		again := newPlan(t, d, slice1.WithKernel(kernel), slice1.WithMeasure(1))
		assert.Equal(t, raced.Candidates(), again.Candidates(), "remembered")
	}
}

func TestWhatIsNotMeasured(t *testing.T) {
	d := reversal(slice1.Uint16, 3002)
	for _, budget := range []time.Duration{0, -time.Second} {
		assert.Zero(t, measured(t, newPlan(t, d, slice1.WithMeasure(budget))))
	}
	assert.Zero(t, measured(t, newPlan(t, d, slice1.WithKernel("go"), slice1.WithMeasure(time.Hour))), "one candidate")
	for _, name := range candidates(t, d) {
		p := newPlan(t, d, slice1.WithMeasure(time.Hour), slice1.WithCandidate(name))
		for _, c := range p.Candidates() {
			assert.Equal(t, c.Name == name, c.Chosen)
			assert.False(t, c.Measured)
		}
	}
	_, err := slice1.NewPlan(d, slice1.WithMeasure(time.Hour), slice1.WithCandidate("none"))
	require.ErrorIs(t, err, slice1.ErrKernel)
	_, err = slice1.NewPlan(d, slice1.WithMeasure(time.Hour), slice1.WithKernel("none"))
	require.ErrorIs(t, err, slice1.ErrKernel)
}

func TestMeasuredPlansStoreAsTheyWouldOtherwise(t *testing.T) {
	d := reversal(slice1.Uint8, 1<<20)
	chosen := func(opts ...slice1.Option) string {
		for _, c := range newPlan(t, d, opts...).Candidates() {
			if c.Chosen {
				return c.Name
			}
		}
		return ""
	}
	for _, from := range []int64{-1, 0, 1} {
		before := chosen(slice1.WithStreaming(from))
		after := chosen(slice1.WithStreaming(from), slice1.WithMeasure(time.Hour))
		assert.Equal(t, strings.HasSuffix(before, " nt"), strings.HasSuffix(after, " nt"), "%s, %s", before, after)
	}
}

func TestMeasuredCopies(t *testing.T) {
	d := reversal(slice1.Uint8, 1001)
	src, dst, want := randomBytes(1001), make([]byte, 1001), make([]byte, 1001)
	for i := range want {
		want[i] = src[1000-i]
	}
	for range 2 {
		clear(dst)
		require.NoError(t, slice1.Copy(dst, src, d, slice1.WithMeasure(time.Hour)))
		assert.Equal(t, want, dst)
	}
	require.ErrorIs(t, slice1.Copy(make([]uint16, 501), make([]uint16, 501), d, slice1.WithMeasure(time.Hour)), slice1.ErrDataType)
}

// Goroutines make plans of the same shapes and of others at once, all with WithMeasure, and run
// them.
func TestMeasuringFromManyGoroutines(t *testing.T) {
	src := randomBytes(50_000)
	together(8, func(g int) {
		for i := range 12 {
			n := 20_000 + i + g%2*100
			dst := make([]byte, n)
			p, err := slice1.NewPlan(reversal(slice1.Uint8, n), slice1.WithKernel(usableKernels()[len(usableKernels())-1]), slice1.WithMeasure(budgets[i%3]))
			if !assert.NoError(t, err) || !assert.NoError(t, p.Run(dst, src[:n])) {
				return
			}
			for k := range dst {
				if dst[k] != src[n-1-k] {
					t.Errorf("byte %d of %d is wrong", k, n)
					return
				}
			}
			p.Candidates()
		}
	})
}
