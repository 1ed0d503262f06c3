//go:build amd64 || arm64

package directml

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

const adapterVariable = "DIRECTML_ADAPTER"

// machine returns options that choose the DLL and the adapter for tests. DIRECTML_DLL names the
// DLL, and DIRECTML_ADAPTER is the index of the adapter. Without them Open finds both.
func machine(t testing.TB) []Option {
	t.Helper()
	opts := []Option{WithSoftware(), WithDLL(os.Getenv("DIRECTML_DLL"))}
	if index := os.Getenv(adapterVariable); index != "" {
		n, err := strconv.Atoi(index)
		require.NoError(t, err, adapterVariable)
		opts = append(opts, WithAdapter(n))
	}
	return opts
}

// openDevice opens a device of the machine. It skips the test if Open's error is ErrUnsupported,
// unless DIRECTML_DLL or DIRECTML_ADAPTER asks for a device. Any other error fails the test. The
// device is closed when the test ends.
func openDevice(t testing.TB, opts ...Option) *Device {
	t.Helper()
	layer := os.Getenv(layerVariable)
	if layer == directMLsLayer {
		opts = append(opts, WithDebugLayer())
	}
	d, err := Open(append(machine(t), opts...)...)
	if os.Getenv("DIRECTML_DLL")+os.Getenv(adapterVariable) == "" && errors.Is(err, errors.ErrUnsupported) {
		t.Skip("neither DIRECTML_DLL nor DIRECTML_ADAPTER is set, and the machine has no device: ", err)
	}
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	if layer != "" {
		collectComplaints(t, d)
	}
	return d
}

// operatorPlan returns a plan of desc that uses operators, whole for Dispatch and movable for Run.
// It does so even if Direct3D could copy a few regions instead.
func operatorPlan(t *testing.T, d *Device, whole, movable translate.Operator, desc *slice1.Desc) *Plan {
	t.Helper()
	p, err := newPlan(desc, nil, whole, movable, d.mostElements)
	require.NoError(t, err)
	p, err = d.adopt(p)
	require.NoError(t, err, "%v", &movable)
	return p
}

// bothPlans returns the plan that NewPlan makes of a descriptor, and a plan that uses an operator
// in any case.
func bothPlans(t *testing.T, d *Device, desc *slice1.Desc) [2]*Plan {
	t.Helper()
	planned, err := d.NewPlan(desc)
	require.NoError(t, err)
	whole, err := translate.OperatorOf(desc, d.capability)
	require.NoError(t, err)
	movable, err := translate.MovableOf(desc, d.capability)
	require.NoError(t, err)
	return [2]*Plan{planned, operatorPlan(t, d, whole, movable, desc)}
}

func randomBytes(rng *rand.Rand, n int64) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

// onCPU returns the bytes that dst would have after a run on the CPU. It does not change dst.
func onCPU(t testing.TB, d *slice1.Desc, dst, src []byte) []byte {
	t.Helper()
	p, err := slice1.NewPlan(d)
	require.NoError(t, err)
	want := bytes.Clone(dst)
	require.NoError(t, p.Run(want, src))
	return want
}
