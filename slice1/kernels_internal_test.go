package slice1

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/csrc"
)

// force makes NewPlan choose, until the test ends, as if SLICE1_KERNEL named a kernel.
func force(t *testing.T, name string) {
	before := forced
	forced = name
	t.Cleanup(func() { forced = before })
}

func TestEnvironmentNamesTheKernelOfPlansThatNameNone(t *testing.T) {
	n := []int{1 << 20}
	d := NewDesc(Uint8, n, Window{[]int{0}, n, []int{-1}, n})
	for _, k := range Kernels() {
		if !k.Usable {
			continue
		}
		force(t, k.Name)
		p, err := NewPlan(d)
		require.NoError(t, err)
		assert.Equal(t, k.Name, p.Kernel())

		p, err = NewPlan(d, WithKernel("go"))
		require.NoError(t, err)
		assert.Equal(t, "go", p.Kernel(), "an option outweighs the environment")
	}
	force(t, "mmx")
	_, err := NewPlan(d)
	require.ErrorIs(t, err, ErrKernel)
}

// programs returns a plan's programs, one for each shape of parts of each way that it may run by. Ways of plain Go
// have none.
func programs(p *Plan) (all []*csrc.Program) {
	for i := range p.entry.ways {
		w := p.entry.way(i, nil)
		for k := range w.programs {
			all = append(all, &w.programs[k])
		}
	}
	return all
}

// A plan with a named kernel runs loops of that kernel alone.
func TestNamedKernelsRunTheirOwnLoops(t *testing.T) {
	for _, k := range kernels {
		for _, elements := range []int{3, 1000, 300_001, 1 << 20} {
			n := []int{elements}
			for _, step := range []int{1, -1} {
				d := NewDesc(Uint16, n, Window{[]int{0}, n, []int{step}, n})
				p, err := NewPlan(d, WithKernel(k.Name))
				if !k.Usable {
					require.ErrorIs(t, err, ErrKernel)
					continue
				}
				require.NoError(t, err)
				assert.Equal(t, k.Kernel, p.entry.upcoming().Kernel)
				assert.Equal(t, k.Kernel >= 0, len(programs(p)) > 0, "%s, %d elements", k.Name, elements)
				for _, program := range programs(p) {
					assert.EqualValues(t, k.Kernel, program.Set, "%s, %d elements", k.Name, elements)
				}
			}
		}
	}
}

// WithStreaming decides which large plans use non-temporal stores, if their kernel has
// them.
func TestStreamingForcesTheStores(t *testing.T) {
	n := []int{1 << 20}
	d := NewDesc(Uint8, n, Window{[]int{0}, n, []int{-1}, n})
	for _, k := range kernels {
		if !k.Usable {
			continue
		}
		can := k.Kernel >= 0 && csrc.Sets[k.Kernel].NonTemporal
		for from, want := range map[int64]bool{1: can, 1 << 20: can, 1<<20 + 1: false, -1: false} {
			p, err := NewPlan(d, WithKernel(k.Name), WithStreaming(from))
			require.NoError(t, err)
			assert.Equal(t, want, p.entry.upcoming().NonTemporal, "%s from %d", k.Name, from)
			for _, program := range programs(p) {
				assert.Equal(t, want, program.NT != 0, "%s from %d", k.Name, from)
			}
		}
	}
}

func TestStreamingFromZeroIsTheDefault(t *testing.T) {
	assert.Equal(t, configure(nil), configure([]Option{WithStreaming(1), WithStreaming(0)}))
}
