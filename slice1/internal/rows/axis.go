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
	Size, Out int  // samples of the source and of the whole result
	From, To  int  // the part of the result that is wanted: at least one sample
	Flip      bool // the axis is resampled from its end, and the result lies in the source's order
}

// unchanged reports whether the result of a filter of weights has the samples of the source.
func (a *Axis) unchanged() bool { return a.Size == a.Out }

// check returns an error that names the first number of the axis that is out of range. name is the
// plural of the axis' samples: columns or rows.
func (a *Axis) check(name string) error {
	const most = math.MaxInt32
	switch {
	case a.Size <= 0 || a.Size > most:
		return fmt.Errorf("rows: %d %s of the source: must be 1 to %d", a.Size, name, most)
	case a.Out <= 0 || a.Out > most:
		return fmt.Errorf("rows: %d %s of the result: must be 1 to %d", a.Out, name, most)
	case a.From < 0 || a.From >= a.To || a.To > a.Out:
		return fmt.Errorf("rows: %s %d to %d of %d", name, a.From, a.To, a.Out)
	}
	return nil
}

// table has the weights of the samples of a result, in their order.
type table struct {
	low, high int       // the samples of the source that the result takes, from low up to, not including, high
	first     []int32   // the first sample that each sample of the result takes, counted from low
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
func (a *Axis) empty(taps int, wide bool) (*table, error) {
	count := a.To - a.From
	if taps > MostTaps {
		return nil, fmt.Errorf("rows: a sample of the result takes %d of the source along an axis: must take at most %d", taps, MostTaps)
	}
	if all := int64(count) * int64(max(1, taps)); all > MostWeights {
		return nil, fmt.Errorf("rows: %d samples of the result have %d weights: must be at most %d", count, all, MostWeights)
	}
	t := &table{low: a.Size, first: make([]int32, count), n: make([]int32, count), taps: taps}
	if wide {
		t.wide = make([]float64, count*taps)
	} else {
		t.weights = make([]int32, count*taps)
	}
	return t, nil
}

// index returns where sample i of the result, counted in the direction of resampling, is in a
// table.
func (a *Axis) index(i int) int {
	if a.Flip {
		return a.Out - 1 - i - a.From
	}
	return i - a.From
}

// set makes sample i of the result, counted in the direction of resampling, take n samples from
// first on with weights w. Until t.end has been called, t.first counts from the axis' first sample.
func (t *table) set(a *Axis, i, first, n int, w []int32) {
	i = a.index(i)
	if w != nil {
		w = t.weights[i*t.taps:][:copy(t.weights[i*t.taps:], w)]
	}
	if a.Flip {
		first = a.Size - first - n
		slices.Reverse(w)
	}
	if n > 0 { // else first may lie behind the source
		t.first[i], t.n[i] = int32(first), int32(n)
		t.low, t.high = min(t.low, first), max(t.high, first+n)
	}
}

// end makes t.first count from t.low.
func (t *table) end() *table {
	t.low = min(t.low, t.high)
	for i := range t.first {
		t.first[i] = max(0, t.first[i]-int32(t.low))
	}
	return t
}

// wanted returns the samples that are wanted, counted in the direction of resampling.
func (a *Axis) wanted() (from, to int) {
	if a.Flip {
		return a.Out - a.To, a.Out - a.From
	}
	return a.From, a.To
}

// weights returns the weights of one of Pillow's filters: those of samples, or those of numbers if
// wide is true.
func (a *Axis) weights(f Filter, wide bool) (*table, error) {
	size := float64(float32(a.Size)) // Pillow's window is a float32
	scale := size / float64(a.Out)
	stretch := max(1, scale)
	reach := mul(support[f], stretch)
	t, err := a.empty(int(min(float64(a.Size), math.Ceil(2*reach)+2)), wide)
	if err != nil {
		return nil, err
	}
	values, w := make([]float64, t.taps), make([]int32, t.taps)
	var before float64
	known := 0 // how many weights w has for a centre `before` samples behind the first one
	from, to := a.wanted()
	for i := from; i < to; i++ {
		center := mul(float64(i)+.5, scale)
		first := max(0, int(min(center-reach+.5, float64(a.Size))))
		n := max(0, int(min(center+reach+.5, float64(a.Size)))-first)
		// Where all differences are exact, equal differences have equal weights.
		if behind := center - float64(first); n == 0 || n != known || behind != before || first < n {
			before, known = behind, n
			total := 0.
			for x := range n {
				values[x] = f.at(mul(float64(x+first)-center+.5, 1/stretch))
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
			t.set(a, i, first, n, nil)
			copy(t.wide[a.index(i)*t.taps:], values[:n])
		} else {
			t.set(a, i, first, n, w[:n])
		}
	}
	return t.end(), nil
}

// places returns for each sample of the result the one that Pillow's nearest takes.
func (a *Axis) places() (*table, error) {
	t, err := a.empty(0, false)
	if err != nil {
		return nil, err
	}
	step := float64(a.Size) / float64(a.Out)
	from, to := a.wanted()
	x := mul(step, .5)
	for left := from; left > 0; {
		x, left = leap(x, step, left)
	}
	for i := from; i < to; i++ {
		t.set(a, i, min(int(x), a.Size-1), 1, nil)
		x += step
	}
	return t.end(), nil
}

// leap adds step, which is positive, to x at least once and at most n times, and rounds each sum. It
// returns the last sum and how many additions of n are left. Between two powers of two all sums have
// the same distance from each other: the units of the last place in step, and its rest rounded, in
// the same direction each time. A rest of half a unit is rounded to even, so the second sum has an
// even last place, and its distance to the next one is that of all. So each leap but the first few
// goes to the next power of two.
func leap(x, step float64, n int) (float64, int) {
	const certain = 3 // sums that are made one by one
	if n <= certain {
		return x + step, n - 1
	}
	first := x + step
	second := first + step
	third := second + step
	_, e := math.Frexp(first)
	end := math.Ldexp(1, e) // the power of two above first
	if third >= end {
		return third, n - certain
	}
	d := third - second                                   // exact, like the product and the sum below
	times := min(n-certain, max(0, int((end-third)/d)-1)) // one less than fit, as the quotient is rounded
	return third + float64(float64(times)*d), n - certain - times
}

// linearWeights returns the weights of OpenCV's INTER_LINEAR, in 2048ths, or as the bits of float32
// if numbers is true. Each sample has two weights. If it takes only one sample, both are for that
// one, and columns have 1 and 0 then.
func (a *Axis) linearWeights(columns, numbers bool) (*table, error) {
	t, err := a.empty(2, false)
	if err != nil {
		return nil, err
	}
	scale := 1 / (float64(a.Out) / float64(a.Size))
	from, to := a.wanted()
	for i := from; i < to; i++ {
		f := float32(mul(float64(i)+.5, scale) - .5)
		first := int(math.Floor(float64(f)))
		f -= float32(first)
		if columns && (first < 0 || first >= a.Size-1) {
			first, f = min(max(first, 0), a.Size-1), 0
		}
		w := [2]int32{int32(math.RoundToEven(float64((1 - f) * 2048))), int32(math.RoundToEven(float64(f * 2048)))}
		if numbers {
			w = [2]int32{int32(math.Float32bits(1 - f)), int32(math.Float32bits(f))}
		}
		low, high := min(max(first, 0), a.Size-1), min(max(first+1, 0), a.Size-1)
		t.set(a, i, low, 1+high-low, w[:])
	}
	return t.end(), nil
}

// keepsWhite reports whether samples of 255 stay so: if rounded weights have a sum of about 1. A nil
// table has no pass.
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

// condense leaves out the samples that no sample of the result takes. It returns the others,
// counted from t.low. Then t.first counts in what it returns.
func (t *table) condense() (taken []int32) {
	for i, n := range t.n {
		for k := range n {
			if v := t.first[i] + k; len(taken) == 0 || v > taken[len(taken)-1] {
				taken = append(taken, v)
			}
		}
		t.first[i] = int32(len(taken)) - n
	}
	return taken
}
