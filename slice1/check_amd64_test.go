package slice1_test

import (
	"os"
	"os/exec"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRequiredKernelIsChosen passes if SLICE1_REQUIRE names the strongest kernel that is chosen. If
// it names another kernel, the test fails and prints the strongest one.
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
