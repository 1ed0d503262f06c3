package cpuid

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/cpuid/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// all has all three instruction sets, which no processor has together.
var all = Features{
	AVX2: true, AVX512VBMI: true, AVX512VNNI: true, F16C: true, NEON: true,
	L1D: 32 << 10, L2: 1 << 20, L3: 32 << 20, Brand: "test",
}

// sets returns the names of the instruction sets of f.
func sets(f Features) (names string) {
	for _, name := range []string{"AVX2", "AVX512VBMI", "AVX512VNNI", "NEON"} {
		if f.Has(name) {
			names += " " + strings.ToLower(name)
		}
	}
	return strings.TrimSpace(names)
}

// masked returns f changed by env, which must have no unknown word.
func masked(t *testing.T, f Features, env string) Features {
	f, err := mask(f, env)
	require.NoError(t, err, "DML_CPU=%q", env)
	return f
}

func TestMaskHidesWhatItNames(t *testing.T) {
	for env, want := range map[string]string{
		"":                  "avx2 avx512vbmi avx512vnni neon",
		" , ,":              "avx2 avx512vbmi avx512vnni neon",
		"-avx512":           "avx2 neon",
		"-vnni":             "avx2 avx512vbmi neon",
		"-avx2":             "neon",
		"-neon":             "avx2 avx512vbmi avx512vnni",
		" -neon , -avx512 ": "avx2",
		"-avx2,-neon":       "",
		"none":              "",
		"none,-avx512":      "",
	} {
		assert.Equal(t, want, sets(masked(t, all, env)), "DML_CPU=%q", env)
		assert.True(t, masked(t, all, env).F16C, "DML_CPU=%q", env)
	}
}

func TestF16CIsHiddenAlone(t *testing.T) {
	without := all
	without.F16C = false
	assert.Equal(t, without, masked(t, all, "-f16c"))
}

func TestWordsThatAreNoneHideAllAndAreErrors(t *testing.T) {
	for env, word := range map[string]string{
		"-avx": "-avx", "avx2": "avx2", "-AVX2": "-AVX2", "-avx512,-sse9,-neon,": "-sse9", "costs:": "costs:", "none , all": "all",
		"costs:skew": "costs:skew", "costs:zen4": "costs:zen4", "Costs:skewed": "Costs:skewed", "-avx512 -neon": "-avx512 -neon",
	} {
		f, err := mask(all, env)
		assert.Empty(t, sets(f), env)
		assert.EqualError(t, err, fmt.Sprintf("DML_CPU has %q; its words are -avx2, -avx512, -vnni, -f16c, -neon and none", word))
	}
}

func TestMaskNeverAddsFeatures(t *testing.T) {
	for _, env := range []string{"", "-avx2", "-avx512", "-vnni", "-neon", "none", "avx2", "neon"} {
		f, _ := mask(Features{}, env)
		assert.Equal(t, Features{}, f, "DML_CPU=%q", env)
	}
}

func TestMaskKeepsCachesAndBrand(t *testing.T) {
	want := all
	want.AVX2, want.AVX512VBMI, want.AVX512VNNI, want.NEON = false, false, false, false
	assert.Equal(t, want, masked(t, all, "none"))
}

func TestHasKnowsTheFieldsOfInstructionSets(t *testing.T) {
	for _, name := range []string{"AVX2", "AVX512VBMI", "AVX512VNNI", "NEON"} {
		assert.True(t, all.Has(name), name)
		assert.False(t, Features{}.Has(name), name)
	}
	assert.False(t, all.Has("Microarchitecture"))
}

func TestDetectAgreesWithTheArchitecture(t *testing.T) {
	f := detect()
	assert.Equal(t, runtime.GOARCH == "arm64", f.NEON)
	x86 := runtime.GOARCH == "amd64" || runtime.GOARCH == "386"
	assert.False(t, f.AVX2 && !x86, "AVX2 on %s", runtime.GOARCH)
	assert.False(t, f.AVX512VBMI && !f.AVX2, "AVX-512 without AVX2")
	assert.False(t, f.AVX512VNNI && !f.AVX512VBMI, "VNNI without VBMI")
	for name, size := range map[string]int{"L1D": f.L1D, "L2": f.L2, "L3": f.L3} {
		assert.GreaterOrEqual(t, size, 0, name)
	}
}

func TestHostIsDetectedFeaturesLessEnvironment(t *testing.T) {
	want, err := mask(detect(), os.Getenv("DML_CPU"))
	assert.Equal(t, want, Host())
	assert.Equal(t, err, Err())
}

func TestHostIsTheSameForConcurrentCallers(t *testing.T) {
	var got [8]Features
	var wg sync.WaitGroup
	for i := range got {
		wg.Add(1)
		go func() {
			defer wg.Done()
			got[i] = Host()
		}()
	}
	wg.Wait()
	for _, f := range got {
		assert.Equal(t, got[0], f)
	}
}

func TestMicroarchitectures(t *testing.T) {
	for _, c := range []struct {
		want   string
		vendor cpuid.Vendor
		family int
	}{
		{"zen5", cpuid.AMD, 26}, {"zen5", cpuid.AMD, 27}, {"zen", cpuid.AMD, 25}, {"zen", cpuid.AMD, 23},
		{"", cpuid.AMD, 22}, {"", cpuid.Intel, 26}, {"", cpuid.Hygon, 26}, {"", cpuid.ARM, 0},
	} {
		assert.Equal(t, c.want, microarchitecture(c.vendor, c.family), "%v", c)
	}
}
