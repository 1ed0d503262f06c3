//go:build amd64 || arm64

package directml

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// With this flag the tests and benchmarks run once for each adapter of the machine, each time in a
// process with another DIRECTML_ADAPTER. Their output also goes to the file.
var report = flag.String("report", "", "file that gets what the tests print on each adapter")

// reportAll runs this program, with the same arguments, on each adapter of the machine. It returns
// an error if there is none or the tests fail on one of them.
func reportAll(path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	out := io.MultiWriter(file, os.Stdout)
	v := windows.RtlGetVersion()
	fmt.Fprintf(out, "Windows %d.%d.%d, %s, %s, DIRECTML_DLL=%s\n", v.MajorVersion, v.MinorVersion, v.BuildNumber, runtime.Version(), runtime.GOARCH, os.Getenv("DIRECTML_DLL"))
	all, err := Adapters()
	if err != nil {
		return err
	}
	for _, a := range all {
		fmt.Fprintf(out, "\nadapter %d: %+v\n", a.Index, a)
		c := exec.Command(os.Args[0], os.Args[1:]...)
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%d", adapterVariable, a.Index))
		c.Stdout, c.Stderr = out, out
		if failed := c.Run(); failed != nil {
			err = fmt.Errorf("adapter %d: %w", a.Index, failed)
			fmt.Fprintln(out, err)
		}
	}
	if len(all) == 0 {
		err = fmt.Errorf("no adapter")
	}
	return err
}

// A report has the adapters, and what the tests print on each of them.
func TestReportsAreOfEachAdapter(t *testing.T) {
	all, err := Adapters()
	require.NoError(t, err)
	path := filepath.Join(os.TempDir(), fmt.Sprintf("report-%d.txt", os.Getpid()))
	defer os.Remove(path)
	c := exec.Command(os.Args[0], "-test.v", "-test.run=^TestBuffersOfDispatchAreChecked$", "-report", path)
	c.Env = append(os.Environ(), adapterVariable+"=")
	output, err := c.CombinedOutput()
	require.NoError(t, err, string(output))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(text), string(output))
	for _, a := range all {
		assert.Contains(t, string(text), fmt.Sprintf("\nadapter %d: {Index:%d LUID:%d Name:%s ", a.Index, a.Index, a.LUID, a.Name))
	}
	assert.Contains(t, string(text), "--- PASS: TestBuffersOfDispatchAreChecked")
	assert.Contains(t, string(text), "Windows ")
}
