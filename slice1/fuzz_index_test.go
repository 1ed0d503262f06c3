package slice1_test

import (
	"errors"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

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
