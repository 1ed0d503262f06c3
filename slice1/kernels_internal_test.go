package slice1

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// force makes name what the environment asks for.
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

func TestSlicesThatRunOnceChooseCWhereItPaysForTheProgram(t *testing.T) {
	force(t, "")
	chosen := func(size int) (planned, once *kernel) {
		n := []int{size}
		d := NewDesc(Uint8, n, Window{[]int{0}, n, []int{-1}, n})
		p, err := NewPlan(d)
		require.NoError(t, err)
		var q Plan
		require.NoError(t, q.init(d, new(layout), "", true))
		return p.kernel, q.kernel
	}
	_, once := chosen(4096)
	assert.Less(t, once.Kernel, plan.Kernel(0), "a kernel in C")
	planned, once := chosen(1 << 20)
	assert.Equal(t, planned, once)
}

func TestStreamingFromZeroIsTheDefault(t *testing.T) {
	assert.Equal(t, configure(nil), configure([]Option{WithStreaming(1), WithStreaming(0)}))
}
