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
	set := &csrc.Sets[k]
	return vector.Built && set.InGo && set.Arch == runtime.GOARCH || csrc.Built(int32(k))
}

// Run runs p once. The build must include the kernel of p. For every kernel the caller guarantees
// what [csrc.Program.Run] demands.
func Run(p *csrc.Program, dst, src unsafe.Pointer) {
	if vector.Built && csrc.Sets[p.Set].InGo {
		vector.Run(p, dst, src)
		return
	}
	p.Run(dst, src)
}
