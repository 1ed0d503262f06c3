package slice1_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// supply turns the bytes of a fuzzer into numbers. After the last byte it supplies zeros.
type supply []byte

func (s *supply) byte() byte {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return b
}

// extremes are numbers at or beside which the arithmetic of descriptors and of machines
// overflows, and 0 and -1.
var extremes = []int64{
	0, -1, math.MinInt64, math.MaxInt64, math.MinInt64 + 1, math.MaxInt64 / 2, math.MaxInt64/8 + 1,
	math.MaxInt32, math.MaxInt32 + 1, math.MinInt32, math.MaxUint32, math.MaxUint32 + 1, 3037000500,
}

// int64 returns a number from -32 to 191 if the next byte is below 0xE0, one of extremes if
// it is below 0xF0, and else the eight bytes that follow.
func (s *supply) int64() int64 {
	switch b := s.byte(); {
	case b < 0xC0:
		return int64(b)
	case b < 0xE0:
		return int64(b) - 0xE0
	case b < 0xF0:
		return extremes[int(s.byte())%len(extremes)]
	default:
		var raw [8]byte
		for i := range raw {
			raw[i] = s.byte()
		}
		return int64(binary.LittleEndian.Uint64(raw[:]))
	}
}

func (s *supply) int64s(n int) (list []int64) {
	for range n {
		list = append(list, s.int64())
	}
	return list
}

func (s *supply) ints(n int) (list []int) {
	for _, x := range s.int64s(n) {
		list = append(list, int(x))
	}
	return list
}

func (s *supply) tensor(dtype slice1.DataType, rank int, flags byte) slice1.TensorDesc {
	t := slice1.TensorDesc{DataType: dtype, Sizes: s.ints(rank)}
	if flags&1 != 0 {
		t.Strides = s.ints(rank)
	}
	if flags&2 != 0 {
		t.TotalSize, t.BaseAlign = s.int64(), int(s.int64())
	}
	return t
}

// desc returns a descriptor whose fields may have any value, sometimes with unequal ranks
// or types.
func (s *supply) desc() *slice1.Desc {
	flags, rank, dtype := s.byte(), int(s.byte()%10), slice1.DataType(s.byte()%13)
	d := &slice1.Desc{Input: s.tensor(dtype, rank, flags)}
	if flags&0x20 != 0 {
		dtype++
	}
	d.Output = s.tensor(dtype, rank+int(flags>>7), flags>>2)
	d.WindowOffsets, d.WindowSizes, d.WindowStrides = s.ints(rank), s.ints(rank), s.ints(rank+int(flags>>6&1))
	return d
}

// bytesOf returns the bytes that make supply.desc read d. All parts of d must have one rank and one
// data type.
func bytesOf(d *slice1.Desc) []byte {
	var flags byte
	var body []byte
	put := func(list ...int) {
		for _, x := range list {
			body = binary.LittleEndian.AppendUint64(append(body, 0xFF), uint64(int64(x)))
		}
	}
	for side, t := range []slice1.TensorDesc{d.Input, d.Output} {
		put(t.Sizes...)
		if t.Strides != nil {
			flags |= 1 << (2 * side)
			put(t.Strides...)
		}
		if t.TotalSize != 0 || t.BaseAlign != 0 {
			flags |= 2 << (2 * side)
			put(int(t.TotalSize), t.BaseAlign)
		}
	}
	put(d.WindowOffsets...)
	put(d.WindowSizes...)
	put(d.WindowStrides...)
	return append([]byte{flags, byte(len(d.Input.Sizes)), byte(d.Input.DataType)}, body...)
}

// chooser is the source of a random generator whose choices are the fuzzer's bytes, as long
// as there are any.
type chooser struct {
	supply
	rest rand.Source
}

func (c *chooser) Uint64() uint64 {
	if len(c.supply) == 0 {
		return c.rest.Uint64()
	}
	// Generators take the high bits, or the low ones for powers of two.
	b := uint64(c.supply.byte())
	return b<<56 | b<<24 | b
}

// For an invalid descriptor, NewPlan and Copy return the DescError that Validate returns, and
// nothing is written. With a valid one, each kernel refuses buffers that are too short. If both
// tensors take at most 64 KiB, each kernel also gives the result of the operator's formula, with
// gaps and margins untouched.
func FuzzDesc(f *testing.F) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 40 {
		d := randomDesc(rng)
		s := supply(bytesOf(d))
		require.Equal(f, d, s.desc())
		f.Add(bytesOf(d), true, byte(rng.Uint32()))
		f.Add(randomBytes(200+rng.IntN(99)), false, byte(rng.Uint32()))
	}
	for _, broken := range faults {
		d := valid()
		broken.breakIt(d)
		if len(d.Output.Sizes) == len(d.Input.Sizes) {
			f.Add(bytesOf(d), true, byte(1))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, wild bool, misalign byte) {
		s := supply(data)
		var d *slice1.Desc
		if wild {
			d = s.desc()
		} else {
			d = randomDesc(rand.New(&chooser{s, rand.NewPCG(1, 1)}))
		}
		err := d.Validate()
		if err != nil {
			require.True(t, wild, "%v: %s", err, describe(d))
			requireRefused(t, d, err)
			return
		}
		in, err := d.Input.MinSize()
		require.NoError(t, err)
		out, err := d.Output.MinSize()
		require.NoError(t, err)
		if in > 1<<16 || out > 1<<16 {
			for _, kernel := range usableKernels() {
				requireShort(t, d, kernel, make([]byte, min(in-1, 1<<12)), make([]byte, min(out-1, 1<<12)))
			}
			return
		}
		checkAll(t, d, int(misalign%65), rand.New(rand.NewPCG(9, uint64(misalign))))
		for _, kernel := range usableKernels() {
			requireShort(t, d, kernel, make([]byte, in), make([]byte, out-1))
			requireShort(t, d, kernel, make([]byte, in-1), make([]byte, out))
		}
	})
}

