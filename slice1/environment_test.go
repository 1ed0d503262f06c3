package slice1_test

import (
	"image"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// wrong are values that variables do not take, with the error of each and a part of its sentence.
var wrong = map[string]struct {
	variable, value string
	err             error
	sentence        string
}{
	"kernel": {"SLICE1_KERNEL", "AVX2", slice1.ErrKernel,
		`SLICE1_KERNEL is "AVX2"; this build for ` + runtime.GOOS + "/" + runtime.GOARCH + " has go"},
	"processor": {"DML_CPU", "-avx512,avx2", slice1.ErrKernel,
		`DML_CPU has "avx2"; its words are -avx2, -avx512, -vnni, -f16c, -neon and none`},
	"learning": {"SLICE1_LEARN", "no", slice1.ErrSyntax,
		`SLICE1_LEARN is "no"; its values are on, off, 1, 0, true and false`},
}

// Every function that slices returns an error that names a variable with a wrong value. Variables
// are read when a slice first needs them, not while packages start, because then go test knows that
// a result depends on them. So each case is a process of its own, which sets a variable after its
// start.
func TestVariablesWithValuesThatTheyDoNotTake(t *testing.T) {
	const child = "SLICE1_TEST_VARIABLE"
	if name := os.Getenv(child); name != "" {
		testVariable(t, name)
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	for name, c := range wrong {
		command := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v")
		command.Env = append(os.Environ(), child+"="+name, c.variable+"=")
		out, err := command.CombinedOutput()
		if _, ran := err.(*exec.ExitError); err != nil && !ran {
			t.Skip(err) // no processes here
		}
		require.NoError(t, err, "%s: %s", name, out)
		assert.Contains(t, string(out), "--- PASS: "+t.Name(), name)
	}
}

func testVariable(t *testing.T, name string) {
	c := wrong[name]
	t.Setenv(c.variable, c.value)
	checked := slice1.CheckEnvironment() // as the first call in a process
	d := reversal(slice1.Uint8, 9)
	src, dst := randomBytes(9), make([]byte, 9)
	_, planned := slice1.NewPlan(d)
	_, _, sliced := slice1.Slice(src, []int{9}, "[::-1]")
	gray := image.NewGray(image.Rect(0, 0, 3, 3))
	_, pictured := imageslice.Slice(gray, gray.Rect, 1, -1)
	for call, err := range map[string]error{
		"CheckEnvironment":   checked,
		"NewPlan":            planned,
		"Copy":               slice1.Copy(dst, src, d),
		"CopyBytes":          slice1.CopyBytes(dst, src, d),
		"Copy with numbers":  slice1.Copy(make([]float32, 9), src, d, slice1.WithNumbers(slice1.Float32, slice1.Affine{})),
		"Slice":              sliced,
		"imageslice.Slice":   pictured,
		"imageslice.Convert": imageslice.Convert(make([]float32, 9), gray, gray.Rect, imageslice.Tensor{}),
	} {
		require.ErrorIs(t, err, c.err, call)
		require.ErrorContains(t, err, c.sentence, call)
	}
	require.Equal(t, make([]byte, 9), dst, "nothing is written")
	kernels := slice1.Kernels()
	require.True(t, kernels[0].Usable)
	if name == "processor" {
		for _, k := range kernels[1:] {
			require.Equal(t, slice1.KernelInfo{Name: k.Name, Reason: c.sentence}, k)
		}
	}
	// A plan that names a kernel does not depend on the one that SLICE1_KERNEL names.
	_, err := slice1.NewPlan(d, slice1.WithKernel("go"))
	require.Equal(t, name == "kernel", err == nil)
}

// Nothing is wrong with the variables of this process, with which the other tests run.
func TestEnvironmentIsChecked(t *testing.T) {
	require.NoError(t, slice1.CheckEnvironment())
	_, err := slice1.NewPlan(reversal(slice1.Uint8, 9))
	require.NoError(t, err)
}

// Without F16C, plain Go converts from and to Float16 in place of C, and the kernels do the other
// conversions. A process of its own hides F16C.
func TestConversionsOfFloat16WithoutF16C(t *testing.T) {
	const child = "SLICE1_TEST_F16C"
	if os.Getenv(child) != "" {
		testWithoutF16C(t)
		return
	}
	program, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	command := exec.Command(program, "-test.run=^"+t.Name()+"$", "-test.v")
	command.Env = append(os.Environ(), child+"=1", "DML_CPU="+os.Getenv("DML_CPU")+",-f16c")
	out, err := command.CombinedOutput()
	if _, ran := err.(*exec.ExitError); err != nil && !ran {
		t.Skip(err) // no processes here
	}
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "--- PASS: "+t.Name())
}

func testWithoutF16C(t *testing.T) {
	for _, kernel := range usableKernels() {
		by := func(from, to slice1.DataType) string {
			c, err := slice1.NewPlan(slice1.Whole(from, 100), slice1.WithNumbers(to, slice1.Affine{Bias: []float32{1}}), slice1.WithKernel(kernel))
			require.NoError(t, err)
			return regexp.MustCompile(`kernel \w+`).FindString(c.String())
		}
		for _, from := range converted {
			for _, to := range converted {
				want := by(slice1.Uint8, slice1.Float32)
				if kernel != "simd" && (from == slice1.Float16 || to == slice1.Float16) {
					want = "kernel go"
				}
				require.Equal(t, want, by(from, to), "%s, %v to %v", kernel, from, to)
			}
		}
	}
	checkValues(t, slice1.Float16, slice1.Float32, every16(), 1, minusZero)
	checkValues(t, slice1.Float16, slice1.Int16, every16(), 3, 0.5)
	checkValues(t, slice1.Float32, slice1.Float16, slice1.Bytes(boundaries()), 1, minusZero)
}
