package plan

import (
	"runtime"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// Built reports whether this build has a kernel.
func (k Kernel) Built() bool {
	if k == Go {
		return true
	}
	set := &csrc.Sets[k]
	return vector.Built && set.InGo && set.Arch == runtime.GOARCH || csrc.Built(int32(k))
}

// Run runs p once, whose kernel is built in. What [csrc.Program.Run] says holds for all.
func Run(p *csrc.Program, dst, src unsafe.Pointer) {
	if vector.Built && csrc.Sets[p.Set].InGo {
		vector.Run(p, dst, src)
		return
	}
	p.Run(dst, src)
}
