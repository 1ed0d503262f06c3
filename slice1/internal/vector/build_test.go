package vector

import (
	"fmt"
	"go/build/constraint"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Package simd/archsimd changes from one version of Go to the next, and the kernels are written for
// Go 1.27. So only builds by that version with GOEXPERIMENT=simd, for amd64 or arm64, have files
// with kernels. All other builds have vector_unsupported.go in their place. Files without a
// build constraint do not import archsimd. Files _other.go have no kernels: they take the place of
// those of one architecture.
func TestBuildsByOtherVersionsHaveNoKernels(t *testing.T) {
	kernels, others := map[string]constraint.Expr{}, map[string]constraint.Expr{}
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_other.go") {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		line, _, _ := strings.Cut(string(text), "\n")
		if !constraint.IsGoBuild(line) {
			require.NotContains(t, string(text), `"simd/`+`archsimd"`, name)
			continue
		}
		if kernels[name], err = constraint.Parse(line); strings.HasSuffix(name, "_unsupported.go") {
			others[name] = kernels[name]
			delete(kernels, name)
		}
		require.NoError(t, err, name)
	}
	require.NotEmpty(t, kernels)
	require.Len(t, others, 1)
	for minor := 24; minor <= 29; minor++ {
		for _, arch := range []string{"amd64", "arm64", "386", "wasm", "riscv64"} {
			for _, experiment := range []bool{false, true} {
				has := func(tag string) bool {
					var version int
					if _, err := fmt.Sscanf(tag, "go1.%d", &version); err == nil {
						return version <= minor
					}
					return tag == arch || experiment && tag == "goexperiment.simd"
				}
				build := fmt.Sprintf("go1.%d, %s, experiment %v", minor, arch, experiment)
				want := minor == 27 && experiment && slices.Contains([]string{"amd64", "arm64"}, arch)
				some := false
				for _, x := range kernels {
					some = some || x.Eval(has)
				}
				assert.Equal(t, want, some, build)
				for name, x := range others {
					assert.Equal(t, !want, x.Eval(has), "%s: %s", build, name)
				}
			}
		}
	}
}
