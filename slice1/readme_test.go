package slice1_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The program in the README equals an example of this package, so that it compiles and its
// output is tested.
func TestProgramOfTheREADMEIsAnExample(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	_, program, found := strings.Cut(string(readme), "```go\npackage main\n")
	require.True(t, found)
	program, _, _ = strings.Cut(program, "```")
	example, err := os.ReadFile("example_readme_test.go")
	require.NoError(t, err)
	want := strings.NewReplacer("package slice1_test\n", "", "func Example_readme()", "func main()", "	// Output: ", "	// ").Replace(string(example))
	require.Equal(t, strings.TrimSpace(want), strings.TrimSpace(program))
}
