package slice1_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/oracle"
)

func elements(t slice1.TensorDesc) int {
	product := 1
	for _, n := range t.Sizes {
		product *= n
	}
	return product
}

// split returns the shards of d. It requires that d stays unchanged, and that there are min(n,
// output elements) shards, each valid, with d's input, and smaller than two equal shares.
func split(t *testing.T, d *slice1.Desc, n int) []slice1.Shard {
	t.Helper()
	before := describe(d)
	shards, err := d.Split(n)
	require.NoError(t, err, before)
	require.Equal(t, before, describe(d))
	n = min(n, elements(d.Output))
	require.Len(t, shards, n, before)
	share := (elements(d.Output) + n - 1) / n
	for _, s := range shards {
		require.NoError(t, s.Desc.Validate(), before)
		require.Less(t, elements(s.Desc.Output), 2*share, "%d shards of %s", n, before)
		require.Equal(t, d.Input, s.Desc.Input)
	}
	return shards
}

func TestShardsWriteEachOutputElementOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	runs := 4000
	if testing.Short() {
		runs = 800
	}
	for range runs {
		d := smallDesc(rng)
		b := fill(d, 0, rng)
		size, err := d.Output.MinSize()
		require.NoError(t, err)
		ones := bytes.Repeat([]byte{1}, len(b.src))
		want, got := make([]byte, size), make([]byte, size)
		oracle.Slice(d, want, ones) // 1 in elements, 0 in gaps
		whole := bytes.Clone(b.dst[:size])
		for _, s := range split(t, d, 1+rng.IntN(20)) {
			once := make([]byte, size)
			oracle.Slice(s.Desc, once[s.Offset:], ones)
			for i, v := range once {
				got[i] += v
			}
			require.NoError(t, newPlan(t, s.Desc).Run(whole[s.Offset:], b.src))
		}
		require.Equal(t, want, got, describe(d))
		same := bytes.Clone(b.dst[:size])
		oracle.Slice(d, same, b.src)
		require.Equal(t, same, whole, describe(d))
	}
}

// If a feature level accepts a descriptor, it accepts its shards.
func TestShardsAreValidForTheLevelsOfTheWhole(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 2))
	levels := []slice1.FeatureLevel{slice1.FeatureLevel2_1, slice1.FeatureLevel3_0, slice1.FeatureLevel4_1, slice1.FeatureLevel6_4}
	valid := map[slice1.FeatureLevel]int{}
	runs := 5000
	if testing.Short() {
		runs = 1000
	}
	for range runs {
		d := randomDesc(rng)
		for _, tensor := range []*slice1.TensorDesc{&d.Input, &d.Output} {
			size, err := tensor.MinSize()
			require.NoError(t, err)
			tensor.TotalSize = []int64{0, (size + 3) &^ 3, size + 64}[rng.IntN(3)]
			tensor.BaseAlign = []int{0, 16, 64}[rng.IntN(3)]
		}
		shards := split(t, d, 1+rng.IntN(9))
		for _, level := range levels {
			if d.ValidateFor(level) != nil {
				continue
			}
			valid[level]++
			for _, s := range shards {
				require.NoError(t, s.Desc.ValidateFor(level), describe(s.Desc))
				require.Zero(t, s.Offset%int64(max(1, s.Desc.Output.BaseAlign)))
			}
		}
	}
	for _, level := range levels {
		assert.Greater(t, valid[level], runs/10, "level %#x", uint32(level))
	}
}

func TestLongAxesAreCutAlone(t *testing.T) {
	d := slice1.NewDesc(slice1.Uint16, []int{1080, 1920, 3}, slice1.Window{
		Offsets: []int{0, 0, 0}, Sizes: []int{1080, 1920, 3}, Strides: []int{-1, 2, -1}, Out: []int{1080, 960, 3},
	})
	for n := 2; n <= 1080/8; n++ {
		rows := map[int]int{}
		next := int64(0)
		for _, s := range split(t, d, n) {
			require.Equal(t, next, s.Offset, "%d shards", n)
			require.Equal(t, []int{960, 3}, s.Desc.Output.Sizes[1:])
			rows[s.Desc.Output.Sizes[0]]++
			next += 2 * int64(elements(s.Desc.Output))
		}
		require.Equal(t, int64(2*1080*960*3), next)
		if 1080%n == 0 {
			require.Equal(t, map[int]int{1080 / n: n}, rows)
		} else {
			require.Equal(t, map[int]int{1080 / n: n - 1080%n, 1080/n + 1: 1080 % n}, rows)
		}
	}
}

// The outermost axis of the output's memory is cut, wherever it stands in the list.
func TestFortranOutputsAreCutAlongTheirLastAxis(t *testing.T) {
	d := whole(slice1.Uint8, 100, 200)
	d.Output.Strides = []int{1, 100}
	shards := split(t, d, 4)
	for i, s := range shards {
		require.Equal(t, []int{100, 50}, s.Desc.Output.Sizes)
		require.Equal(t, int64(i*5000), s.Offset)
	}
}

