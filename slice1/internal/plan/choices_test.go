package plan

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

var update = flag.Bool("update", false, "rewrite testdata/choices")

// choices is where what is chosen for a few hundred slices is recorded.
const choices = "../../../testdata/choices"

const slicesHeader = `# Slices: name | bytes | nest: width, then extent:source:destination of each loop in bytes, outermost first | parts by stores into the caches: count and first shape | parts by non-temporal stores; "=" if the same
`

const programsHeader = `# Programs for %s, whole or of the first part: name | kind, loop, row+loops around it, body | the same by non-temporal stores, "=" if they do not change it | kernel for many runs, for one | candidates, cheapest first, "*" by non-temporal stores
# Bodies: n vectors or units, step in the source and adv in the destination of each, at the offsets of windows, tails the windows of each tail or a number of them, alone the units copied by elements, unit bytes; across the loop across a tile, block its elements; fetch distance/reach/near
`

// What is chosen for each slice is what it was: -update records a change.
func TestChoices(t *testing.T) {
	all := recorded()
	var b strings.Builder
	b.WriteString(slicesHeader)
	for i := range all {
		n := &all[i].nest
		fmt.Fprintf(&b, "%s | %d | %s | %s\n", all[i].name, nest.Bytes(n), textOf(n), alternatives(partsText(n, Cached), partsText(n, Far)))
	}
	compare(t, "slices", b.String())
	for number := range csrc.Sets {
		k := Kernel(number)
		b.Reset()
		fmt.Fprintf(&b, programsHeader, name(k))
		for i := range all {
			n := &all[i].nest
			fmt.Fprintf(&b, "%s | %s | %s | %s\n", all[i].name, alternatives(programText(n, k, Cached), programText(n, k, Far)), alternatives(bestText(n, false, k), bestText(n, true, k)), candidatesText(n, k))
		}
		compare(t, name(k), b.String())
	}
}

// compare compares the record of that name with what it should be, line by line.
func compare(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(choices, name+".txt")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	recorded, err := os.ReadFile(path)
	require.NoError(t, err)
	was, is := strings.Split(strings.ReplaceAll(string(recorded), "\r\n", "\n"), "\n"), strings.Split(got, "\n")
	for i := range min(len(was), len(is)) {
		assert.Equal(t, was[i], is[i], "%s, line %d; -update records it", path, i+1)
	}
	assert.Len(t, is, len(was), path)
}

func alternatives(a, b string) string {
	if a == b {
		b = "="
	}
	return a + " | " + b
}

func partsText(n *nest.Nest, storing Storing) string {
	p := Cut(n, storing)
	if p.Count == 1 {
		return "1"
	}
	return fmt.Sprintf("%d %s", p.Count, textOf(&p.Shapes[0]))
}

func bestText(n *nest.Nest, once bool, strongest Kernel) string {
	if k := Best(n, nest.Bytes(n), once, false, strongest); k >= 0 {
		return name(k)
	}
	return "go"
}

// candidatesText lists the candidates of n for a kernel and for Go.
func candidatesText(n *nest.Nest, k Kernel) string {
	var names []string
	for _, c := range Candidates(n, []Kernel{Go, k}, Far) {
		s := c.String()
		if c.Kernel == k {
			s = kindNames[c.kind]
		}
		if c.NonTemporal {
			s += "*"
		}
		names = append(names, s)
	}
	return strings.Join(names, " ")
}

// programText describes the program that runs n, or its first part if it runs in parts.
func programText(n *nest.Nest, k Kernel, storing Storing) string {
	if nest.Bytes(n) > PartBytes {
		pieces := Cut(n, storing)
		n = &pieces.Shapes[0]
	}
	var p csrc.Program
	Make(&p, n, k, storing)
	s := KindOf(&p) + " " + csrc.LoopNames(p.Set)[p.Loop] + " " + loopText(p.Row)
	for _, d := range unlinked(&p) {
		s += fmt.Sprintf("+%d", d.Extent)
	}
	if body := bodyText(&p); body != "" {
		s += " " + body
	}
	if f := p.Prefetch; p.NT != 0 {
		s += fmt.Sprintf(" fetch %d/%d/%d", f.Distance, f.Reach, f.Near)
	}
	return s
}

func bodyText(p *csrc.Program) string {
	switch p.Kind {
	case csrc.Tiled:
		t := p.Tiles()
		return fmt.Sprintf("across %s block %d", loopText(t.Across), t.Block)
	case csrc.Windowed:
		w := p.Windows()
		var main string
		if w.Count > 0 {
			main = fmt.Sprintf(" step %d adv %d at %s", w.Step, w.Advance, atText(w.Main.At[0][:w.Main.Windows]))
		}
		var tails []int32
		for _, tail := range w.Tail[:w.Tails] {
			tails = append(tails, tail.Vector.Windows)
		}
		return fmt.Sprintf("n %d%s tails %s", w.Count, main, atText(tails))
	case csrc.Masked:
		m := p.Masks()
		return fmt.Sprintf("n %d step %d adv %d at %s tails %d", m.Count, m.Step, m.Advance, atText(m.At[:m.Windows]), m.Tails)
	case csrc.Placed:
		u := p.Units()
		alone := 0
		for int64(u.Alone[alone]) < u.Count {
			alone++
		}
		return fmt.Sprintf("n %d unit %d at %s alone %d", u.Count, u.Unit, atText(u.Each.At[0][:u.Each.Windows]), alone)
	case csrc.MaskedAt:
		u := p.MaskedUnits()
		return fmt.Sprintf("n %d+%d unit %d at %s", u.Whole, u.Tails, u.Unit, atText(u.WindowAt[:u.Windows]))
	}
	return ""
}

func atText(at []int32) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(at), "[]")), ",")
}