// requireRefused requires that NewPlan and Copy return err for d, by every kernel, and that Copy
// writes nothing.
func requireRefused(t *testing.T, d *slice1.Desc, err error) {
	var de *slice1.DescError
	require.ErrorAs(t, err, &de, describe(d))
	require.NotEmpty(t, de.Field)
	dst, src := bytes.Repeat([]byte{0xA5}, 1<<10), make([]byte, 1<<10)
	for _, kernel := range usableKernels() {
		p, refusal := slice1.NewPlan(d, slice1.WithKernel(kernel))
		require.Equal(t, err, refusal, describe(d))
		require.Nil(t, p)
		require.Equal(t, err, slice1.Copy(dst, src, d, slice1.WithKernel(kernel)), describe(d))
	}
	require.Equal(t, bytes.Repeat([]byte{0xA5}, 1<<10), dst, describe(d))
}

// requireShort requires that a run with a buffer that is too short returns ErrBuffer and does not
// change dst.
func requireShort(t *testing.T, d *slice1.Desc, kernel string, src, dst []byte) {
	p, err := slice1.NewPlan(d, slice1.WithKernel(kernel))
	require.NoError(t, err, describe(d))
	for i := range dst {
		dst[i] = 0xA5
	}
	require.ErrorIs(t, p.Run(dst, src), slice1.ErrBuffer, describe(d))
	require.Equal(t, len(dst), bytes.Count(dst, []byte{0xA5}), describe(d))
}

// conversion returns a type and values along an axis. The type need not be one of numbers, and the
// axis need not be one of d. There are about as many values as that axis of d has indices.
func (s *supply) conversion(d *slice1.Desc) (to slice1.DataType, a slice1.Affine) {
	if to = slice1.DataType(s.byte() % 16); to >= 14 {
		to = slice1.BFloat16
	}
	a.Axis = int(s.int64())
	for _, values := range []*[]float32{&a.Scale, &a.Bias} {
		n := int(s.byte() % 4)
		if n == 2 && a.Axis >= 0 && a.Axis < len(d.Output.Sizes) && d.Output.Sizes[a.Axis] < 1<<16 {
			n = max(0, d.Output.Sizes[a.Axis])
		}
		for range n {
			*values = append(*values, math.Float32frombits(uint32(s.int64())<<16))
		}
	}
	return to, a
}

// For a wrong descriptor, type or axis, NewPlan and Copy return the same DescError,
// and write nothing. A right one is refused only because of its destination. If both tensors take
// at most 64 KiB, each kernel gives the formula's result, leaves gaps and margins unchanged, and
// refuses buffers that are too short.
func FuzzConversion(f *testing.F) {
	rng := rand.New(rand.NewPCG(49, 49))
	for i := range 40 {
		f.Add(bytesOf(randomDesc(rng)), true, byte(i), randomBytes(9))
		f.Add(randomBytes(200+rng.IntN(99)), false, byte(i), []byte{byte(i), byte(i % 3), 2, byte(i)})
	}
	f.Fuzz(func(t *testing.T, data []byte, wild bool, from byte, what []byte) {
		s := supply(data)
		var d *slice1.Desc
		if wild {
			d = s.desc()
		} else {
			d = randomDesc(rand.New(&chooser{s, rand.NewPCG(1, 1)}))
		}
		if from < 0xF0 { // else the descriptor's own
			d.Input.DataType = converted[from%8]
			d.Output.DataType = d.Input.DataType
		}
		s = what
		to, a := s.conversion(d)
		c, err := slice1.NewPlan(d, slice1.WithNumbers(to, a))
		if err != nil {
			var de *slice1.DescError
			require.ErrorAs(t, err, &de, describe(d))
			require.NotEmpty(t, err.Error())
			require.Nil(t, c)
			dst := bytes.Repeat([]byte{canary}, 1<<10)
			require.Equal(t, err, slice1.Copy(dst, make([]uint8, 1<<10), d, slice1.WithNumbers(to, a)))
			require.Equal(t, bytes.Repeat([]byte{canary}, 1<<10), dst)
			right := d.Validate() == nil && to.Size() > 0
			for _, values := range [][]float32{a.Scale, a.Bias} {
				right = right && (len(values) < 2 || a.Axis >= 0 && a.Axis < len(d.Output.Sizes) && len(values) == d.Output.Sizes[a.Axis])
			}
			if right {
				require.True(t, errors.Is(err, slice1.ErrTotalSize) || errors.Is(err, slice1.ErrAlign) || errors.Is(err, slice1.ErrOverflow), "%v: %s", err, describe(d))
			}
			return
		}
		in, out := c.SrcSize(), c.DstSize()
		if in > 1<<16 || out > 1<<16 {
			require.ErrorIs(t, c.Run(make([]byte, min(out-1, 1<<12)), make([]byte, min(in-1, 1<<12))), slice1.ErrBuffer)
			return
		}
		if slices.Contains(converted, to) && slices.Contains(converted, d.Input.DataType) {
			checkConversion(t, rand.New(rand.NewPCG(9, uint64(from))), d, to, a)
		}
		dst := bytes.Repeat([]byte{canary}, int(out))
		require.ErrorIs(t, c.Run(dst[:out-1], make([]byte, in)), slice1.ErrBuffer)
		require.ErrorIs(t, c.Run(dst, make([]byte, in-1)), slice1.ErrBuffer)
		require.Equal(t, bytes.Repeat([]byte{canary}, int(out)), dst)
	})
}
