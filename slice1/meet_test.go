package slice1_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/oracle"
)

// cropOf returns a slice of the given size from a frame with these memory strides into a frame
// with the same strides. steps are the window's strides.
func cropOf(t slice1.DataType, strides, size, steps []int) *slice1.Desc {
	d := slice1.NewDesc(t, size, slice1.Window{Offsets: make([]int, len(size)), Sizes: size, Strides: steps, Out: size})
	d.Input.Strides, d.Output.Strides = strides, strides
	return d
}

// Every kernel slices within one frame, from one place to another, where no byte is both read
// and written.
func TestFramesAreSlicedInPlaceWhereNoByteIsShared(t *testing.T) {
	for name, c := range map[string]struct {
		desc     *slice1.Desc
		dst, src int // bytes into the frame
	}{
		"left half onto right half":      {cropOf(slice1.Uint32, []int{64, 1}, []int{48, 32}, []int{1, 1}), 128, 0},
		"mirrored onto the right half":   {cropOf(slice1.Uint32, []int{64, 1}, []int{48, 32}, []int{1, -1}), 128, 0},
		"right half onto left half":      {cropOf(slice1.Uint32, []int{64, 1}, []int{48, 32}, []int{-1, 1}), 0, 128},
		"channel 0 into channel 3":       {cropOf(slice1.Uint8, []int{256, 4}, []int{48, 64}, []int{1, 1}), 3, 0},
		"channel 3, reversed, into 0":    {cropOf(slice1.Uint8, []int{256, 4}, []int{48, 64}, []int{-1, -1}), 0, 3},
		"even rows onto odd rows":        {cropOf(slice1.Uint16, []int{256, 1}, []int{24, 128}, []int{1, -1}), 256, 0},
		"two channels into two":          {cropOf(slice1.Uint8, []int{256, 4, 1}, []int{48, 64, 2}, []int{1, 1, -1}), 2, 0},
		"one element onto its neighbour": {cropOf(slice1.Uint8, []int{1}, []int{1}, []int{1}), 1, 0},
	} {
		for _, kernel := range append(usableKernels(), "") {
			frame := randomBytes(64 * 48 * 4)
			want := bytes.Clone(frame)
			oracle.Slice(c.desc, want[c.dst:], bytes.Clone(frame)[c.src:])
			p := newPlan(t, c.desc, slice1.WithKernel(kernel))
			for run, f := range map[string]func(dst, src []byte) error{
				"Run":        p.Run,
				"RunAt":      func(dst, src []byte) error { return p.RunAt(dst, src, make([]int, len(c.desc.WindowOffsets))...) },
				"RunContext": func(dst, src []byte) error { return p.RunContext(context.Background(), dst, src) },
				"Copy":       func(dst, src []byte) error { return slice1.CopyBytes(dst, src, c.desc, slice1.WithKernel(kernel)) },
			} {
				got := bytes.Clone(frame)
				require.NoError(t, f(got[c.dst:], got[c.src:]), "%s by %s, %s", name, kernel, run)
				require.Equal(t, want, got, "%s by %s, %s", name, kernel, run)
			}
			tested(t, p.Kernel())
		}
	}
}

// Random slices of one buffer into itself. A run gives the formula's result, or is refused and
// writes nothing. In all but 2 % of the refusals a byte would be both read and written; in the
// others the search gave up.
func TestSlicesOfABufferIntoItself(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 1))
	ran, refused, undecided := 0, 0, 0
	kernels := append(usableKernels(), "")
	for range 4000 {
		d := randomDesc(rng)
		in, _ := d.Input.MinSize()
		out, _ := d.Output.MinSize()
		if in > 4000 || out > 4000 {
			continue
		}
		memory := randomBytes(int(in+out) + 40)
		src := rng.IntN(len(memory) - int(in))
		dst := rng.IntN(len(memory) - int(out))
		want := bytes.Clone(memory)
		oracle.Slice(d, want[dst:], bytes.Clone(memory)[src:])
		got := bytes.Clone(memory)
		p := newPlan(t, d, slice1.WithKernel(kernels[rng.IntN(len(kernels))]))
		err := p.Run(got[dst:], got[src:])
		if err == nil {
			require.Equal(t, want, got, describe(d))
			tested(t, p.Kernel())
			ran++
			continue
		}
		require.ErrorIs(t, err, slice1.ErrOverlap)
		require.Equal(t, memory, got, "nothing is written")
		refused++
		if !touch(d, dst, src) {
			undecided++
		}
	}
	assert.Greater(t, ran, 300)
	assert.Greater(t, refused, 300)
	assert.Less(t, undecided, refused/50)
}

// touch reports whether a byte is both read and written, if d's input begins at src and its
// output at dst of one buffer.
func touch(d *slice1.Desc, dst, src int) bool {
	in, _ := d.Input.MinSize()
	out, _ := d.Output.MinSize()
	read := map[int]bool{}
	// The oracle copies the indices of the input's bytes, one bit of them at a time. So from[i]
	// becomes the index of the byte that goes to byte i of the output.
	from, places := make([]int, out), make([]byte, out)
	taken := make([]bool, out)
	for bit := range 12 {
		values := make([]byte, in)
		for i := range values {
			values[i] = byte(1 + i>>bit&1)
		}
		clear(places)
		oracle.Slice(d, places, values)
		for i, v := range places {
			if v > 0 {
				taken[i] = true
				from[i] |= int(v-1) << bit
			}
		}
	}
	for i := range taken {
		if taken[i] {
			read[src+from[i]] = true
		}
	}
	for i := range taken {
		if taken[i] && read[dst+i] {
			return true
		}
	}
	return false
}

// Parts of a slice within one frame run on several goroutines; under the race detector on one.
func TestLargeFramesAreSlicedInPlace(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const w, h = 1600, 1400 // half of it is more than plan.ParallelBytes
	d := cropOf(slice1.Uint32, []int{w, 1}, []int{h, w / 2}, []int{-1, -1})
	frame := randomBytes(w * h * 4)
	want := bytes.Clone(frame)
	require.NoError(t, slice1.CopyBytes(want[w/2*4:], bytes.Clone(frame), d, slice1.WithParallelism(1)))
	for _, kernel := range append(usableKernels(), "") {
		got, p := bytes.Clone(frame), newPlan(t, d, slice1.WithKernel(kernel))
		require.Contains(t, p.String(), fmt.Sprint(" on ", runtime.GOMAXPROCS(0), " goroutine")) // 1 on wasm
		require.NoError(t, p.Run(got[w/2*4:], got))
		require.True(t, bytes.Equal(want, got), kernel)
		tested(t, p.Kernel())
	}
	got := bytes.Clone(frame)
	require.NoError(t, slice1.CopyBytes(got[w/2*4:], got, d))
	require.True(t, bytes.Equal(want, got))
}

func TestElementsAmongEachOther(t *testing.T) {
	frame := make([]byte, 64)
	err := slice1.Copy(frame[1:], frame, cropOf(slice1.Uint8, []int{16, 3}, []int{4, 5}, []int{1, 1}))
	require.NoError(t, err, "gaps of three, one byte on")
	err = slice1.Copy(frame[3:], frame, cropOf(slice1.Uint8, []int{16, 3}, []int{4, 4}, []int{1, 1}))
	requireDescError(t, err, fault{"", nil, "dst", -1, 55, 0, slice1.ErrOverlap})
}
