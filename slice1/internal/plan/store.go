package plan

import (
	"slices"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

func (j *job) rowBytes() int64 { return j.p.Row.Extent * int64(j.p.Width) }

// suitsNonTemporal reports whether non-temporal stores suit the program. A row
// must have at least 128 bytes, so that it contains a whole line wherever it begins: on a Zen 3 and a Zen 5, rows of a
// line each take twice as long as by ordinary stores. If a row is made of windows, its main vectors must
// advance by a vector each and have at least 128 bytes together. Of tiles, only the form csrc.Tile
// suits.
func (j *job) suitsNonTemporal() bool {
	switch {
	case j.loop == csrc.Copy || j.loop == csrc.Tile:
		return j.rowBytes() >= 2*csrc.LineBytes
	case j.kind == kindWindows:
		if j.set.Masks {
			m := j.p.Masks()
			return m.Advance == j.set.Vector && m.Count*j.set.Vector >= 2*csrc.LineBytes
		}
		w := j.p.Windows()
		return w.Advance == j.set.Vector && w.Count*j.set.Vector >= 2*csrc.LineBytes
	}
	return false
}

// stream makes the program use non-temporal stores, and sets what it
// prefetches. It turns round the loops around the rows that walk the source downwards. stream
// returns false if the set has no non-temporal stores, or if they do not suit the program.
func (j *job) stream() bool {
	p, r := j.p, &j.row
	if !j.set.NonTemporal || !j.suitsNonTemporal() {
		return false
	}
	f := &p.Prefetch
	begin, end, _, _ := nest.Span(j.nest)
	*f = csrc.Prefetch{Begin: begin, Length: end - begin}
	for i := range p.Outer {
		j.ascend(&p.Dims[i])
	}
	switch j.kind {
	case kindTile:
		f.Distance = 256
		if a := &p.Tiles().Across; p.Outer > 0 && a.Extent*a.Src <= f.Distance*3/2 {
			f.Distance = p.Dims[p.Outer-1].Src // what the next view reads of the same lines
		}
	case kindCopy:
		j.prefetchRows(j.rowBytes(), true)
	default:
		if j.set.Masks {
			p.Masks().Period = r.period
		} else {
			p.Windows().Period = r.period
			if r.descends() {
				// The windows were found from the highest position down, and the loop walks the
				// source upwards.
				w := &p.Windows().Main
				slices.Reverse(w.Pick[:w.Windows])
				slices.Reverse(w.At[0][:w.Windows])
				slices.Reverse(w.At[1][:w.Windows])
			}
		}
		// If the row spans eight lines of the source or more for each line that is stored, nothing
		// is prefetched. Processors prefetch such lines by themselves if all of them are read, and
		// otherwise most of them would be prefetched for nothing.
		if abs(r.advance) < 8*r.period {
			j.prefetchRows(r.hi-r.lo, false)
		}
	}
	p.NT = 1
	return true
}

// prefetchRows sets what is prefetched for rows that span `row` bytes of the source each: 8 KiB ahead, or 16 KiB ahead of
// rows of less than 1 KiB, into the second-level cache. Where rows are short, the distance is a whole number of them with
// their gaps. A Zen 5 takes rows that are copied into the first-level cache. A Zen 4 takes 512 bytes ahead of long rows and
// of rows with gaps of two lines at most, and short gaps with the rows before them, into that cache. The numbers are what
// BenchmarkStreams of this package found best on a Zen 5, and `go -C bench run . -sizes L` on a Zen 4 and on a Xeon with
// AMX-FP16.
func (j *job) prefetchRows(row int64, copies bool) {
	p, f := j.p, &j.p.Prefetch
	pitch := int64(0)
	if p.Outer > 0 {
		pitch = p.Dims[p.Outer-1].Src
	}
	joined := row >= 32768 || pitch <= row+2*csrc.LineBytes
	f.Reach, f.Distance = row, 8192
	if row < 1024 {
		f.Distance = 16384
	}
	if j.host.Name == "zen" && (joined || copies && pitch <= row+min(row, 2048)) {
		f.Near, f.Distance = 1, 512
		if !copies && abs(j.row.advance) > j.row.period {
			f.Distance = 256 // more than one line is read for each that is stored
		}
		if !joined {
			f.Reach = pitch
		}
		return
	}
	if j.host.Name == "zen5" && copies {
		f.Near = 1
	}
	if pitch > 0 && row < 4*f.Distance {
		f.Distance = pitch * ceilDiv(f.Distance, pitch)
	}
}
