//go:build cgo && !purego && amd64 && !windows

package csrc

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	symbol      = regexp.MustCompile(`^[0-9a-f]+ <(\w+)(?:\.\w+)*>:$`)
	instruction = regexp.MustCompile(`^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$`)
	vectorStore = regexp.MustCompile(`%[xyz]mm\d+,(-?)(?:0x([0-9a-f]+))?\((%[^)]*)\)(?:\{%k\d\})?$`)
	vectorLoad  = regexp.MustCompile(`\((%[^)]*)\),.*%[xyz]mm\d+`)
	register    = regexp.MustCompile(`%[a-z0-9]+`)
	address     = regexp.MustCompile(`^([0-9a-f]+) <`)
)

// step is an instruction of a compiled loop.
type step struct {
	at       int64 // address
	op, args string
}

// jumps reports whether s is a jump, a call or a return.
func (s *step) jumps() bool {
	return strings.HasPrefix(s.op, "j") || strings.HasPrefix(s.op, "call") || strings.HasPrefix(s.op, "ret")
}

// own reports whether an address is in the stack frame, where spilt vectors and local buffers are.
func own(address string) bool {
	return strings.Contains(address, "%rsp") || strings.Contains(address, "%rbp")
}

// store reports whether s stores a vector outside the stack frame, and returns where: the registers
// of the address, and the offset from them.
func (s *step) store() (base string, at int64, ok bool) {
	m := vectorStore.FindStringSubmatch(s.args)
	if m == nil || own(m[3]) {
		return "", 0, false
	}
	at, _ = strconv.ParseInt(m[2], 16, 64)
	if m[1] != "" {
		at = -at
	}
	return m[3], at, true
}

// loads reports whether s loads a vector from outside the stack frame.
func (s *step) loads() bool {
	m := vectorLoad.FindStringSubmatch(s.args)
	return m != nil && !own(m[1])
}

// stepsOf returns the instructions of each loop of a set by its name.
func stepsOf(t *testing.T, set string) map[string][]step {
	code, function := map[string][]step{}, ""
	names := []string{set + "_copy_nt", set + "_tile_nt", "turn_view", "vector_lines"}
	for _, loop := range listed(t, "LOOPS_"+set) {
		names = append(names, set+"_"+loop)
	}
	for line := range strings.Lines(disassembly(t, set)) {
		line = strings.TrimSpace(line)
		if m := symbol.FindStringSubmatch(line); m != nil {
			function = ""
			if slices.Contains(names, m[1]) {
				function = m[1]
			}
		}
		if m := instruction.FindStringSubmatch(line); m != nil && function != "" {
			at, _ := strconv.ParseInt(m[1], 16, 64)
			code[function] = append(code[function], step{at, m[2], m[3]})
		}
	}
	return code
}

// Beyond the first-level cache a row's stores must go out in ascending order, the halves of a line
// back to back: a quarter to a third of the speed depends on it, and compilers are free to reorder
// them. So take two vectors that are stored one after the other by the same address registers,
// without a jump in between. The later one must not lie where the earlier one does, nor less than
// two lines below it.
//
// A load waits for the stores before it if their addresses agree in the low bits. So in an
// innermost loop that stores four vectors or more, no load of a vector may follow a store.
func TestStoresAscendBehindLoads(t *testing.T) {
	if !*disassemble {
		t.Skip("without -disassemble")
	}
	for _, set := range sets(t) {
		code := stepsOf(t, set)
		stores, past, loops := 0, 0, 0
		for name, steps := range code {
			inName, pastName := ascending(t, name, steps)
			stores, past = stores+inName, past+pastName
			loops += loadsFirst(t, name, steps)
		}
		t.Logf("%s: %d loops, %d stores of vectors, %d of them non-temporal, %d loops of four stores", set, len(code), stores, past, loops)
		for _, loop := range listed(t, "LOOPS_"+set) {
			require.Contains(t, code, set+"_"+loop)
		}
		require.Greater(t, stores, len(code))
		require.Greater(t, past, 2)
		require.Greater(t, loops, 16)
	}
}

// ascending checks the order of the stores of vectors. It returns how many there are, and how many
// of them are non-temporal.
func ascending(t *testing.T, name string, steps []step) (stores, past int) {
	last := map[string]int64{} // the offset of the last store, by the registers of its address
	for i := range steps {
		s := &steps[i]
		if base, at, ok := s.store(); ok {
			if before, ok := last[base]; ok && at <= before && at > before-128 {
				t.Errorf("%s stores at %d(%s) after %d", name, at, base, before)
			}
			last[base] = at
			stores++
			if strings.HasPrefix(s.op, "vmovnt") {
				past++
			}
			continue
		}
		if s.jumps() {
			clear(last)
			continue
		}
		// The last operand is the register that an instruction writes. Offsets from its old value
		// say nothing about what is stored from here on.
		operands := register.FindAllString(s.args, -1)
		if len(operands) > 0 && !strings.HasSuffix(s.args, ")") {
			for address := range last {
				if strings.Contains(address, operands[len(operands)-1]) {
					delete(last, address)
				}
			}
		}
	}
	return stores, past
}

// loadsFirst checks that loads of vectors precede stores of vectors in each innermost loop that has
// loads and at least four stores, and returns how many such loops there are.
func loadsFirst(t *testing.T, name string, steps []step) (loops int) {
	for end := range steps {
		m := address.FindStringSubmatch(steps[end].args)
		if m == nil || !strings.HasPrefix(steps[end].op, "j") {
			continue
		}
		to, _ := strconv.ParseInt(m[1], 16, 64)
		begin := slices.IndexFunc(steps, func(s step) bool { return s.at == to })
		if begin < 0 || begin >= end || slices.ContainsFunc(steps[begin:end], func(s step) bool { return s.jumps() }) {
			continue
		}
		stores, loads, late := 0, 0, 0
		for i := range steps[begin:end] {
			s := &steps[begin+i]
			if _, _, ok := s.store(); ok {
				stores++
			} else if s.loads() {
				loads++
				if stores > 0 {
					late++
				}
			}
		}
		if stores >= 4 && loads > 0 {
			loops++
			if late > 0 {
				t.Errorf("%s loads %d vectors after a store, in the loop at %x", name, late, to)
			}
		}
	}
	return loops
}
