package plan

import (
	"math/bits"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Storing says how a program stores its output, and what it prefetches if it stores
// by non-temporal stores.
type Storing int8

const (
	Cached Storing = iota // into the caches
	Far                   // non-temporal; the source is prefetched pages ahead, into the second-level cache
	Near                  // the same, but rows to copy are prefetched into the first-level cache
	Short                 // the same, but a few lines ahead where the source has no gaps, or narrow ones, which are prefetched too
)

// StoringOf returns how this host stores n, of so many bytes: by non-temporal stores from
// the given size on, by default if that is 0, never if it is negative.
func StoringOf(n *nest.Nest, bytes, from int64) Storing {
	if from == 0 {
		from = nonTemporalFrom(n, cpuid.Host())
	}
	if from < 0 || bytes < from {
		return Cached
	}
	return NonTemporal()
}

// nonTemporalFrom returns the output from which on non-temporal stores pay even for those
// who read it next: half the third-level cache, which source and output then fill, but no
// more than 32 MiB, since other programs have a share in a large one. With a cache of
// 32 MiB
//
//	go test ./slice1 -run - -bench Streaming -benchtime 1x
//
// shows the rule. Plain stores of tiles read each line from the third-level cache first,
// so that tiles gain from a few times the second-level cache on: on Zen 4, of 1 MiB,
//
//	go test ./slice1 -run - -bench TransposedPictures -benchtime 1x
//
// shows the sizes, which are larger where lines are stored in pieces.
func nonTemporalFrom(n *nest.Nest, host cpuid.Features) int64 {
	from := int64(32 << 20)
	if host.L3 > 0 {
		from = min(from, int64(host.L3/2))
	}
	if nest.Transposed(n) < 0 || n.Inner().Extent*int64(n.Width) < 2*csrc.LineBytes {
		return from
	}
	ends := n.Inner().Extent * int64(n.Width)
	for _, d := range n.Dims[:n.Rank-1] {
		ends |= d.Dst
	}
	lines := ends%csrc.LineBytes == 0
	times := int64(5) // the second-level cache, of at least 1 MiB
	switch {
	case lines && n.Width > 1:
		times = 2
	case lines:
		times = 3
	case n.Width == 1:
		return from
	}
	return min(from, times*max(1<<20, int64(host.L2)))
}

// NonTemporal returns how this host stores by non-temporal stores.
func NonTemporal() Storing { return nonTemporalOf(cpuid.Host()) }

func nonTemporalOf(host cpuid.Features) Storing {
	switch {
	case host.FetchNear:
		return Near
	case host.FetchShort:
		return Short
	}
	return Far
}

// wholeLines reports whether all rows are whole lines if the first one is.
func (j *job) wholeLines() bool {
	ends := j.rowBytes()
	for i := range j.p.Outer {
		ends |= j.p.Dims[i].Dst
	}
	return ends%csrc.LineBytes == 0
}

func (j *job) rowBytes() int64 { return j.p.Row.Extent * int64(j.p.Width) }

// suitsNonTemporal reports whether the program's rows have whole lines, which its
// vectors fill.
func (j *job) suitsNonTemporal(k kind) bool {
	switch k {
	case kindCopy:
		return j.rowBytes() >= 2*csrc.LineBytes || j.wholeLines()
	case kindTile, kindGather:
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

// stream lets a program that suits it store by non-temporal stores. Rows go so that
// the source ascends, and it is prefetched as many of them ahead as make a few pages,
// so that what is prefetched is what a later row reads. It reports success.
func (j *job) stream(k kind) bool {
	p, r := j.p, &j.row
	if !j.suitsNonTemporal(k) {
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
			p.Windows().PerGrain, p.Windows().Grain = r.advance, grain
		}
		j.prefetchRows(r.hi-r.lo, false)
	}
	if j.set.NonTemporal {
		p.NT = 1
		p.Loop, _ = csrc.Loop(j.number, j.loop, csrc.NT)
	}
	return true
}

// prefetchRows sets what is prefetched for rows that take so many bytes of the source.
// The numbers are what BenchmarkStreams of this package found best.
func (j *job) prefetchRows(row int64, copies bool) {
	const line = csrc.LineBytes
	p, f := j.p, &j.p.Prefetch
	pitch := int64(0)
	if p.Outer > 0 {
		pitch = p.Dims[p.Outer-1].Src
	}
	run, i := row, p.Outer-1 // source without gaps, a line or two excepted
	for ; i >= 0 && p.Dims[i].Src <= run+2*line; i-- {
		run += (p.Dims[i].Extent - 1) * p.Dims[i].Src
	}
	gaps := i >= 0 && run < 32768
	bridged := copies && run == row && pitch <= 2*row
	f.Reach = row
	if copies && j.storing == Near {
		f.Near = 1
	}
	if j.storing == Short && (!gaps || bridged) {
		f.Near, f.Distance = 1, 512
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
