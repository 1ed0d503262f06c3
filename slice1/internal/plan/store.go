package plan

import (
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// suitsNonTemporal reports whether non-temporal stores suit the program. A row must have at least
// 128 bytes, so that it contains a whole line wherever it begins: on a Zen 3 and a Zen 5, rows of
// one line take twice as long as by ordinary stores. If a row is made of windows, its main vectors
// must advance by a vector each and have at least 128 bytes together. Tiles suit only by form
// program.Tile.
func (j *job) suitsNonTemporal() bool {
	switch form := program.FormOf(j.p.Loop); {
	case form == program.Copy || form == program.Tile:
		return j.rowBytes() >= 2*program.LineBytes
	case j.Kind == kindShuffle:
		if j.set.Masks {
			m := j.p.Masks()
			return m.Advance == j.set.Vector && m.Count*j.set.Vector >= 2*program.LineBytes
		}
		w := j.p.Shuffle()
		return w.Advance == j.set.Vector && w.Count*j.set.Vector >= 2*program.LineBytes
	}
	return false
}

// stream makes the program use non-temporal stores, and sets what it prefetches. It reverses the
// loops around the rows that walk the source downwards. stream returns false if the set has no
// non-temporal stores, or if they do not suit the program.
func (j *job) stream() bool {
	p, r := j.p, &j.row
	if !j.set.NonTemporal || !j.suitsNonTemporal() {
		return false
	}
	f := &p.Prefetch
	begin, end, _, _ := nest.Span(j.nest)
	*f = program.Prefetch{Begin: begin, Length: end - begin}
	for i := range p.Outer {
		j.ascend(&p.Dims[i])
	}
	switch j.Kind {
	case kindTile:
		f.Distance = 256
		if lines := &p.Tiles().Across; p.Outer > 0 && lines.Extent*lines.Src <= f.Distance*3/2 {
			f.Distance = p.Dims[p.Outer-1].Src // what the next view reads of the same lines
		}
	case kindCopy:
		j.prefetchRows(j.rowBytes(), true)
	default:
		if j.set.Masks {
			p.Masks().Period = r.period
		} else {
			p.Shuffle().Period = r.period
			if r.descends() {
				// The windows were found from the highest position down, and the loop walks the
				// source upwards.
				w := &p.Shuffle().Main
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

// ascend reverses a loop of the job's program if it walks the source downwards, so that the same
// iterations come in the other order.
func (j *job) ascend(d *nest.Dim) {
	if d.Src >= 0 {
		return
	}
	j.p.Src += (d.Extent - 1) * d.Src
	j.p.Dst += (d.Extent - 1) * d.Dst
	d.Src, d.Dst = -d.Src, -d.Dst
}

// What is true of rows, as bits. rowsAhead chooses by them what is prefetched.
const (
	copied     uint8 = 1 << iota // contiguous on both sides
	long                         // of 1 KiB of the source or more
	joined                       // of 32 KiB or more, or with gaps of two lines at most between them in the source
	narrowGaps                   // with gaps of at most 2 KiB, which are no longer than the rows
	dense                        // made of windows, with more than one line read for each line stored
)

// ahead is how a loop with non-temporal stores prefetches for rows. The distance is in bytes of the
// source.
type ahead struct {
	distance int64
	level    int8 // of the cache that is prefetched into
	whole    bool // whether the distance of short rows is rounded up to whole rows with their gaps
	gaps     bool // whether gaps are prefetched with the rows before them
}

// rowsAhead says how to prefetch for rows of which some bits hold on a microarchitecture, or on any
// if host is empty. The first line that fits counts, and the last one fits all. The distances were
// found best on a Zen 5 by BenchmarkStreams of this package, and on a Zen 4 and on a Xeon with
// AMX-FP16 by `go -C bench run . -sizes L`.
var rowsAhead = [...]struct {
	host string
	rows uint8
	ahead
}{

	{"zen", joined | dense, ahead{distance: 256, level: 1}},
	{"zen", joined, ahead{distance: 512, level: 1}},
	{"zen", copied | narrowGaps, ahead{distance: 512, level: 1, gaps: true}},
	{"zen5", copied | long, ahead{distance: 8192, level: 1, whole: true}},
	{"zen5", copied, ahead{distance: 16384, level: 1, whole: true}},
	{"", long, ahead{distance: 8192, level: 2, whole: true}},
	{"", 0, ahead{distance: 16384, level: 2, whole: true}},
}

// prefetchRows sets what is prefetched for rows that span `row` bytes of the source each. copies
// says whether they are contiguous on both sides. rowsAhead says what is prefetched.
func (j *job) prefetchRows(row int64, copies bool) {
	p, f := j.p, &j.p.Prefetch
	pitch := int64(0)
	if p.Outer > 0 {
		pitch = p.Dims[p.Outer-1].Src
	}
	var rows uint8
	add := func(sort uint8, holds bool) {
		if holds {
			rows |= sort
		}
	}
	add(copied, copies)
	add(long, row >= 1024)
	add(joined, row >= 32768 || pitch <= row+2*program.LineBytes)
	add(narrowGaps, pitch <= row+min(row, 2048))
	add(dense, !copies && abs(j.row.advance) > j.row.period)
	var found ahead
	for _, entry := range rowsAhead {
		if entry.host != "" && entry.host != j.host.Name || entry.rows&^rows != 0 {
			continue
		}
		found = entry.ahead
		break
	}
	f.Reach, f.Distance, f.Near = row, found.distance, int64(2-found.level)
	if found.gaps {
		f.Reach = pitch
	}
	if found.whole && pitch > 0 && row < 4*f.Distance {
		f.Distance = pitch * ceilDiv(f.Distance, pitch)
	}
}
