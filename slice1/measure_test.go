package slice1_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// budgets are one that is too short for a run, a short one, and one in which every slice settles.
var budgets = []time.Duration{1, 300 * time.Microsecond, time.Hour}

// checkMeasured runs d by a plan with opts and compares all of dst with b.want. b is what fill
// returned for d and misalign.
func checkMeasured(t *testing.T, d *slice1.Desc, misalign int, b buffers, opts ...slice1.Option) {
	t.Helper()
	p := newPlan(t, d, opts...)
	dst := append([]byte(nil), b.dst...)
	require.NoError(t, p.Run(dst[64+misalign:len(dst)-64], b.src))
	tested(t, p.Kernel())
	require.True(t, string(b.want) == string(dst), "%s\n%s", describe(d), p)
}

func TestMeasuredPlansOfRandomSlices(t *testing.T) {
	runs := 300
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
		checkMeasured(t, d, misalign, b, opts...)
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

// Candidates that were measured come before the others, both groups are ordered by cost, and one
// candidate is chosen.
func TestMeasuredCandidatesComeFirst(t *testing.T) {
	d := reversal(slice1.Uint16, 300_001)
	for _, kernel := range usableKernels() {
		p := newPlan(t, d, slice1.WithKernel(kernel), slice1.WithMeasure(time.Hour))
		chosen, measured := 0, 0
		cs := p.Candidates()
		for i, c := range cs {
			assert.Positive(t, c.Cost, c.Name)
			if i > 0 && c.Measured == cs[i-1].Measured {
				assert.GreaterOrEqual(t, c.Cost, cs[i-1].Cost, c.Name)
			}
			if c.Measured {
				require.Equal(t, i, measured)
				measured++
			}
			if c.Chosen {
				chosen++
			}
		}
		assert.Equal(t, 1, chosen)
		assert.LessOrEqual(t, measured, 4)
		if measured > 0 {
			assert.Contains(t, p.String(), "\ntried "+cs[0].Name+" ")
		}
	}
}

func TestMeasuredCopies(t *testing.T) {
	d := reversal(slice1.Uint8, 100_001)
	src, dst, want := randomBytes(100_001), make([]byte, 100_001), make([]byte, 100_001)
	for i := range want {
		want[i] = src[100_000-i]
	}
	for range 2 {
		clear(dst)
		require.NoError(t, slice1.Copy(dst, src, d, slice1.WithMeasure(time.Hour)))
		assert.Equal(t, want, dst)
	}
	require.ErrorIs(t, slice1.Copy(make([]uint16, 501), make([]uint16, 501), reversal(slice1.Uint8, 1001), slice1.WithMeasure(time.Hour)), slice1.ErrDataType)
}

// A plan that does not learn has nothing to measure.
func TestMeasureAgreesWithOtherOptions(t *testing.T) {
	d := reversal(slice1.Uint8, 1001)
	for name, o := range map[string]slice1.Option{"WithLearning(false)": slice1.WithLearning(false), "WithCandidate": slice1.WithCandidate("go")} {
		p, err := slice1.NewPlan(d, slice1.WithMeasure(time.Hour), o)
		require.Nil(t, p)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		require.EqualError(t, err, "slice1: WithMeasure with "+name+" would measure nothing")
		dst := make([]uint8, 1001)
		require.Equal(t, err, slice1.Copy(dst, make([]uint8, 1001), d, o, slice1.WithMeasure(1)))
		newPlan(t, d, slice1.WithMeasure(0), o)
	}
	newPlan(t, d, slice1.WithMeasure(1), slice1.WithLearning(true), slice1.WithCandidate(""))
}

// Goroutines make plans of the same shapes and of others at once, all with WithMeasure, and run
// them.
func TestMeasuringFromManyGoroutines(t *testing.T) {
	src := randomBytes(90_000)
	together(8, func(g int) {
		for i := range 12 {
			n := 80_000 + i + g%2*100
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
