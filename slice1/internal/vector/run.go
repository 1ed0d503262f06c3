//go:build goexperiment.simd && (amd64 || arm64 || wasm) && go1.27 && !go1.28

// Package vector holds loops for programs in Go's own vector instructions, package
// simd/archsimd: those of the sets "simd" of package csrc. It exists where the experiment is
// on, for amd64, arm64 and wasm. What differs between these is in files of their names: how
// long a vector is, how it is loaded, stored and permuted, and, for arm64, the loops that take
// fewer instructions there in another form. Vectors of arm64 and wasm are one lane, as lane.go
// says. Files copy.go, gather_other.go and strip.go are for amd64 and wasm.
//
// What package portable says of its kernels holds for these too.
package vector

import (
	"runtime"
	"simd/archsimd"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// Built reports whether this build has these loops. Those of amd64 need AVX2.
const Built = true

const lane = csrc.LaneBytes

// forms are those of the set's loops, by number.
var forms = func() (table []csrc.Form) {
	for number, set := range csrc.Sets {
		if !set.InGo || set.Arch != runtime.GOARCH {
			continue
		}
		for loop := range csrc.LoopNames(int32(number)) {
			table = append(table, csrc.FormOf(int32(number), int32(loop)))
		}
	}
	return table
}()

// rows are what one call of a loop makes: n rows, and bytes from one to the next.
type rows struct{ n, dst, src int }

// Run runs p once. What csrc.Program.Run says holds here too.
func Run(p *csrc.Program, dst, src unsafe.Pointer) {
	form := forms[p.Loop]
	if leaves(p, form) {
		portableRun(p, dst, src)
		return
	}
	in := &p.Innermost
	r := rows{int(in.Extent), int(in.Dst), int(in.Src)}
	d, s := int(p.Dst), int(p.Src)
	if p.Outer <= 1 {
		r.run(p, form, unsafe.Add(dst, d), unsafe.Add(src, s))
		end()
		return
	}
	at := [csrc.MaxRank]int64{}
	for {
		r.run(p, form, unsafe.Add(dst, d), unsafe.Add(src, s))
		step := next(p, &at)
		if step == nil {
			break
		}
		d += (r.n-1)*r.dst + int(step.Dst)
		s += (r.n-1)*r.src + int(step.Src)
	}
	end()
}

// next moves to the next row by the loops around the innermost one: at holds the iteration of
// each. It returns the one that takes a step, or nil after the last row.
func next(p *csrc.Program, at *[csrc.MaxRank]int64) *csrc.Dim {
	for i := int(p.Outer) - 2; i >= 0; i-- {
		if at[i]++; at[i] < p.Dims[i].Extent {
			return &p.Dims[i]
		}
		at[i] = 0
	}
	return nil
}

// leaves reports whether package portable runs a program, since vectors gain nothing.
func leaves(p *csrc.Program, form csrc.Form) bool {
	switch form {
	case csrc.Copy:
		n := p.Row.Extent * int64(p.Width)
		return n < lane || n > maxCopied
	case csrc.Tile:
		up, w := p.Tiles().Across.Src, int64(p.Width)
		return up != w && up != 2*w
	case csrc.Gather, csrc.Element:
		return !gathers(p)
	case csrc.Fill:
		return true
	}
	return false
}

// portableRun runs a program that leaves accepts by package portable.
func portableRun(p *csrc.Program, dst, src unsafe.Pointer) {
	n := nest.Nest{Width: p.Width, Rank: p.Outer, SrcOff: p.Src, DstOff: p.Dst}
	var d, s int64 // what the loops inside one have moved, which its step takes back
	for i := p.Outer - 1; i >= 0; i-- {
		dim := &p.Dims[i]
		n.Dims[i] = nest.Dim{Extent: dim.Extent, Src: dim.Src + s, Dst: dim.Dst + d}
		d += (dim.Extent - 1) * n.Dims[i].Dst
		s += (dim.Extent - 1) * n.Dims[i].Src
	}
	if p.Kind == csrc.Tiled {
		n.Dims[n.Rank] = nest.Dim(p.Tiles().Across)
		n.Rank++
	}
	n.Dims[n.Rank] = nest.Dim(p.Row)
	n.Rank++
	portable.Run(&n, dst, src)
}

func (r rows) run(p *csrc.Program, form csrc.Form, d, s unsafe.Pointer) {
	switch form {
	case csrc.Copy:
		r.copy(d, s, int(p.Row.Extent)*int(p.Width))
	case csrc.Lanes:
		r.shuffled(p.Windows(), form, d, s)
	case csrc.UnitsLanes, csrc.UnitsBytes:
		r.units(p, form, d, s)
	case csrc.Tile:
		r.tiles(p, d, s)
	case csrc.Gather, csrc.Element:
		r.elements(p, d, s)
	default:
		r.others(p, form, d, s)
	}
}

func loadLane(p unsafe.Pointer, at int) archsimd.Uint8x16 {
	return archsimd.LoadUint8x16Array((*[lane]uint8)(unsafe.Add(p, at)))
}

func storeLane(p unsafe.Pointer, at int, v archsimd.Uint8x16) {
	v.StoreArray((*[lane]uint8)(unsafe.Add(p, at)))
}
