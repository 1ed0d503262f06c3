// Package cpuid detects what package slice1 must know about this host's processor: whether it has
// AVX2, AVX-512, VNNI, F16C and NEON, its microarchitecture, and the sizes of its data caches. It
// is for slice1 alone and promises no compatibility. Elsewhere use klauspost/cpuid, which it wraps.
package cpuid

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/klauspost/cpuid/v2"
)

// Features is what a processor and its operating system offer. The zero value is an unknown
// processor with none of these instruction sets.
type Features struct {
	AVX2       bool
	AVX512VBMI bool // AVX-512 F, BW, VL and VBMI, all of them
	AVX512VNNI bool // AVX512VBMI, and VNNI, which adds products of bytes
	F16C       bool // AVX's conversions of float16; also true on arm64, where NEON has such conversions
	NEON       bool // true only on arm64, where every processor has it
	ERMS       bool // fast string instructions, which copy long rows

	// Microarchitecture is "zen" for AMD's Zen to Zen 4 (families 23 to 25), "zen5" for AMD's later
	// families, and "" for any other processor. The costs and the prefetches of package plan depend
	// on it.
	Microarchitecture string

	L1D, L2, L3 int // data cache sizes in bytes; 0 if unknown

	Brand string // the processor's own name; "" if unknown
}

// Has reports whether the processor has the instruction set of the field with this name: "AVX2",
// "AVX512VBMI", "AVX512VNNI" or "NEON". It is true for "" and false for any other name.
func (f Features) Has(name string) bool {
	switch name {
	case "":
		return true
	case "AVX2":
		return f.AVX2
	case "AVX512VBMI":
		return f.AVX512VBMI
	case "AVX512VNNI":
		return f.AVX512VNNI
	case "NEON":
		return f.NEON
	}
	return false
}

// Host returns the features of this host, changed by the environment variable DML_CPU. DML_CPU is a
// comma-separated list of these words:
//
//	-avx2         hide AVX2, and with it AVX-512
//	-avx512       hide AVX-512, and with it VNNI
//	-vnni         hide VNNI
//	-f16c         hide F16C
//	-neon         hide NEON
//	none          hide AVX2, AVX-512 and NEON
//
// Spaces around a word and empty words do not matter. Any other word is an error, which Err
// returns. Like none, it hides AVX2, AVX-512 and NEON, so that a typing error does not turn on what
// the user wanted to hide. Cache sizes and brand are never hidden.
//
// Host reads DML_CPU at the first call of Host or Err, and returns the same from then on. It is
// safe for concurrent use.
func Host() Features { return host().Features }

// Err returns an error if DML_CPU has an unknown word. The error names DML_CPU, that word and the
// words that it may have.
func Err() error { return host().err }

var host = sync.OnceValue(func() (h struct {
	Features
	err error
}) {
	h.Features, h.err = mask(detect(), os.Getenv("DML_CPU"))
	return h
})

// The first families of AMD's processors with Zen and with Zen 5 cores.
const (
	zen  = 23
	zen5 = 26
)

// microarchitecture returns the value of Features.Microarchitecture.
func microarchitecture(vendor cpuid.Vendor, family int) string {
	switch {
	case vendor == cpuid.AMD && family >= zen5:
		return "zen5"
	case vendor == cpuid.AMD && family >= zen:
		return "zen"
	}
	return ""
}

// detect returns the features of this host. With the build tag s1_emulate_avx512, every host with
// AVX2 also has AVX512VBMI and AVX512VNNI.
func detect() Features {
	c := &cpuid.CPU
	vbmi := c.Supports(cpuid.AVX2, cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512VL, cpuid.AVX512VBMI)
	emulated := emulatesAVX512 && c.Supports(cpuid.AVX2)
	return Features{
		// Supports reports AVX2 and AVX-512 only where the operating system saves their registers.
		AVX2:              c.Supports(cpuid.AVX2),
		AVX512VBMI:        emulated || vbmi,
		AVX512VNNI:        emulated || vbmi && c.Supports(cpuid.AVX512VNNI),
		F16C:              runtime.GOARCH == "arm64" || c.Supports(cpuid.AVX2, cpuid.F16C),
		NEON:              runtime.GOARCH == "arm64",
		ERMS:              c.Supports(cpuid.ERMS),
		Microarchitecture: microarchitecture(c.VendorID, c.Family),
		// In klauspost/cpuid, the size of an unknown cache is -1.
		L1D:   max(0, c.Cache.L1D),
		L2:    max(0, c.Cache.L2),
		L3:    max(0, c.Cache.L3),
		Brand: c.BrandName,
	}
}

// mask returns f changed by env, a value of DML_CPU. It returns an error if env has an unknown
// word.
func mask(f Features, env string) (_ Features, err error) {
	for word := range strings.SplitSeq(env, ",") {
		word = strings.TrimSpace(word)
		switch word {
		case "":
		case "-avx2":
			f.AVX2, f.AVX512VBMI, f.AVX512VNNI = false, false, false
		case "-avx512":
			f.AVX512VBMI, f.AVX512VNNI = false, false
		case "-vnni":
			f.AVX512VNNI = false
		case "-f16c":
			f.F16C = false
		case "-neon":
			f.NEON = false
		case "none":
			f.AVX2, f.AVX512VBMI, f.AVX512VNNI, f.NEON = false, false, false, false
		default:
			f.AVX2, f.AVX512VBMI, f.AVX512VNNI, f.NEON = false, false, false, false
			err = fmt.Errorf("DML_CPU has %q; its words are -avx2, -avx512, -vnni, -f16c, -neon and none", word)
		}
	}
	return f, err
}
