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
	ks := []kernel{{info(plan.Go, "", true), plan.Go}}
	for _, inGo := range []bool{true, false} {
		for number, set := range csrc.Sets {
			if k := plan.Kernel(number); set.InGo == inGo && k.Built() {
				ks = append(ks, kernel{info(k, strings.ToLower(set.Needs), host.Has(set.Needs)), k})
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

func info(k plan.Kernel, needs string, usable bool) KernelInfo {
	i := KernelInfo{Name: nameOf(k), Usable: usable}
	if !usable {
		i.Reason = "this processor has no " + needs + ", or it is masked"
	}
	return i
}

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

// named returns the kernel of the given name, or an error that is ErrKernel if the build has
// none or the host cannot run it.
func named(name string) (*kernel, error) {
	for i := range kernels {
		if k := &kernels[i]; k.Name == name {
			if !k.Usable {
				return nil, fmt.Errorf("slice1: %w: %s: %s", ErrKernel, name, k.Reason)
			}
			return k, nil
		}
	}
	return nil, fmt.Errorf("slice1: %w: no %q in this build for %s/%s", ErrKernel, name, runtime.GOOS, runtime.GOARCH)
}

// allowed returns the kernels among which a plan may choose: the one that c names, or else the forced
// one. If there is neither, these are all that are usable or, under the race detector, which does not
// see C's stores, "go" alone unless c names a candidate. The error is that of named.
func allowed(c config) (plan.Kernels, error) {
	name := cmp.Or(c.kernel, forced)
	if name == "" && raceEnabled && c.candidate == "" {
		return plan.Only(plan.Go), nil
	}
	if name == "" {
		return usable, nil
	}
	k, err := named(name)
	if err != nil {
		return 0, err
	}
	return plan.Only(k.Kernel), nil
}

// nameOf returns the name of a kernel.
func nameOf(k plan.Kernel) string {
	if k == plan.Go {
		return "go"
	}
	return csrc.Sets[k].Name
}
