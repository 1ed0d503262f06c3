package plan

import (
	"runtime"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// Built reports whether the build includes kernel k. The host may lack k's instructions.
func (k Kernel) Built() bool {
	if k == Go {
		return true
	}
	for _, set := range csrc.Sets[k].Kernel {
		if s := &csrc.Sets[set]; !(vector.Built && s.InGo && s.Arch == runtime.GOARCH) && !csrc.Built(set) {
			return false
		}
	}
	return true
}

// InC reports whether a run by kernel k is a call into C.
func (k Kernel) InC() bool { return k >= 0 && !(vector.Built && csrc.Sets[k].InGo) }

// Run runs p once. The build must include the kernel of p. For every kernel the caller guarantees
// what [csrc.Program.Run] demands.
func Run(p *csrc.Program, dst, src unsafe.Pointer) {
	if Kernel(p.Set).InC() {
		p.Run(dst, src)
	} else {
		vector.Run(p, dst, src)
	}
}

// CallParts is the most parts that RunParts takes: a call into C then takes some hundred
// microseconds. Longer calls would let a cancelled context wait. Shorter ones would lose the
// processor more often: package yield says why, and what that costs.
const CallParts = 8

// RunParts runs `count` parts of ps, from part `first` on and at most CallParts, as Run does. There
// is a program for each shape of part.
func RunParts(programs []csrc.Program, ps *Pieces, first, count int64, dst, src unsafe.Pointer) {
	var parts [CallParts]csrc.Part
	for i := range parts[:count] {
		from, to, shape := ps.Part(first + int64(i))
		parts[i] = csrc.Part{Src: from, Dst: to, Program: int64(shape)}
	}
	if Kernel(programs[0].Set).InC() {
		csrc.RunParts(programs, parts[:count], dst, src)
		return
	}
	for _, p := range parts[:count] {
		vector.Run(&programs[p.Program], unsafe.Add(dst, p.Dst), unsafe.Add(src, p.Src))
	}
}
