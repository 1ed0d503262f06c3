package slice1

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// KernelInfo describes one kernel of this build.
type KernelInfo struct {
	Name   string // "go", "simd", "avx2", "avx512", "neon": what WithKernel takes
	Usable bool   // this host can run it
	Reason string // why it is not usable, or ""
}

// A kernel is what WithKernel names, with its number in the planner.
type kernel struct {
	KernelInfo
	plan.Kernel
}

// kernels lists the kernels of the build, weakest first. The first is "go", which every host
// can run.
var kernels = func() []kernel {
	host := cpuid.Host()
	ks := []kernel{{KernelInfo{Name: nameOf(plan.Go), Usable: true}, plan.Go}}
	for _, inGo := range []bool{true, false} {
		for number, set := range csrc.Sets {
			k := kernel{KernelInfo{Name: set.Name, Usable: host.Has(set.Needs)}, plan.Kernel(number)}
			if !k.Usable {
				k.Reason = "this processor has no " + strings.ToLower(set.Needs) + ", or it is masked"
			}
			if set.InGo == inGo && k.Built() {
				ks = append(ks, k)
			}
		}
	}
	return ks
}()

// usable is the set of the kernels that this host can run.
var usable = func() (ks plan.Kernels) {
	for _, k := range kernels {
		if k.Usable {
			ks |= plan.Only(k.Kernel)
		}
	}
	return ks
}()

// Kernels returns this build's kernels, weakest first; "go" is always usable.
func Kernels() []KernelInfo {
	var infos []KernelInfo
	for _, k := range kernels {
		infos = append(infos, k.KernelInfo)
	}
	return infos
}

// forced is the kernel that the environment variable SLICE1_KERNEL names, or "".
var forced = os.Getenv("SLICE1_KERNEL")

// allowed returns the kernels among which a plan may choose: the one that c names, or else the forced
// one. If there is neither, these are all that are usable or, under the race detector, which does not
// see C's stores, "go" alone unless c names a candidate. The error is ErrKernel if the build has no kernel
// of the name or the host cannot run it.
func allowed(c config) (plan.Kernels, error) {
	name := cmp.Or(c.kernel, forced)
	switch {
	case name == "" && raceEnabled && c.candidate == "":
		return plan.Only(plan.Go), nil
	case name == "":
		return usable, nil
	}
	for _, k := range kernels {
		switch {
		case k.Name != name:
		case !k.Usable:
			return 0, fmt.Errorf("slice1: %w: %s: %s", ErrKernel, name, k.Reason)
		default:
			return plan.Only(k.Kernel), nil
		}
	}
	return 0, fmt.Errorf("slice1: %w: no %q in this build for %s/%s", ErrKernel, name, runtime.GOOS, runtime.GOARCH)
}

// nameOf returns the name of a kernel.
func nameOf(k plan.Kernel) string {
	if k == plan.Go {
		return "go"
	}
	return csrc.Sets[k].Name
}
