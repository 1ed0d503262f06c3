package plan

import (
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// formNames has the names of the forms of loops, in their order, as layout.h lists them for C.
var formNames = func() (names []string) {
	layout, err := os.ReadFile("../../../csrc/layout.h")
	if err != nil {
		panic(err)
	}
	list := regexp.MustCompile(`S1_EACH_FORM\(X\) (.*)`).FindStringSubmatch(string(layout))[1]
	for _, name := range strings.Fields(list) {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(name, "X("), ")"))
	}
	return names
}()

// A body is which of a program's bodies its loop reads.
type body int

const (
	plain    body = iota // none
	tiled                // Tiles
	windowed             // Shuffle
	placed               // Units
	masked               // Masks
	maskedAt             // MaskedUnits
	bodies
)

// bodyOf returns the body that the loop of p reads.
func bodyOf(p *program.Program) body {
	switch form := program.FormOf(p.Loop); {
	case isTile(form):
		return tiled
	case form < program.Lanes:
		return plain
	case form <= program.Every4:
		return windowed
	case form <= program.UnitsCross:
		return placed
	case form == program.Permute:
		return masked
	}
	return maskedAt
}

// variantOf returns the variant of a loop.
func variantOf(loop int32) int {
	first, _ := program.Loop(0, program.FormOf(loop), 0)
	return int(loop - first)
}

// loopName returns the name of a loop of set number `set`, such as avx2_copy, avx2_lanes_3 and
// avx2_every2_4.
func loopName(set, loop int32) string {
	name := program.Sets[set].Name + "_" + formNames[program.FormOf(loop)]
	if v := variantOf(loop); v != 0 {
		name += "_" + strconv.Itoa(v)
	}
	return name
}

// loopsIn returns the numbers of the loops of set number `set`.
func loopsIn(set int32) (loops []int32) {
	for form := range formNames {
		for variant := range program.MaxWindows + 1 {
			if loop, ok := program.Loop(set, program.Form(form), variant); ok {
				loops = append(loops, loop)
			}
		}
	}
	return loops
}
