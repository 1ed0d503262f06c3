package plan

import (
	"math/bits"
	"slices"

	"github.com/seed2e45c115/dml/csrc"
)

// Storing is how a program stores its output, and what it prefetches if it stores by
// non-temporal stores.
type Storing int8

const (
	Cached Storing = iota // into the caches
	Far                   // non-temporal; the source is prefetched pages ahead, into the second-level cache
	Near                  // the same, but rows to copy are prefetched into the first-level cache
	Short                 // the same, but a few lines ahead where the source has no gaps, or narrow ones, which are prefetched too
)

// wholeLines reports whether all rows, of `row` bytes each, are whole lines if the first one is.
func (j *job) wholeLines(row int64) bool {
	ends := row
	for i := range j.p.Outer {
		ends |= j.p.Dims[i].Dst
	}
	return ends%csrc.LineBytes == 0
}

func (j *job) rowBytes() int64 { return j.p.Row.Extent * int64(j.p.Width) }

// streams reports whether a kind has loops with non-temporal stores.
func streams(k kind) bool {
	return k == kindCopy || k == kindTile || k == kindGather || k == kindWindows
}

// suitsNonTemporal reports whether the program's rows have whole lines, which its
// vectors fill.
func (j *job) suitsNonTemporal(k kind) bool {
	switch k {
	case kindCopy:
		return j.rowBytes() >= 2*csrc.LineBytes || j.wholeLines(j.rowBytes())
	case kindTile:
		return j.loop == csrc.Tile && j.rowBytes() >= 2*csrc.LineBytes
	case kindGather:
		return j.rowBytes() >= 2*csrc.LineBytes
	case kindWindows:
		if j.set.Masks {
			m := j.p.Masks()
			return m.Advance == j.set.Vector && m.Count*j.set.Vector >= 2*csrc.LineBytes
		}
		w := j.p.Windows()
		return w.Advance == j.set.Vector && w.Count*j.set.Vector >= 2*csrc.LineBytes
	}
	return false
}

// stream makes a program that suits it store by non-temporal stores. All loops walk the source
// upwards. It is prefetched as far ahead as the job's storing says, by whole rows: what is
// prefetched is what a later row reads. stream reports success.
func (j *job) stream(k kind) bool {
	p, r := j.p, &j.row
	if !j.set.NonTemporal || !j.suitsNonTemporal(k) {
		return false
	}
	f := &p.Prefetch
	*f = csrc.Prefetch{Begin: j.nest.SrcOff, Length: int64(p.Width)}
	for _, d := range j.nest.Dims[:j.nest.Rank] {
		reach := d.Src * (d.Extent - 1)
		f.Begin += min(0, reach)
		f.Length += abs(reach)
	}
	for i := range p.Outer {
		j.ascend(&p.Dims[i])
	}
	switch k {
	case kindGather:
		f.Distance = p.Row.Src * min(64, p.Row.Extent-1)
	case kindTile:
		f.Distance = 256
	case kindCopy:
		j.prefetchRows(j.rowBytes(), true)
	default:
		grain := int32(bits.TrailingZeros64(uint64(r.period)))
		if j.set.Masks {
			p.Masks().PerGrain, p.Masks().Grain = r.advance, grain
		} else {
			w := p.Windows()
			w.PerGrain, w.Grain = r.advance, grain
			if r.descends() {
				// The windows were found downwards, and the loop loads upwards.
				n := w.Main.Windows
				slices.Reverse(w.Main.Pick[:n])
				slices.Reverse(w.Main.At[0][:n])
				slices.Reverse(w.Main.At[1][:n])
			}
		}
		// Where eight or more adjacent lines are read for each that is stored, processors prefetch
		// them themselves. Where those lines are not adjacent, most would not be needed.
		if abs(r.advance) < 8*r.period {
			j.prefetchRows(r.hi-r.lo, false)
		}
	}
	p.NT = 1
	p.Loop, _ = csrc.Loop(j.number, j.loop, csrc.NT)
	return true
}

// prefetchRows sets what is prefetched for rows that take `row` bytes of the source, which are
// copied if `copies`. The numbers are what BenchmarkStreams of this package found best.
func (j *job) prefetchRows(row int64, copies bool) {
	const line = csrc.LineBytes
	p, f := j.p, &j.p.Prefetch
	pitch := int64(0)
	if p.Outer > 0 {
		pitch = p.Dims[p.Outer-1].Src
	}
	run, i := row, p.Outer-1 // bytes of source without a gap of more than two lines
	for ; i >= 0 && p.Dims[i].Src <= run+2*line; i-- {
		run += (p.Dims[i].Extent - 1) * p.Dims[i].Src
	}
	gaps := i >= 0 && run < 32768
	bridged := copies && run == row && pitch-row <= min(row, 2048)
	f.Reach = row
	if copies && j.storing == Near {
		f.Near = 1
	}
	if j.storing == Short && (!gaps || bridged) {
		f.Near, f.Distance = 1, 512
		if !copies && abs(j.row.advance) > j.row.period {
			f.Distance = 256 // several lines are read for each that is stored
		}
		if gaps {
			f.Reach = pitch
		}
		return
	}
	f.Distance = 8192
	if row < 1024 || j.storing == Short {
		f.Distance = 16384
	}
	if pitch > 0 && row < 4*f.Distance {
		f.Distance = pitch * ceilDiv(f.Distance, pitch)
	}
}
