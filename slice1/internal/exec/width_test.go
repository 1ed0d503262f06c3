//go:build !s1_coverage

package exec

import (
	"fmt"
	"os"
	osexec "os/exec"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// widthEnv names the candidate whose program a process of this test runs.
const widthEnv = "DML_TEST_WIDTH"

// A loop in C that chooses by the width of elements ends the program if the width is another than
// 1, 2, 4 and 8, and does not take the elements for elements of 8 bytes. A process for each loop
// runs a program of elements of 8 bytes whose width has become 16.
func TestOtherWidthsEndTheProcess(t *testing.T) {
	if os.Getenv("SLICE1_EMULATED") != "" {
		t.Skip("processes are not tested on an emulated processor")
	}
	dim := func(extent, src, dst int64) nest.Dim { return nest.Dim{Extent: extent, Src: src, Dst: dst} }
	inC := false // whether this build has a kernel in C that the host can run
	byWidth := map[program.Form]int{program.Tile: 0, program.Table: 0, program.Gather: 0, program.Element: 0, program.UnitsLanes: 0}
	for i, dims := range [][]nest.Dim{
		{dim(40, 8, 320), dim(40, 320, 8)},
		{dim(20, 8, 160), dim(20, 160, 8)},
		{dim(40, 64, 8)},
		{dim(40, 16, 24)},
		{dim(9, 408, 160), dim(20, 16, 8)},
	} {
		n := nest.Nest{Width: 8, Rank: int32(len(dims))}
		copy(n.Dims[:], dims)
		for _, c := range plan.ThisHost().Candidates(&n, 1, &plan.Problem{Kernels: usable(), Stores: plan.Stores{Cached: true}}) {
			var p program.Draft
			inC = inC || c.Kernel.CallsC()
			if !c.Kernel.CallsC() || !plan.ThisHost().Make(&p, &n, c) {
				continue
			}
			form := program.FormOf(p.Loop)
			if _, ok := byWidth[form]; !ok {
				continue
			}
			name := fmt.Sprint(i, " ", c)
			if os.Getenv(widthEnv) == name {
				p.Width = 16
				memory := make([]byte, 1<<20)
				(*cProgram)(&p.Program).Slice(unsafe.Pointer(&memory[1<<19]), unsafe.Pointer(&memory[1<<18]))
				return
			}
			if os.Getenv(widthEnv) == "" {
				byWidth[form]++
				process := osexec.Command(os.Args[0], "-test.run=^TestOtherWidthsEndTheProcess$")
				process.Env = append(os.Environ(), widthEnv+"="+name)
				out, err := process.CombinedOutput()
				require.Error(t, err, "%s: %s", name, out)
				// Windows' status of an illegal instruction
				assert.Regexp(t, "SIG(ILL|TRAP|ABRT)|0xc000001d", err.Error()+string(out), name)
			}
		}
	}
	for form, ran := range byWidth {
		assert.True(t, ran > 0 || !inC, "no program of form %d", form)
	}
}
