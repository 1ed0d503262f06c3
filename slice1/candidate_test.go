package slice1_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// candidates returns the names of d's candidates of every usable kernel. It requires that
// exactly one is chosen for each kernel.
func candidates(t testing.TB, d *slice1.Desc) (names []string) {
	for _, kernel := range usableKernels() {
		for _, from := range []int64{-1, 1} { // ordinary stores, and non-temporal ones
			chosen := 0
			for _, c := range newPlan(t, d, slice1.WithKernel(kernel), slice1.WithStreaming(from)).Candidates() {
				if !slices.Contains(names, c.Name) {
					names = append(names, c.Name)
				}
				if c.Chosen {
					chosen++
				}
			}
			if chosen != 1 {
				t.Helper()
				t.Fatalf("%d candidates of %s are chosen: %s", chosen, kernel, describe(d))
			}
		}
	}
	return names
}

// checkCandidates runs d by every candidate and compares all of dst with the oracle's.
func checkCandidates(t testing.TB, d *slice1.Desc, misalign int, rng *rand.Rand) {
	b := fill(d, misalign, rng)
	for _, name := range candidates(t, d) {
		p := newPlan(t, d, slice1.WithCandidate(name))
		dst := append([]byte(nil), b.dst...)
		require.NoError(t, p.Run(dst[64+misalign:len(dst)-64], b.src))
		tested(t, p.Kernel())
		if string(dst) != string(b.want) {
			t.Fatalf("%s: wrong bytes: %s\n%s", name, describe(d), p)
		}
	}
}

func TestEveryCandidateOnRandomDescriptors(t *testing.T) {
	runs := 2000
	if testing.Short() {
		runs = 300
	}
	rng := rand.New(rand.NewPCG(7, 7))
	for range runs {
		d := smallDesc(rng)
		checkCandidates(t, d, rng.IntN(9), rng)
	}
}

// Plans of several parts run by every candidate, those with non-temporal stores among them.
func TestEveryCandidateOfLargeSlices(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(8, 8))
	for size, dtype := range widths {
		n := 700_000 / size
		for _, stride := range []int{1, -1, 2, 3, -4, 40} {
			window := 1 + (n-1)*max(stride, -stride)
			checkCandidates(t, slice1.NewDesc(dtype, []int{window}, slice1.Window{Offsets: []int{0}, Sizes: []int{window}, Strides: []int{stride}, Out: []int{n}}), rng.IntN(70), rng)
		}
		turned := whole(dtype, 900/size, 801)
		turned.Input.Strides = []int{1, 900/size + 3}
		checkCandidates(t, turned, rng.IntN(70), rng)
		padded := whole(dtype, 900, 801/size)
		padded.Output.Strides = []int{1000 / size, 1}
		checkCandidates(t, padded, rng.IntN(70), rng)
	}
}

// Slices that run block by block do so by every candidate, in parts of every sort.
func TestEveryCandidateInBlocks(t *testing.T) {
	defer func(large, block int64) { plan.LargeBytes, plan.BlockBytes = large, block }(plan.LargeBytes, plan.BlockBytes)
	plan.LargeBytes, plan.BlockBytes = 900_000, 450_000
	rng := rand.New(rand.NewPCG(9, 9))
	for size, dtype := range widths {
		turned := whole(dtype, 1100/size, 1001)
		turned.Input.Strides = []int{1, 1100/size + 3}
		checkCandidates(t, turned, rng.IntN(70), rng)
		crossed := whole(dtype, 64/size, 31, 33, 17)
		crossed.Input.Strides = []int{31 * 17, 17, 64 / size * 31 * 17, 1}
		checkCandidates(t, crossed, rng.IntN(70), rng)
		for _, kernel := range usableKernels() {
			assert.Contains(t, candidates(t, crossed), kernel+" packed in blocks")
			for _, other := range usableKernels() {
				_, err := slice1.NewPlan(crossed, slice1.WithKernel(kernel), slice1.WithCandidate(other+" packed in blocks"))
				if kernel == other {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, slice1.ErrKernel, "the kernel that is named has no candidate of another")
				}
			}
		}
	}
}

func TestCandidatesAreTheCheapestFirst(t *testing.T) {
	cs := newPlan(t, reversal(slice1.Uint8, 4000)).Candidates()
	require.NotEmpty(t, cs)
	for i, c := range cs {
		assert.Positive(t, c.Cost, c.Name)
		if i > 0 {
			assert.GreaterOrEqual(t, c.Cost, cs[i-1].Cost, c.Name)
		}
	}
}

func TestCandidateThatIsAskedForIsTheOneThatRuns(t *testing.T) {
	d := reversal(slice1.Uint16, 3000)
	for _, name := range candidates(t, d) {
		for _, c := range newPlan(t, d, slice1.WithCandidate(name)).Candidates() {
			assert.Equal(t, c.Name == name, c.Chosen, c.Name)
		}
	}
}

