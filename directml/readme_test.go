package directml_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README's program for the GPU equals an example of this package but for the names of the
// package and the function. The example is compiled, so that the program compiles.
func TestProgramOfTheREADMEIsAnExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, program, found := strings.Cut(string(readme), "```go\npackage main\n")
	require.True(t, found)
	program, _, _ = strings.Cut(program, "```")
	example, err := os.ReadFile("example_readme_test.go")
	require.NoError(t, err)
	want := strings.NewReplacer("package directml_test\n", "", "func Example_readme()", "func main()").Replace(string(example))
	require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(program))
}
