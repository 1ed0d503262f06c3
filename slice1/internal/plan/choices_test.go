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

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

var update = flag.Bool("update", false, "rewrite testdata/choices")

// choices is the folder of the files that record what is chosen for the slices of its slices.txt.
const choices = "../../../testdata/choices"

const slicesHeader = `# Slices: name | nest: width, then extent:source:destination of each loop in bytes, outermost first | bytes | parts: count and first shape
# A new line needs the first two; -update writes the rest.
`

const programsHeader = `# Choices on %s: name%s
# Each is a candidate and, if in C, its loop, row+loops around it, and body, of the first part; "=" is what stands before it
# Bodies: n vectors or units, step in the source and adv in the destination of each, at the offsets of windows, tails the windows of each tail or a number of them, alone the units copied by elements, unit bytes; across the loop across a tile, block its elements; fetch distance/reach/near
`

// architectures returns the names of the architectures of program.Sets that have sets in C. For
// each it returns the kernels to choose among: first plain Go with all sets in C of the
// architecture; then, if there are two sets, plain Go with the first set alone.
func architectures() (names []string, kernels map[string][]Kernels) {
	kernels = map[string][]Kernels{}
	for number, set := range program.Sets {
		arch, ks := set.Arch, kernels[set.Arch]
		if set.InGo {
			continue
		}
		if len(ks) == 0 {
			names = append(names, arch)
			ks = []Kernels{OneKernel(Go) | OneKernel(Kernel(number))}
		} else {
			ks = append([]Kernels{ks[0] | OneKernel(Kernel(number))}, ks...)
		}
		kernels[arch] = ks
	}
	return names, kernels
}

// The choice for each recorded slice is the one in the files of choices. There is one file for each
// architecture. With -update the test writes these files. Some slice chooses each kind, and each
// kind that suits non-temporal stores with these, too.
func TestChoices(t *testing.T) {
	all := recorded(t)
	var b strings.Builder
	b.WriteString(slicesHeader)
	for i := range all {
		n := &all[i].nest
		fmt.Fprintf(&b, "%s | %s | %d | %s\n", all[i].name, textOf(n), nest.Bytes(n), partsText(n))
	}
	compare(t, "slices", b.String())
	chosen := ""
	archs, kernels := architectures()
	for _, arch := range archs {
		b.Reset()
		among := ""
		for _, ks := range kernels[arch] {
			among += fmt.Sprintf(" | among %s, for many runs | for one, if a slice is not cut into parts", namesOf(ks))
		}
		fmt.Fprintf(&b, programsHeader, arch, among)
		h := hosts()[0]
		for i := range all {
			var texts []string
			for _, ks := range kernels[arch] {
				texts = append(texts, choiceText(h, &all[i].nest, ks, false), choiceText(h, &all[i].nest, ks, true))
			}
			fmt.Fprintf(&b, "%s | %s\n", all[i].name, alternatives(texts...))
		}
		compare(t, arch, b.String())
		chosen += b.String()
	}
	for kind := range kinds {
		if kind != kindString && kind != kindTable { // which are the first choice for none of 5,000 random slices
			assert.Contains(t, chosen, " "+kind.String()+": ")
		}
	}
	for _, kind := range []Kind{kindCopy, kindTile, kindShuffle} {
		assert.Contains(t, chosen, " "+kind.String()+" nt: ")
	}
}

// namesOf returns "go" and the names of the sets that ks has, with spaces between them.
func namesOf(ks Kernels) string {
	names := "go"
	for number := range program.Sets {
		if ks.Contains(Kernel(number)) {
			names += " " + Kernel(number).String()
		}
	}
	return names
}

// compare compares the file of that name among the choices with a text, line by line. With -update
// it writes the text to the file before.
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

// alternatives joins texts by " | ", with "=" in place of each that is the same as the text before
// it.
func alternatives(texts ...string) string {
	joined := texts[0]
	for i, text := range texts[1:] {
		if text == texts[i] {
			text = "="
		}
		joined += " | " + text
	}
	return joined
}

func partsText(n *nest.Nest) string {
	p := Cut(n, Stores{Cached: true}, Cutting{})
	if p.Count == 1 {
		return "1"
	}
	return fmt.Sprintf("%d %s", p.Count, textOf(&p.Shapes[0]))
}

// choiceText returns the candidate that is chosen for n and, unless that is plain Go, a description
// of its program, or of the first part's program if n runs in parts.
func choiceText(h *Host, n *nest.Nest, ks Kernels, once bool) string {
	var c Candidate
	var made program.Draft
	w := cached(ks)
	if nest.Bytes(n) > PartBytes {
		w.Stores.NonTemporal = nest.Bytes(n) >= h.LastLevel
		ps := Cut(n, w.Stores, Cutting{})
		var ways [MaxListed]Candidate
		h.List(&ways, &made, &ps.Shapes[0], ps.Count, w)
		if c = ways[0]; c.Kernel >= 0 {
			var programs program.Programs
			h.MakeParts(&programs, &ps, c, &made)
			return c.String() + ": " + describe(programs.At(0))
		}
	} else if once && h.InGo(n, ks) {
		c.Kernel = Go
	} else {
		c = h.Choose(&made, n, w)
	}
	if c.Kernel < 0 {
		return c.String()
	}
	return c.String() + ": " + describe(&made.Program)
}

// describe returns the text for a program that the files of choices have.
func describe(p *program.Program) string {
	s := loopName(p.Set, p.Loop) + " " + loopText(p.Row)
	for _, d := range unlinked(p) {
		s += fmt.Sprintf("+%d", d.Extent)
	}
	if body := bodyText(p); body != "" {
		s += " " + body
	}
	if f := p.Prefetch; p.NT != 0 {
		s += fmt.Sprintf(" fetch %d/%d/%d", f.Distance, f.Reach, f.Near)
	}
	return s
}

func bodyText(p *program.Program) string {
	switch bodyOf(p) {
	case tiled:
		t := p.Tiles()
		text := fmt.Sprintf("across %s block %d", loopText(t.Across), t.Block)
		if t.Fold.Extent > 1 {
			text += " fold " + loopText(t.Fold)
		}
		if t.Join.Extent > 1 {
			text += " join " + loopText(t.Join)
		}
		return text
	case windowed:
		w := p.Shuffle()
		var main string
		if w.Count > 0 {
			main = fmt.Sprintf(" step %d adv %d at %s", w.Step, w.Advance, atText(w.Main.At[0][:w.Main.Windows]))
		}
		var tails []int32
		for _, tail := range w.Tail[:w.Tails] {
			tails = append(tails, tail.Vector.Windows)
		}
		return fmt.Sprintf("n %d%s tails %s", w.Count, main, atText(tails))
	case masked:
		m := p.Masks()
		return fmt.Sprintf("n %d step %d adv %d at %s tails %d", m.Count, m.Step, m.Advance, atText(m.Each.At[:m.Each.Windows]), m.Ahead+int64(m.Tails))
	case placed:
		u := p.Units()
		alone := 0
		for int64(u.Alone[alone]) < u.Count {
			alone++
		}
		return fmt.Sprintf("n %d unit %d at %s alone %d", u.Count, u.Unit, atText(u.Each.At[0][:u.Each.Windows]), alone)
	case maskedAt:
		u := p.MaskedUnits()
		return fmt.Sprintf("n %d+%d unit %d at %s", u.Whole, u.Tails, u.Unit, atText(u.Each.At[:u.Each.Windows]))
	}
	return ""
}

func atText(at []int32) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(at), "[]")), ",")
}
