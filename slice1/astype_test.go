package slice1_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// fractions has the bits of the fractions of floats.
var fractions = map[slice1.DataType]uint{slice1.Float16: 10, slice1.Float32: 23, slice1.Float64: 52}

// specialNumbers are special() of testdata/casts/casts.py: bits of numbers that others are rounded
// to or cut off at, and of their neighbours.
func specialNumbers(t slice1.DataType) (numbers []uint64) {
	f, float := fractions[t]
	lo, hi := rangeOf(t)
	for _, power := range []uint{0, 7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64} {
		for _, sign := range []int64{1, -1} {
			for d := int64(-1); d <= 1; d++ {
				n := new(big.Int).Lsh(big.NewInt(1), power)
				n.Mul(n.Add(n, big.NewInt(d)), big.NewInt(sign))
				if !float {
					if lo.Cmp(n) <= 0 && n.Cmp(hi) <= 0 {
						numbers = append(numbers, bitsOfInteger(t, n))
					}
					continue
				}
				y, _ := new(big.Float).SetInt(n).Float64()
				for _, half := range []float64{0, 0.5} {
					bits := stored(t, y+half)
					numbers = append(numbers, bits-1, bits, bits+1)
				}
			}
		}
	}
	if float {
		top := uint64(1) << (8*t.Size() - 1)
		for _, sign := range []uint64{0, top} {
			for _, end := range []uint64{0, 1 << f, top - 1<<f, top - 1<<(f-1)} {
				numbers = append(numbers, sign+end-1, sign+end, sign+end+1)
			}
		}
	}
	return numbers
}

// hashOf is hashes() of casts.py.
func hashOf(i, salt uint64) uint64 {
	h := (i + 1 + salt<<32) * 0x9e3779b97f4a7c15
	h ^= h >> 29
	h *= 0x94d049bb133111eb
	return h ^ h>>32
}

// randomNumber is random() of casts.py: the bits of number i of type t.
func randomNumber(t slice1.DataType, i uint64) uint64 {
	h, g := hashOf(i, 0), hashOf(i, 1)
	f, float := fractions[t]
	size := uint(8 * t.Size())
	if !float {
		lo, _ := rangeOf(t)
		signed := lo.Sign() < 0
		width, precision := uint64(size), uint64(24)
		if signed {
			width--
		}
		if size == 64 && i%8 == 6 {
			precision = 53
		}
		switch {
		case i%4 == 2 && width > precision:
			shift := g >> 8 % (width - precision)
			d := width - precision - shift
			x := (h>>(64-width) | 1<<(width-1)) >> shift
			x = x>>d<<d + 1<<(d-1) + g>>16%3 - 1
			if signed && g>>63 == 1 {
				x = -x
			}
			return x
		case signed:
			return uint64(int64(h) >> (g % 64))
		}
		return h >> (g % 64)
	}
	tie := func(narrow uint, exponents, least uint64) uint64 {
		d := uint64(f-narrow) + g%uint64(narrow+1)
		fraction := h%(1<<f)>>d<<d + 1<<(d-1) + g>>8%3 - 1
		bias := uint64(1)<<(size-2-f) - 1
		return g>>63<<(size-1) | (bias+least+g>>16%exponents)<<f | fraction
	}
	switch {
	case i%4 == 1:
		m := int64(h) >> (63 - f) >> (g % uint64(f+1))
		e := g >> 8 % map[uint]uint64{10: 8, 23: 48, 52: 16}[f]
		return stored(t, math.Ldexp(float64(m), int(e)-2))
	case i%4 == 2 && f > 10:
		return tie(10, 44, math.MaxUint64-26) // exponents from -27 on
	case i%4 == 3 && f > 23:
		return tie(23, 282, math.MaxUint64-151)
	}
	return h >> (64 - size)
}

// littleEndian brings elements of the machine's order into little-endian order. One that is a NaN
// becomes one without a sign and with only the first bit of its fraction, if f is not 0.
func littleEndian(t slice1.DataType, f uint, b []byte) {
	if f == 0 && binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return
	}
	top := uint64(1) << (8*t.Size() - 1)
	infinite := top - 1<<f
	for ; len(b) > 0; b = b[t.Size():] {
		bits := bitsOf(t, b)
		if f > 0 && bits&(top-1) > infinite {
			bits = infinite | 1<<(f-1)
		}
		switch t.Size() {
		case 2:
			binary.LittleEndian.PutUint16(b, uint16(bits))
		case 4:
			binary.LittleEndian.PutUint32(b, uint32(bits))
		case 8:
			binary.LittleEndian.PutUint64(b, bits)
		}
	}
}

// All pairs of the eleven types become what NumPy's astype makes where that is defined, and what
// CASTS.md says elsewhere, by all kernels. testdata/casts/casts.py says which numbers these are.
// CASTS names a file of more.
func TestNumbersOfNumPy(t *testing.T) {
	name := "../testdata/casts/casts.txt"
	if other := os.Getenv("CASTS"); other != "" {
		name = other
	}
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	type pair struct {
		to    slice1.DataType
		count int
		crc32 string
	}
	pairs := map[slice1.DataType][]pair{}
	for line := range strings.Lines(string(text)) {
		var from slice1.DataType
		var p pair
		var fromName, toName string
		_, err := fmt.Sscan(line, &fromName, &toName, &p.count, &p.crc32)
		require.NoError(t, err)
		require.NoError(t, from.UnmarshalText([]byte(fromName)))
		require.NoError(t, p.to.UnmarshalText([]byte(toName)))
		pairs[from] = append(pairs[from], p)
	}
	require.Len(t, pairs, 11)
	kernels := usableKernels()
	for from, pairs := range pairs {
		require.Len(t, pairs, 11, from)
		t.Run(from.String(), func(t *testing.T) {
			t.Parallel()
			special, count := specialNumbers(from), pairs[0].count
			sums := make([]uint32, len(pairs)*len(kernels))
			var src []byte
			dst := make([]byte, 8*(1<<14))
			for first := 0; first < count; first += 1 << 14 {
				src = src[:0]
				for i := first; i < min(first+1<<14, count); i++ {
					if i < len(special) {
						src = appendBits(from, src, special[i])
					} else {
						src = appendBits(from, src, randomNumber(from, uint64(i)))
					}
				}
				for k, p := range pairs {
					n := len(src) / from.Size()
					var f uint
					if fractions[from] > 0 && p.to != from {
						f = fractions[p.to]
					}
					for j, kernel := range kernels {
						got := dst[:n*p.to.Size()]
						clear(got)
						require.NoError(t, slice1.CopyBytes(got, src, slice1.Whole(from, n), slice1.WithNumbers(p.to, slice1.Affine{}), slice1.WithKernel(kernel)))
						littleEndian(p.to, f, got)
						sum := &sums[k*len(kernels)+j]
						*sum = crc32.Update(*sum, crc32.IEEETable, got)
					}
				}
			}
			for k, p := range pairs {
				for j, kernel := range kernels {
					require.Equal(t, p.crc32, fmt.Sprintf("%08x", sums[k*len(kernels)+j]), "%s: %s to %s", kernel, from, p.to)
				}
			}
		})
	}
}
