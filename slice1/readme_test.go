package slice1_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
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

// Each test, benchmark and fuzz target that a document names exists.
func TestDocumentsNameTestsThatExist(t *testing.T) {
	declared := map[string]bool{}
	var documents string
	require.NoError(t, filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") && filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		if filepath.Ext(path) == ".md" {
			documents += string(text)
		}
		for _, of := range regexp.MustCompile(`(?m)^func (\w+)\(`).FindAllSubmatch(text, -1) {
			declared[string(of[1])] = true
		}
		return err
	}))
	named := regexp.MustCompile("`((Test|Benchmark|Fuzz|Example)[A-Z_]\\w+)`").FindAllStringSubmatch(documents, -1)
	require.Greater(t, len(named), 10)
	for _, of := range named {
		require.True(t, declared[of[1]], of[1])
	}
}
