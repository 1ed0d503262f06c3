package slice1_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
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

// What ParseIndex takes, as regular expressions: the whole text, "()", an integer, a part of an
// item, and an item that is an integer, a slice or a new axis. pythonSpace removes white space and
// underscores.
var (
	pythonIndex   = regexp.MustCompile(`^[ \t\f\r\n]*(\[(.*)\]|([^\[].*)?)[ \t\f\r\n]*$`)
	pythonNothing = regexp.MustCompile(`^[ \t\f\r\n]*\([ \t\f\r\n]*\)[ \t\f\r\n]*$`)
	pythonInteger = `[+-]?[ \t\f\r\n]*(?:0(?:_?0)*|[1-9](?:_?[0-9])*)`
	pythonPart    = `[ \t\f\r\n]*(` + pythonInteger + `|None|newaxis|np\.newaxis|)[ \t\f\r\n]*`
	pythonItem    = regexp.MustCompile(`^` + pythonPart + `(?:(:)` + pythonPart + `(?::` + pythonPart + `)?)?$`)
	pythonSpace   = strings.NewReplacer(" ", "", "\t", "", "\f", "", "\r", "", "\n", "", "_", "")
)

// bigOf reads an integer literal of Python. For other text, like None or "", it returns missing.
func bigOf(s string, missing *big.Int) *big.Int {
	n, ok := new(big.Int).SetString(pythonSpace.Replace(s), 10)
	if !ok {
		return missing
	}
	return n
}

// slowIndex evaluates index text by enumeration. It returns the elements taken on each axis, in
// order, and the shape of the result. ok is false if the text is no index of an array of that
// shape. slowIndex shares no code with ParseIndex.
func slowIndex(expr string, shape []int) (elements [][]int64, outShape []int, ok bool) {
	items, ok := itemsOf(expr)
	if !ok {
		return nil, nil, false
	}
	outShape = []int{}
	left := len(shape)
	ellipsis := -1
	for i, it := range items {
		switch word := strings.Trim(it, " \t\f\r"); word {
		case "...", "Ellipsis":
			if ellipsis >= 0 {
				return nil, nil, false
			}
			ellipsis = i
		case "None", "newaxis", "np.newaxis":
		default:
			left--
		}
	}
	if left < 0 {
		return nil, nil, false
	}
	whole := slices.Repeat([]string{":"}, left)
	if ellipsis < 0 {
		items = append(slices.Clone(items), whole...)
	} else {
		items = slices.Replace(slices.Clone(items), ellipsis, ellipsis+1, whole...)
	}
	for _, it := range items {
		m := pythonItem.FindStringSubmatch(it)
		switch {
		case m == nil:
			return nil, nil, false
		case m[2] == "" && (m[1] == "None" || strings.HasSuffix(m[1], "newaxis")):
			outShape = append(outShape, 1)
			continue
		}
		n := int64(shape[len(elements)])
		if m[2] == "" {
			at, ok := slowInteger(m[1], n)
			if !ok {
				return nil, nil, false
			}
			elements = append(elements, []int64{at})
			continue
		}
		taken, ok := slowSlice(m[1], m[3], m[4], n)
		if !ok {
			return nil, nil, false
		}
		elements = append(elements, taken)
		outShape = append(outShape, len(taken))
	}
	return elements, outShape, len(outShape) <= 64
}

// itemsOf splits index text at its commas and leaves out its brackets. ok is false if the
// brackets are wrong.
func itemsOf(expr string) (items []string, ok bool) {
	expr = strings.ReplaceAll(expr, "\n", " ") // which . does not match
	m := pythonIndex.FindStringSubmatch(expr)
	if m == nil {
		return nil, false
	}
	text := m[2] + m[3]
	if pythonNothing.MatchString(text) {
		return nil, true
	}
	items = strings.Split(text, ",")
	if last := len(items) - 1; last > 0 && strings.Trim(items[last], " \t\f\r") == "" {
		items = items[:last]
	}
	return items, true
}

// slowInteger returns the element that an integer picks on an axis of extent n. ok is false if
// text is no integer or there is no such element.
func slowInteger(text string, n int64) (element int64, ok bool) {
	at := bigOf(text, nil)
	if at == nil {
		return 0, false
	}
	if at.Sign() < 0 {
		at.Add(at, big.NewInt(n))
	}
	return at.Int64(), at.Sign() >= 0 && at.Cmp(big.NewInt(n)) < 0
}

// slowSlice returns the elements that start:stop:step takes on an axis of extent n. ok is false
// if step is 0.
func slowSlice(start, stop, step string, n int64) (taken []int64, ok bool) {
	by := bigOf(step, big.NewInt(1))
	if by.Sign() == 0 {
		return nil, false
	}
	lo, hi := big.NewInt(0), big.NewInt(n)
	first, last := lo, hi
	if by.Sign() < 0 {
		lo, hi = big.NewInt(-1), big.NewInt(n-1)
		first, last = hi, lo
	}
	bound := func(s string, missing *big.Int) *big.Int {
		at := bigOf(s, nil)
		switch {
		case at == nil:
			return missing
		case at.Sign() < 0:
			at.Add(at, big.NewInt(n))
		}
		if at.Cmp(lo) < 0 {
			return lo
		} else if at.Cmp(hi) > 0 {
			return hi
		}
		return at
	}
	taken = []int64{}
	end := bound(stop, last)
	for x := new(big.Int).Set(bound(start, first)); x.Cmp(end)*by.Sign() < 0; x.Add(x, by) {
		taken = append(taken, x.Int64())
	}
	return taken, true
}

