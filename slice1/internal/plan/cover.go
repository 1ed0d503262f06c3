package plan

import (
	"math"
	"math/bits"
	"slices"

	"github.com/seed2e45c115/dml/csrc"
)

// cover is a set of windows of the source that merge into one vector: each place of the vector
// is taken from at most one window.
type cover struct {
	grain   int64 // bytes of a grain
	windows int
	at      [csrc.MaxWindows]int32
	taken   [csrc.MaxWindows]uint64 // bit i: grain i of the window is taken
}

// find covers at most 64 grains with at most `most` windows of v bytes, from the lowest
// position up or from the highest down. It reports success.
func (c *cover) find(pos []int64, grain, v int64, most int, down bool) bool {
	c.grain = grain
	places := v / grain
	used, todo, all := uint64(0), lowBits(int64(len(pos))), lowBits(places)
	inOrder := ordered(pos, down)
	for c.windows = 0; todo != 0; c.windows++ {
		if c.windows == most {
			return false
		}
		next := pos[bits.TrailingZeros64(todo)]
		if !inOrder {
			next = extreme(pos, todo, down)
		}
		if next < math.MinInt32+csrc.PermuteBytes || next > math.MaxInt32-csrc.PermuteBytes {
			return false
		}
		start := next
		if down {
			start -= v - grain
		}
		taken := window(pos, todo, start, grain, v, inOrder)
		// Move the window by a few grains until what it takes falls on free places. The next
		// window takes what it then leaves.
		moved := int64(0)
		for ; taken&used != 0; moved++ {
			if moved == places-1 {
				return false
			}
			if down {
				taken >>= 1
			} else {
				taken = taken << 1 & all
			}
		}
		if down {
			start += moved * grain
		} else {
			start -= moved * grain
		}
		for t := todo; t != 0; t &= t - 1 {
			if i := bits.TrailingZeros64(t); uint64(pos[i]-start) < uint64(v) {
				todo &^= 1 << i
			} else if inOrder {
				break
			}
		}
		used |= taken
		c.at[c.windows] = int32(start)
		c.taken[c.windows] = taken
	}
	return true
}

// ascends reports whether the windows are in ascending order of their positions.
func (c *cover) ascends() bool { return c.windows < 2 || c.at[0] < c.at[1] }

// reverse puts the windows in the other order. index must be called before, since it takes a grain
// from the first window that holds it.
func (c *cover) reverse() {
	slices.Reverse(c.at[:c.windows])
	slices.Reverse(c.taken[:c.windows])
}

// extreme returns the highest of the positions of todo if down, else the lowest.
func extreme(pos []int64, todo uint64, down bool) int64 {
	next := pos[bits.TrailingZeros64(todo)]
	for t := todo & (todo - 1); t != 0; t &= t - 1 {
		if at := pos[bits.TrailingZeros64(t)]; down {
			next = max(next, at)
		} else {
			next = min(next, at)
		}
	}
	return next
}

// ordered reports whether the positions descend if down, else ascend.
func ordered(pos []int64, down bool) bool {
	for i := 1; i < len(pos); i++ {
		if pos[i] != pos[i-1] && pos[i] > pos[i-1] == down {
			return false
		}
	}
	return true
}

// window returns which grains of the window at start are positions of todo. If the positions are
// in order, none is looked at behind the first that is outside.
func window(pos []int64, todo uint64, start, grain, v int64, inOrder bool) (taken uint64) {
	log := bits.TrailingZeros64(uint64(grain))
	for ; todo != 0; todo &= todo - 1 {
		if at := uint64(pos[bits.TrailingZeros64(todo)] - start); at < uint64(v) {
			taken |= 1 << (at >> log)
		} else if inOrder {
			break
		}
	}
	return taken
}

// bytes returns the bytes that each window takes.
func (c *cover) bytes() (taken [csrc.MaxWindows]uint64) {
	if c.grain == 1 {
		return c.taken
	}
	for k, grains := range c.taken[:c.windows] {
		for ; grains != 0; grains &= grains - 1 {
			taken[k] |= lowBits(c.grain) << (int64(bits.TrailingZeros64(grains)) * c.grain)
		}
	}
	return taken
}

// index sets to[i] to the place of byte i of the grains at pos in the merged windows.
func (c *cover) index(to []uint8, pos []int64, v int64) {
	for i, p := range pos {
		at := c.place(v, p)
		for b := range int(c.grain) {
			to[i*int(c.grain)+b] = uint8(at + b)
		}
	}
}

// place returns the place in the merged windows where the grain at pos begins.
func (c *cover) place(v, pos int64) int {
	k := 0 // the first window that holds a grain takes it
	for uint64(pos-int64(c.at[k])) >= uint64(v) {
		k++
	}
	return int(pos - int64(c.at[k]))
}

// lowBits returns a mask of the n lowest bits.
func lowBits(n int64) uint64 {
	if n >= 64 {
		return math.MaxUint64
	}
	return 1<<n - 1
}
