package rows

import (
	"fmt"
	"math"
	"slices"
)

// bits is how many bits of a weight of Pillow's filters are behind the point.
const bits = 22

// Axis says what becomes of an axis of the source.
type Axis struct {
	Size, Scaled int  // samples of the source and of the whole result
	Begin, End   int  // the part of the result that is wanted: at least one sample
	Flip         bool // the axis is resampled from its end, and the result lies in the source's order
}

// unchanged reports whether the result of a filter of weights has the samples of the source.
func (axis *Axis) unchanged() bool { return axis.Size == axis.Scaled }

// check returns an error that names the first number of the axis that is out of range. name is the
// plural of the axis' samples: columns or rows.
func (axis *Axis) check(name string) error {
	const limit = math.MaxInt32
	switch {
	case axis.Size <= 0 || axis.Size > limit:
		return fmt.Errorf("rows: %d %s of the source: must be 1 to %d", axis.Size, name, limit)
	case axis.Scaled <= 0 || axis.Scaled > limit:
		return fmt.Errorf("rows: %d %s of the result: must be 1 to %d", axis.Scaled, name, limit)
	case axis.Begin < 0 || axis.Begin >= axis.End || axis.End > axis.Scaled:
		return fmt.Errorf("rows: %s %d to %d of %d", name, axis.Begin, axis.End, axis.Scaled)
	}
	return nil
}

// table has the weights of the samples of a result, in their order.
type table struct {
	low, high int       // the samples of the source that the result takes, from low up to, not including, high
	starts    []int32   // the first sample that each sample of the result takes, counted from low
	n         []int32   // how many samples it takes
	taps      int       // the most samples that one takes
	weights   []int32   // taps numbers for each sample of the result, n of which count
	wide      []float64 // those of Pillow's filters for planes of numbers, in place of weights
}

// MostTaps is how many samples of the source a sample of the result may take along an axis. It
// bounds what a single sample costs: its weights are made in some 50 ms.
const MostTaps = 1 << 20

// MostWeights is how many weights the samples of an axis may have in all. The whole of a result has
// about six for each sample of the source and eight for each of its own, at most.
const MostWeights = 1 << 23

// empty returns a table for the wanted samples, whose weights are 0.
func (axis *Axis) empty(taps int, wide bool) (*table, error) {
	count := axis.End - axis.Begin
	if taps > MostTaps {
		return nil, fmt.Errorf("rows: a sample of the result takes %d of the source along an axis: must take at most %d", taps, MostTaps)
	}
	if total := int64(count) * int64(max(1, taps)); total > MostWeights {
		return nil, fmt.Errorf("rows: %d samples of the result have %d weights: must be at most %d", count, total, MostWeights)
	}
	t := &table{low: axis.Size, starts: make([]int32, count), n: make([]int32, count), taps: taps}
	if wide {
		t.wide = make([]float64, count*taps)
	} else {
		t.weights = make([]int32, count*taps)
	}
	return t, nil
}

// index returns where sample i of the result, counted in the direction of resampling, is in a
// table.
func (axis *Axis) index(i int) int {
	if axis.Flip {
		return axis.Scaled - 1 - i - axis.Begin
	}
	return i - axis.Begin
}

// assign makes sample i of the result, counted in the direction of resampling, take n samples from
// start on with weights w. Until t.end has been called, t.starts counts from the axis' first
// sample.
func (t *table) assign(axis *Axis, i, start, n int, w []int32) {
	i = axis.index(i)
	if w != nil {
		w = t.weights[i*t.taps:][:copy(t.weights[i*t.taps:], w)]
	}
	if axis.Flip {
		start = axis.Size - start - n
		slices.Reverse(w)
	}
	if n > 0 { // else start may lie behind the source
		t.starts[i], t.n[i] = int32(start), int32(n)
		t.low, t.high = min(t.low, start), max(t.high, start+n)
	}
}

// end makes t.starts count from t.low.
func (t *table) end() *table {
	t.low = min(t.low, t.high)
	for i := range t.starts {
		t.starts[i] = max(0, t.starts[i]-int32(t.low))
	}
	return t
}

// wanted returns the samples that are wanted, counted in the direction of resampling.
func (axis *Axis) wanted() (begin, end int) {
	if axis.Flip {
		return axis.Scaled - axis.End, axis.Scaled - axis.Begin
	}
	return axis.Begin, axis.End
}

// weights returns the weights of one of Pillow's filters: those of samples, or those of numbers if
// wide is true.
func (axis *Axis) weights(f Filter, wide bool) (*table, error) {
	size := float64(float32(axis.Size)) // Pillow's window is a float32
	scale := size / float64(axis.Scaled)
	stretch := max(1, scale)
	reach := mul(support[f], stretch)
	t, err := axis.empty(int(min(float64(axis.Size), math.Ceil(2*reach)+2)), wide)
	if err != nil {
		return nil, err
	}
	values, w := make([]float64, t.taps), make([]int32, t.taps)
	var knownOffset float64
	known := 0 // how many weights w has for a centre knownOffset samples behind the first one
	begin, end := axis.wanted()
	for i := begin; i < end; i++ {
		center := mul(float64(i)+.5, scale)
		start := max(0, int(min(center-reach+.5, float64(axis.Size))))
		n := max(0, int(min(center+reach+.5, float64(axis.Size)))-start)
		// Where all differences are exact, equal differences have equal weights.
		if offset := center - float64(start); n == 0 || n != known || offset != knownOffset || start < n {
			knownOffset, known = offset, n
			total := 0.
			for x := range n {
				values[x] = f.value(mul(float64(x+start)-center+.5, 1/stretch))
				total += values[x]
			}
			for x, v := range values[:n] {
				if total != 0 {
					v /= total
				}
				values[x], w[x] = v, int32(mul(v, 1<<bits)+math.Copysign(.5, v))
			}
		}
		if wide {
			t.assign(axis, i, start, n, nil)
			copy(t.wide[axis.index(i)*t.taps:], values[:n])
		} else {
			t.assign(axis, i, start, n, w[:n])
		}
	}
	return t.end(), nil
}

