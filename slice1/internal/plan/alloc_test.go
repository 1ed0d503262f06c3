// This file is left out of builds with the address sanitizer, which puts on the heap what otherwise
// stays on the stack.

//go:build !asan

package plan

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Searching for a program by the costs of each of hosts allocates nothing. Running the program does
// not either, by any kernel with programs that this host can run.
func TestChoosingAndRunningDoNotAllocate(t *testing.T) {
	n := nestOf(1, dim(100, 2, 1))
	src, dst := make([]byte, 200), make([]byte, 100)
	var ps Pieces
	for _, h := range hosts() {
		w := cached(everyKernel)
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			var p program.Draft
			h.InGo(&n, everyKernel)
			h.Choose(&p, &n, w)
			var ways [MaxListed]Candidate
			ps.Cut(&n, Stores{Cached: true}, Cutting{})
			h.List(&ways, &p, &ps.Shapes[0], ps.Count, w)
		}), h.Name)
		for _, k := range usable() {
			w.Kernels = OneKernel(k)
			assert.Zero(t, testing.AllocsPerRun(100, func() {
				var p program.Draft
				h.Choose(&p, &n, w)
				runProgram(&p.Program, unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]))
			}), "%s of %s", k.String(), h.Name)
		}
	}
}
