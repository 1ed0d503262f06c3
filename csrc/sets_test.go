//go:build cgo && !purego && (amd64 || arm64) && !windows

package csrc

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var disassemble = flag.Bool("disassemble", false, "compile the kernels and read their code (needs objdump, takes half a minute)")

var argument = regexp.MustCompile(`(\w+)\((\w+)(?:, (\d+))?\)`)

// listed returns the arguments of a list in layout.h, such as copy in PLAIN(copy) and lanes_1 in
// VARIANT(lanes, 1).
func listed(t *testing.T, list string) (names []string) {
	layout, err := os.ReadFile("layout.h")
	require.NoError(t, err)
	line := regexp.MustCompile(`#define S1_` + list + `\([^)]*\)(.*)`).FindStringSubmatch(string(layout))
	require.NotNil(t, line, list)
	for _, m := range argument.FindAllStringSubmatch(line[1], -1) {
		if m[3] != "" {
			m[2] += "_" + m[3]
		}
		names = append(names, m[2])
	}
	return names
}

// sets returns the names of the sets of this architecture, weakest first.
func sets(t *testing.T) []string { return listed(t, "SETS_"+runtime.GOARCH) }

// A function takes at most eight arguments. What takes more has a struct of numbers.
func TestFunctionsTakeFewArguments(t *testing.T) {
	headers, err := filepath.Glob("*.h")
	require.NoError(t, err)
	comment, function := regexp.MustCompile(`(?s)/\*.*?\*/`), regexp.MustCompile(`(?:FN|OUTLINE|static)[^;{}()]* (\w+(?:\(SET, \w+\))?)\(([^()]*)\)\s*[{;]`)
	functions := 0
	for _, name := range append(headers, "cgo.go") {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, f := range function.FindAllSubmatch(comment.ReplaceAll(text, nil), -1) {
			functions++
			require.Less(t, strings.Count(string(f[2]), ","), 8, "%s in %s", f[1], name)
		}
	}
	require.Greater(t, functions, 250)
}

// disassembly compiles the loops of a set and returns what objdump prints.
func disassembly(t *testing.T, set string) string {
	compiler, err := exec.Command("go", "env", "CC").Output()
	require.NoError(t, err)
	cc := strings.Fields(string(compiler))
	object := filepath.Join(t.TempDir(), set+".o")
	compile := exec.Command(cc[0], append(cc[1:], "-O2", "-std=gnu11", "-fPIC", "-DS1_TABLE=", "-x", "c", "-c", "-o", object, set+".h")...)
	out, err := compile.CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := exec.Command("objdump", "-d", "--no-show-raw-insn", object).Output()
	require.NoError(t, err)
	return string(text)
}