// places returns for each sample of the result the one that Pillow's nearest takes.
func (axis *Axis) places() (*table, error) {
	t, err := axis.empty(0, false)
	if err != nil {
		return nil, err
	}
	step := float64(axis.Size) / float64(axis.Scaled)
	begin, end := axis.wanted()
	x := mul(step, .5)
	for left := begin; left > 0; {
		x, left = leap(x, step, left)
	}
	for i := begin; i < end; i++ {
		t.assign(axis, i, min(int(x), axis.Size-1), 1, nil)
		x += step
	}
	return t.end(), nil
}

// leap adds step, which is positive, to x at least once and at most n times, and rounds each sum.
// It returns the last sum and how many additions of n are left. Between two powers of two all sums
// have the same distance from each other: the units of the last place in step, and its rest
// rounded, in the same direction each time. A rest of half a unit is rounded to even, so the second
// sum has an even last place, and its distance to the next one is that of all. So each leap but the
// first few goes to the next power of two.
func leap(x, step float64, n int) (float64, int) {
	const certain = 3 // sums that are made one by one
	if n <= certain {
		return x + step, n - 1
	}
	sum1 := x + step
	sum2 := sum1 + step
	sum3 := sum2 + step
	_, e := math.Frexp(sum1)
	end := math.Ldexp(1, e) // the power of two above sum1
	if sum3 >= end {
		return sum3, n - certain
	}
	d := sum3 - sum2                                     // exact, like the product and the sum below
	times := min(n-certain, max(0, int((end-sum3)/d)-1)) // one less than fit, as the quotient is rounded
	return sum3 + float64(float64(times)*d), n - certain - times
}

// isNearest reports whether each sample of the result is one of the source, as Box makes it along
// sides that do not shrink. A nil table changes nothing.
func (t *table) isNearest() bool {
	if t == nil {
		return true
	}
	for i, n := range t.n {
		if n != 1 || t.weights[i*t.taps] != 1<<bits {
			return false
		}
	}
	return true
}

// nearest returns a table of Nearest that takes the first sample of each.
func (t *table) nearest() *table {
	if t == nil {
		return nil
	}
	return &table{low: t.low, high: t.high, starts: t.starts, n: t.n}
}

// linearWeights returns the weights of OpenCV's INTER_LINEAR, in 2048ths, or as the bits of float32
// if numbers is true. Each sample has two weights. If it takes only one sample, both are for that
// one, and columns have 1 and 0 then.
func (axis *Axis) linearWeights(columns, numbers bool) (*table, error) {
	t, err := axis.empty(2, false)
	if err != nil {
		return nil, err
	}
	scale := 1 / (float64(axis.Scaled) / float64(axis.Size))
	begin, end := axis.wanted()
	for i := begin; i < end; i++ {
		f := float32(mul(float64(i)+.5, scale) - .5)
		start := int(math.Floor(float64(f)))
		f -= float32(start)
		if columns && (start < 0 || start >= axis.Size-1) {
			start, f = min(max(start, 0), axis.Size-1), 0
		}
		w := [2]int32{int32(math.RoundToEven(float64((1 - f) * 2048))), int32(math.RoundToEven(float64(f * 2048)))}
		if numbers {
			w = [2]int32{int32(math.Float32bits(1 - f)), int32(math.Float32bits(f))}
		}
		low, high := min(max(start, 0), axis.Size-1), min(max(start+1, 0), axis.Size-1)
		t.assign(axis, i, low, 1+high-low, w[:])
	}
	return t.end(), nil
}

// keepsWhite reports whether samples of 255 stay so: if rounded weights have a sum of about 1. A
// nil table has no pass.
func (t *table) keepsWhite(f Filter) bool {
	if t == nil || f == Nearest {
		return true
	}
	if t.weights == nil || f == Area {
		return false
	}
	for i, n := range t.n {
		sum := int64(0)
		for _, w := range t.weights[i*t.taps:][:t.taps] {
			sum += int64(w)
		}
		if f == Linear && sum != 1<<11 || f != Linear && (n == 0 || 255*sum+1<<(bits-1) < 255<<bits) {
			return false
		}
	}
	return true
}

// condense leaves out the samples that no sample of the result needs. It returns the others,
// counted from t.low. Then t.starts counts in what it returns.
func (t *table) condense() (used []int32) {
	for i, n := range t.n {
		for k := range n {
			if v := t.starts[i] + k; len(used) == 0 || v > used[len(used)-1] {
				used = append(used, v)
			}
		}
		t.starts[i] = int32(len(used)) - n
	}
	return used
}
