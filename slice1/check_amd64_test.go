package slice1_test

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// If SLICE1_REQUIRE names another kernel than the strongest one chosen,
// TestRequiredKernelIsChosen fails and prints the name of the latter; if it names that kernel,
// the test passes.
func TestRunsOnAnotherKernelThanRequiredFail(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	requiring := func(kernel string) (string, error) {
		run := exec.Command(program, "-test.run=^TestRequiredKernelIsChosen$", "-test.v")
		run.Env = append(os.Environ(), "SLICE1_REQUIRE="+kernel)
		out, err := run.CombinedOutput()
		return string(out), err
	}
	out, err := requiring("mmx")
	require.IsType(t, &exec.ExitError{}, err, out)
	require.Contains(t, out, "--- FAIL: TestRequiredKernelIsChosen")
	chosen := regexp.MustCompile(`actual *: "(\w+)"`).FindStringSubmatch(out)
	require.Len(t, chosen, 2, out)
	out, err = requiring(chosen[1])
	require.NoError(t, err, out)
	require.Contains(t, out, "--- PASS: TestRequiredKernelIsChosen")
}
