//go:build cgo && !purego && amd64 && !windows

package csrc

import (
	"bufio"
	"bytes"
	"flag"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var disassemble = flag.Bool("disassemble", false, "compile the kernels and read their code (needs objdump, takes half a minute)")

var (
	symbol      = regexp.MustCompile(`^[0-9a-f]+ <(\w+)(?:\.\w+)*>:$`)
	instruction = regexp.MustCompile(`^\s*[0-9a-f]+:\s+(\S+)\s*(.*)$`)
	vectorStore = regexp.MustCompile(`%[xyz]mm\d+,(-?)(?:0x([0-9a-f]+))?\((%[^)]*)\)(?:\{%k\d\})?$`)
	register    = regexp.MustCompile(`%[a-z0-9]+`)
)

// Beyond the first-level cache a row's stores must go out in ascending order,
// the halves of a line back to back: a quarter to a third of the speed depends
// on it, and compilers are free to reorder them. Within a stretch of code
// without jumps, of two stores of vectors within two lines the later one must be
// the higher.
func TestStoresAscend(t *testing.T) {
	if !*disassemble {
		t.Skip("without -disassemble")
	}
	compiler, err := exec.Command("go", "env", "CC").Output()
	require.NoError(t, err)
	cc := strings.Fields(string(compiler))
	for number, set := range Sets {
		if set.Arch != runtime.GOARCH {
			continue
		}
		file, loops := set.Name+".c", LoopNames(int32(number))
		object := filepath.Join(t.TempDir(), file+".o")
		out, err := exec.Command(cc[0], append(cc[1:], "-O3", "-std=gnu11", "-fPIC", "-c", "-o", object, file)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		code, err := exec.Command("objdump", "-d", "--no-show-raw-insn", object).Output()
		require.NoError(t, err)
		functions, stores, past := 0, 0, 0
		function := ""
		last := map[string]int64{} // by base and index
		lines := bufio.NewScanner(bytes.NewReader(code))
		for lines.Scan() {
			line := lines.Text()
			if m := symbol.FindStringSubmatch(line); m != nil {
				function = ""
				if slices.Contains(loops, m[1]) {
					function = m[1]
					functions++
					clear(last)
				}
			}
			m := instruction.FindStringSubmatch(line)
			if function == "" || m == nil {
				continue
			}
			op, args := m[1], m[2]
			if s := vectorStore.FindStringSubmatch(args); s != nil {
				if strings.Contains(s[3], "%rsp") || strings.Contains(s[3], "%rbp") {
					continue // a vector spilt, or a buffer of the function's own
				}
				at, _ := strconv.ParseInt(s[2], 16, 64)
				if s[1] != "" {
					at = -at
				}
				if before, ok := last[s[3]]; ok && at <= before && at > before-128 {
					t.Errorf("%s: %s stores at %d(%s) after %d", file, function, at, s[3], before)
				}
				last[s[3]] = at
				stores++
				if strings.HasPrefix(op, "vmovnt") {
					past++
				}
				continue
			}
			if strings.HasPrefix(op, "j") || strings.HasPrefix(op, "call") || strings.HasPrefix(op, "ret") {
				clear(last)
				continue
			}
			// What an instruction writes is its last operand.
			operands := register.FindAllString(args, -1)
			if len(operands) > 0 && !strings.HasSuffix(args, ")") {
				for address := range last {
					if strings.Contains(address, operands[len(operands)-1]) {
						delete(last, address)
					}
				}
			}
		}
		t.Logf("%s: %d loops, %d stores of vectors, %d of them past the caches", file, functions, stores, past)
		require.Equal(t, len(loops), functions, file)
		require.Greater(t, stores, functions, file)
		require.Greater(t, past, 4, file)
	}
}
