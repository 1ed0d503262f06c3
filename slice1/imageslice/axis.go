package imageslice

// axis is what is taken of the rows, columns or channels of memory: n of them, `step` apart, from
// number `first` on.
type axis struct{ first, step, n int }

// upTo returns the axis of the first n.
func upTo(n int) axis { return axis{0, 1, n} }

// lowest returns the smallest number that x takes.
func (x axis) lowest() int { return min(x.first, x.first+x.step*(x.n-1)) }

// width returns how many rows, columns or channels lie from the lowest that x takes to the highest.
func (x axis) width() int { return (x.n-1)*max(x.step, -x.step) + 1 }

// turned returns x in memory of `length` rows or columns. If d is negative, memory has them in
// reverse order.
func (x axis) turned(d, length int) axis {
	if d < 0 {
		return axis{length - 1 - x.first, -x.step, x.n}
	}
	return x
}

// count returns how many of n positions a slice with this step takes. n is at least 1, and step is
// not 0.
func count(n, step int) int {
	steps := (n - 1) / step
	return 1 + max(steps, -steps)
}

// intersect returns what a window from lo up to, not including, hi takes of an axis in steps of
// `step`. The axis has positions from first up to, not including, limit. n is how many positions
// the window has, and the result takes those of them that the axis has. The first of these is
// number `skipped` of the window.
func intersect(lo, hi, first, limit, step int) (x axis, n, skipped int) {
	n = count(hi-lo, step)
	step = min(max(step, lo-hi), hi-lo)              // a longer step takes one position, too
	start, ahead, behind := lo, first-lo, limit-1-lo // from the window's first position to the axis' first and last
	if step < 0 {
		start, ahead, behind = hi-1, hi-limit, hi-1-first
	}
	length := max(step, -step)
	skipped = (max(0, ahead) + length - 1) / length
	if end := min(n, behind/length+1); behind >= 0 && skipped < end {
		x = axis{start + skipped*step - first, step, end - skipped}
	}
	return x, n, skipped
}

// cells returns what x takes of the samples that cells of `cell` pixels share, and how many pixels
// of the result share one. x takes pixels `step` apart, also if it takes only one, and its first
// pixel is number `origin` of the picture's coordinates. ok is false if the pixels of a cell of the
// result would not share a sample. shared is 0 if that is so whatever the first pixel.
func (x axis) cells(origin, step, cell int) (c axis, shared int, ok bool) {
	start := origin + x.first
	switch length := max(step, -step); {
	case cell == 1:
		return x, 1, true
	case step%cell == 0:
		return axis{start/cell - origin/cell, step / cell, x.n}, 1, true
	case cell%length != 0:
		return axis{}, 0, false
	default:
		ahead := start % cell // pixels of start's cell before start, in the direction of the steps
		if step < 0 {
			ahead = cell - 1 - ahead
		}
		shared = cell / length
		return axis{start/cell - origin/cell, step / length, (x.n + shared - 1) / shared}, shared, x.n == 1 || ahead < length
	}
}

// part returns n of what x takes, from number first on, or as many as are left.
func (x axis) part(first, n int) axis { return axis{x.first + first*x.step, x.step, min(n, x.n-first)} }

// ascending returns what x takes in ascending order, and whether that reverses it.
func (x axis) ascending() (axis, bool) {
	if x.step < 0 {
		return axis{x.lowest(), -x.step, x.n}, true
	}
	return x, false
}