func TestShardsOfShortAxes(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		n     int
		most  int // elements of the largest shard
	}{
		{[]int{1}, 5, 1},
		{[]int{3, 1000}, 4, 750},
		{[]int{8, 8, 8}, 512, 1},
		{[]int{8, 8, 8}, 64, 8},
		{[]int{2, 3, 11, 5}, 33, 12},
		{[]int{3, 3}, 2, 6},
	} {
		t.Run(fmt.Sprint(c.sizes, c.n), func(t *testing.T) {
			var counts []int
			for _, s := range split(t, whole(slice1.Int8, c.sizes...), c.n) {
				counts = append(counts, elements(s.Desc.Output))
			}
			assert.Equal(t, c.most, slices.Max(counts))
		})
	}
}

func TestOneShardIsTheWhole(t *testing.T) {
	d := valid()
	shards := split(t, d, 1)
	want := valid() // with the smallest windows
	want.WindowOffsets = []int{0, 1, 0, 2}
	want.WindowSizes = []int{2, 2, 4, 3}
	assert.Equal(t, []slice1.Shard{{Desc: want}}, shards)
}

func TestStridesNeverTakenDoNotReachShards(t *testing.T) {
	d := slice1.NewDesc(slice1.Uint8, []int{4}, slice1.Window{Offsets: []int{1}, Sizes: []int{2}, Strides: []int{math.MinInt}, Out: []int{1}})
	s := split(t, d, 3)[0].Desc
	assert.Equal(t, [][]int{{2}, {1}, {1}}, [][]int{s.WindowOffsets, s.WindowSizes, s.WindowStrides})
}

func TestShardsRunAtOnce(t *testing.T) {
	d := whole(slice1.Float32, 70, 30, 50)
	d.WindowStrides = []int{-1, -1, 1}
	src := make([]byte, 4*70*30*50)
	for i := range src {
		src[i] = byte(i * 7)
	}
	want, got := make([]byte, len(src)), make([]byte, len(src))
	oracle.Slice(d, want, src)
	shards := split(t, d, 13)
	together(len(shards), func(i int) {
		p, err := slice1.NewPlan(shards[i].Desc)
		assert.NoError(t, err)
		assert.NoError(t, p.Run(got[shards[i].Offset:], src))
	})
	require.True(t, bytes.Equal(want, got))
}

func TestSplitRefuses(t *testing.T) {
	for _, f := range faults {
		d := valid()
		f.breakIt(d)
		shards, err := d.Split(2)
		requireDescError(t, err, f)
		require.Nil(t, shards)
	}
	_, err := (*slice1.Desc)(nil).Split(2)
	require.ErrorIs(t, err, slice1.ErrRank)
	for _, n := range []int{0, -1, math.MinInt} {
		_, err := valid().Split(n)
		requireDescError(t, err, fault{"", nil, "n", -1, int64(n), 1, slice1.ErrSize})
	}
}

func TestShardsShareNoMemory(t *testing.T) {
	d := valid()
	shards := split(t, d, 2)
	other := describe(shards[1].Desc)
	s := shards[0].Desc
	for _, ints := range [][]int{s.Input.Sizes, s.Input.Strides, s.Output.Sizes, s.Output.Strides, s.WindowOffsets, s.WindowSizes, s.WindowStrides} {
		for i := range ints {
			ints[i] = -99
		}
	}
	assert.Equal(t, valid(), d)
	assert.Equal(t, other, describe(shards[1].Desc))
}

// Shards run on bytes and on elements of every width, in the way that the documentation of Shard
// describes.
func TestShardsRunOnBytesAndOnElements(t *testing.T) {
	runShards[uint8](t)
	runShards[int16](t)
	runShards[float32](t)
	runShards[complex64](t)
}

func runShards[T slice1.Element](t *testing.T) {
	d := whole(slice1.DataTypeOf[T](), 6, 5)
	d.WindowStrides, d.Output.Strides = []int{-1, 1}, []int{7, 1}
	src := make([]T, 30)
	memory := func(s []T) []byte {
		return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
	}
	copy(memory(src), randomBytes(len(memory(src))))
	want, got, gotBytes := make([]T, 40), make([]T, 40), make([]byte, 40*unsafe.Sizeof(src[0]))
	require.NoError(t, slice1.Copy(want, src, d))
	shards, err := d.Split(4)
	require.NoError(t, err)
	for _, s := range shards {
		require.NoError(t, slice1.CopyBytes(gotBytes[s.Offset:], memory(src), s.Desc))
		require.NoError(t, slice1.Copy(got[s.Offset/int64(unsafe.Sizeof(got[0])):], src, s.Desc))
	}
	require.Equal(t, memory(want), memory(got))
	require.Equal(t, memory(want), gotBytes)
}