func FuzzParseIndex(f *testing.F) {
	for _, expr := range []string{
		"[::2, ::-1, ..., 3, newaxis]", "()", "[ ( ) ]", "None:-9223372036854775808:-1_0,\t+1", "[0, \xff]", ":,",
		"[0]]", "[", ",", "- 1", "1_0::", "0_0:00:-0_1", "::0", "99999999999999999999:-99999999999999999999:-99999999999999999999",
		"..., ...", "0\n,\r\f1", "None, newaxis, -3", "[None:newaxis:None]", "9223372036854775807", "::9223372036854775808",
		strings.Repeat("None,", 63), "(),", "1 2", "1:2:3:4", "01",
		"np.newaxis, Ellipsis, 1:np.newaxis", "np.newaxis.", "Ellipsis, ...",
	} {
		f.Add(expr, []byte{3, 4, 5, 6})
		f.Add(expr, []byte{6})
		f.Add(expr, []byte{})
	}
	f.Fuzz(func(t *testing.T, expr string, extents []byte) {
		shape := make([]int, min(len(extents), 8))
		for axis := range shape {
			shape[axis] = int(extents[axis] % 7)
		}
		w, outShape, err := slice1.ParseIndex(expr, shape)
		elements, want, ok := slowIndex(expr, shape)
		require.Equal(t, ok, err == nil || errors.Is(err, slice1.ErrEmpty), "%q of %v: %v", expr, shape, err)
		if !ok {
			var ie *slice1.IndexError
			require.ErrorAs(t, err, &ie)
			require.ErrorIs(t, err, slice1.ErrSyntax)
			require.Equal(t, expr, ie.Expr)
			require.GreaterOrEqual(t, ie.Column, 0)
			require.LessOrEqual(t, ie.Column, len(expr))
			require.GreaterOrEqual(t, ie.Length, 1)
			require.LessOrEqual(t, ie.Column+ie.Length, max(len(expr), ie.Column+1))
			require.Zero(t, w)
			require.Nil(t, outShape)
			return
		}
		assertInside(t, w, shape)
		require.Equal(t, want, outShape, "%q of %v", expr, shape)
		empty := false
		for axis := range shape {
			require.Equal(t, elements[axis], taken(w, axis), "axis %d of %q of %v", axis, expr, shape)
			empty = empty || len(elements[axis]) == 0
		}
		require.Equal(t, empty, err != nil, "%q of %v", expr, shape)
	})
}

// slowONNX evaluates the parameters of ONNX Slice by enumeration. It returns the elements taken
// on each axis, nil for an axis that no entry names. ok is false if the parameters are wrong.
func slowONNX(shape []int, starts, ends, axes, steps []int64) (elements [][]int64, ok bool) {
	if len(ends) != len(starts) || axes != nil && len(axes) != len(starts) ||
		steps != nil && len(steps) != len(starts) || axes == nil && len(starts) > len(shape) {
		return nil, false
	}
	elements = make([][]int64, len(shape))
	for i := range starts {
		axis, step := int64(i), int64(1)
		if axes != nil {
			axis = axes[i]
		}
		if steps != nil {
			step = steps[i]
		}
		rank := int64(len(shape))
		if axis < -rank || axis >= rank || step == 0 {
			return nil, false
		}
		axis = (axis + rank) % rank
		if elements[axis] != nil {
			return nil, false
		}
		elements[axis] = onnx(int64(shape[axis]), starts[i], ends[i], step)
	}
	return elements, true
}

func FuzzFromONNX(f *testing.F) {
	f.Add([]byte{4, 5, 6}, []byte{2, 2, 2, 2, 0, 0xDF, 4, 0xE0, 2, 0, 1, 0xDF, 1, 0xDE})
	f.Add([]byte{4, 5, 6}, []byte{2, 2, 0xFF, 0xFF, 1, 1, 9, 9})
	f.Add([]byte{0}, []byte{1, 1, 1, 1, 0xE0, 2, 0xE0, 3, 0, 0xE0, 2})
	f.Add([]byte{}, []byte{0, 0, 0, 0})
	f.Add([]byte{3, 3}, []byte{2, 2, 2, 2, 0, 0, 3, 3, 0, 0xDE, 1, 1})
	f.Add([]byte{3}, []byte{1, 1, 1, 1, 0, 3, 0, 0})
	f.Fuzz(func(t *testing.T, extents, data []byte) {
		shape := make([]int, min(len(extents), 8))
		for axis := range shape {
			shape[axis] = int(extents[axis] % 7)
		}
		s := supply(data)
		var lists [4][]int64
		var counts [4]int
		for i := range counts {
			counts[i] = int(s.byte())
		}
		for i, n := range counts {
			if n < 0x80 || i < 2 {
				lists[i] = append([]int64{}, s.int64s(n%10)...)
			}
		}
		starts, ends, axes, steps := lists[0], lists[1], lists[2], lists[3]
		w, err := slice1.FromONNX(shape, starts, ends, axes, steps)

		want, ok := slowONNX(shape, starts, ends, axes, steps)
		at := []any{shape, starts, ends, axes, steps, err}
		require.Equal(t, ok, err == nil || errors.Is(err, slice1.ErrEmpty), at)
		if !ok {
			var de *slice1.DescError
			require.ErrorAs(t, err, &de)
			require.Contains(t, []string{"starts", "ends", "axes", "steps"}, de.Field)
			require.Zero(t, w)
			return
		}
		assertInside(t, w, shape)
		empty := false
		for axis, n := range shape {
			if want[axis] == nil {
				want[axis] = onnx(int64(n), 0, int64(n), 1)
			}
			require.Equal(t, want[axis], taken(w, axis), at)
			empty = empty || len(want[axis]) == 0
		}
		require.Equal(t, empty, err != nil, at)
	})
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
