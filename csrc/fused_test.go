//go:build cgo && !purego && (amd64 || arm64) && !windows

package csrc

import (
	"flag"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var disassemble = flag.Bool("disassemble", false, "compile the kernels and read their code (needs objdump, takes half a minute)")

// A fused product and sum is rounded once, and gives other bits than one that is rounded twice.
func TestNothingIsFused(t *testing.T) {
	if !*disassemble {
		t.Skip("without -disassemble")
	}
	compiler, err := exec.Command("go", "env", "CC").Output()
	require.NoError(t, err)
	cc := strings.Fields(string(compiler))
	fused := regexp.MustCompile(`\s(vfn?m(add|sub)|fn?m(add|sub|la|ls)\b)`)
	for _, set := range Sets {
		if set.Arch != runtime.GOARCH || set.InGo {
			continue
		}
		object := filepath.Join(t.TempDir(), set.Name+".o")
		compile := exec.Command(cc[0], append(cc[1:], "-O2", "-std=gnu11", "-fPIC", "-DS1_TABLE=", "-x", "c", "-c", "-o", object, set.Name+".h")...)
		out, err := compile.CombinedOutput()
		require.NoError(t, err, "%s", out)
		text, err := exec.Command("objdump", "-d", "--no-show-raw-insn", object).Output()
		require.NoError(t, err)
		require.Greater(t, strings.Count(string(text), "mul"), 30)
		require.Greater(t, strings.Count(string(text), "add"), 30)
		require.Empty(t, fused.FindAllString(string(text), -1))
	}
}
