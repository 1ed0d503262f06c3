// Package cpuid detects the CPU features that the kernels of package slice1 need: AVX2,
// AVX-512 and NEON, the microarchitecture, and the cache sizes of this host. It is for
// slice1 alone and promises no compatibility: elsewhere use klauspost/cpuid, which it wraps.
package cpuid

import (
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/klauspost/cpuid/v2"
)

// Features is what a processor and its operating system offer. The zero value
// is a processor about which nothing is known; it runs portable code only.
type Features struct {
	AVX2       bool
	AVX512VBMI bool // AVX-512 F, BW, VL and VBMI, all of them
	NEON       bool // baseline on arm64

	// Microarchitecture names the processor's design where its costs are known: "zen4",
	// "zen5", "sapphirerapids" or "neoverse", or the one that DML_CPU names. Designs close
	// to one of these have its name, any other "".
	Microarchitecture string

	L1D, L2, L3 int // data cache sizes in bytes; 0 if unknown

	Brand string // the processor's own name; "" if unknown
}

// Has reports whether the instruction set field of that name is set: "AVX2", "AVX512VBMI"
// or "NEON". "" is what every host has.
func (f Features) Has(name string) bool {
	switch name {
	case "":
		return true
	case "AVX2":
		return f.AVX2
	case "AVX512VBMI":
		return f.AVX512VBMI
	case "NEON":
		return f.NEON
	}
	return false
}

// Host returns the features of this host less those that the environment
// variable DML_CPU hides. DML_CPU is a comma-separated list of
//
//	-avx2     hide AVX2, and with it AVX-512
//	-avx512   hide AVX-512
//	-neon     hide NEON
//	none      hide them all
//	costs:ROW plan for the microarchitecture ROW, such as zen4
//
// Any other word hides them all too: what asks for less never gets more
// because of a typing error. Cache sizes and brand are never hidden.
//
// Host looks once, at its first call, and returns the same from then on. It is
// safe for concurrent use.
func Host() Features { return host() }

var host = sync.OnceValue(func() Features {
	return mask(detect(), os.Getenv("DML_CPU"))
})

// Families of AMD's processors, the first of their kind.
const (
	zen  = 23
	zen5 = 26
)

// microarchitecture returns the name of a processor's design, or "". arch is a GOARCH; vbmi
// is true if the processor has AVX-512 with VBMI.
func microarchitecture(arch string, vendor cpuid.Vendor, family int, vbmi bool) string {
	switch {
	case arch == "arm64":
		return "neoverse"
	case vendor == cpuid.AMD && family >= zen5:
		return "zen5"
	case vendor == cpuid.AMD && family >= zen:
		return "zen4"
	case vendor == cpuid.Intel && vbmi:
		return "sapphirerapids"
	}
	return ""
}

func detect() Features {
	c := &cpuid.CPU
	vbmi := c.Supports(cpuid.AVX2, cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512VL, cpuid.AVX512VBMI)
	return Features{
		// Both are reported only where the operating system saves the registers.
		AVX2:              c.Supports(cpuid.AVX2),
		AVX512VBMI:        emulatesAVX512 && c.Supports(cpuid.AVX2) || vbmi,
		NEON:              runtime.GOARCH == "arm64",
		Microarchitecture: microarchitecture(runtime.GOARCH, c.VendorID, c.Family, vbmi),
		// -1 stands for unknown.
		L1D:   max(0, c.Cache.L1D),
		L2:    max(0, c.Cache.L2),
		L3:    max(0, c.Cache.L3),
		Brand: c.BrandName,
	}
}

// mask returns f less what env, in the syntax of DML_CPU, hides.
func mask(f Features, env string) Features {
	for word := range strings.SplitSeq(env, ",") {
		word = strings.TrimSpace(word)
		if row, ok := strings.CutPrefix(word, "costs:"); ok {
			f.Microarchitecture = row
			continue
		}
		switch word {
		case "":
		case "-avx2":
			f.AVX2, f.AVX512VBMI = false, false
		case "-avx512":
			f.AVX512VBMI = false
		case "-neon":
			f.NEON = false
		default:
			f.AVX2, f.AVX512VBMI, f.NEON = false, false, false
		}
	}
	return f
}

// String lists the instruction sets in lower case, such as "avx2 avx512vbmi",
// or "none".
func (f Features) String() string {
	var names []string
	if f.AVX2 {
		names = append(names, "avx2")
	}
	if f.AVX512VBMI {
		names = append(names, "avx512vbmi")
	}
	if f.NEON {
		names = append(names, "neon")
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, " ")
}