func TestUnknownCandidateIsAnError(t *testing.T) {
	d := reversal(slice1.Uint16, 3000)
	for _, name := range []string{"mmx", "go tile", "avx2 copy", "avx2 shuffle nt"} {
		_, err := slice1.NewPlan(d, slice1.WithCandidate(name))
		require.ErrorIs(t, err, slice1.ErrKernel)
		assert.ErrorContains(t, err, name)
	}
	_, err := slice1.NewPlan(d, slice1.WithKernel("go"), slice1.WithCandidate("avx2 shuffle"))
	require.ErrorIs(t, err, slice1.ErrKernel, "the kernel that is named has no such candidate")
}

func TestCopyByACandidate(t *testing.T) {
	d := reversal(slice1.Uint8, 1000)
	src, dst, want := randomBytes(1000), make([]byte, 1000), make([]byte, 1000)
	for i := range want {
		want[i] = src[999-i]
	}
	for _, name := range candidates(t, d) {
		clear(dst)
		require.NoError(t, slice1.Copy(dst, src, d, slice1.WithCandidate(name)))
		assert.Equal(t, want, dst, name)
	}
	require.ErrorIs(t, slice1.Copy(dst, src, d, slice1.WithCandidate("none")), slice1.ErrKernel)
	require.ErrorIs(t, slice1.Copy(make([]uint16, 500), make([]uint16, 500), d, slice1.WithCandidate("go")), slice1.ErrDataType)
}

// asking is a context that is never done. Each look at it, from within a run, calls ask.
type asking struct {
	context.Context
	ask func()
}

func (a asking) Err() error {
	a.ask()
	return nil
}

// A plan describes itself from within each of its runs, those that are timed among them.
func TestPlansDescribeThemselvesWithinRuns(t *testing.T) {
	defer func(large, block int64) { plan.LargeBytes, plan.BlockBytes = large, block }(plan.LargeBytes, plan.BlockBytes)
	plan.LargeBytes, plan.BlockBytes = 900_000, 450_000
	turned, err := whole(slice1.Uint32, 601, 503).Permute(1, 0)
	require.NoError(t, err)
	for _, d := range []*slice1.Desc{reversal(slice1.Uint8, 60_000), turned} {
		in, _ := d.Input.MinSize()
		src, dst := randomBytes(int(in)), make([]byte, in)
		for _, kernel := range append(usableKernels(), "") {
			p := newPlan(t, d, slice1.WithKernel(kernel), slice1.WithParallelism(1))
			asked := 0
			for range 40 {
				require.NoError(t, p.RunContext(asking{context.Background(), func() {
					asked++
					require.Contains(t, p.String(), "kernel "+p.Kernel()+", ")
					if p.LastKernel(); asked < 20 {
						chosen := 0
						for _, c := range p.Candidates() {
							if c.Chosen {
								chosen++
							}
						}
						require.Equal(t, 1, chosen)
					}
				}}, dst, src))
			}
			require.GreaterOrEqual(t, asked, 80)
			require.NotEmpty(t, p.LastKernel())
		}
	}
}

// A plan that is asked for a candidate runs by it again and again, whether the candidate has one
// part or several. Every fifth slice is a permutation of about as many bytes as one part may have:
// there the usual rule and the other ways to cut make different numbers of parts.
func TestEveryCandidateRunsFiveTimes(t *testing.T) {
	t.Parallel()
	descs := 500
	if testing.Short() {
		descs = 60
	}
	rng := rand.New(rand.NewPCG(76, 3))
	check := func(d *slice1.Desc) {
		const misalign = 3
		b := fill(d, misalign, rng)
		for _, name := range candidates(t, d) {
			p, dst := newPlan(t, d, slice1.WithCandidate(name)), slices.Clone(b.dst)
			for run := range 5 {
				copy(dst, b.dst)
				require.NoError(t, p.Run(dst[64+misalign:len(dst)-64], b.src))
				require.True(t, string(dst) == string(b.want), "run %d by %s: %s", run, name, describe(d))
			}
		}
	}
	check(permutedPart(slice1.Uint8, 94, 4237))
	for i := range descs {
		if i%5 > 0 {
			check(smallDesc(rng))
			continue
		}
		dtype := []slice1.DataType{slice1.Uint8, slice1.Uint8, slice1.Float16, slice1.Int32, slice1.Float64}[rng.IntN(5)]
		elements := (360<<10 + rng.IntN(80<<10)) / dtype.Size()
		columns := 2 + rng.IntN(400)
		check(permutedPart(dtype, columns, elements/columns))
	}
}

// permutedPart returns a matrix that is stored by columns, as a slice to one that is stored by
// rows.
func permutedPart(dtype slice1.DataType, rows, columns int) *slice1.Desc {
	d := whole(dtype, rows, columns)
	d.Input.Strides = []int{1, rows}
	return d
}
