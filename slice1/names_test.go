package slice1_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An internal package exports nothing that only tests use: each exported name stands in the code of
// the module twice, where it is declared and where it is used. Packages that are for tests do not
// count, nor what C uses by the header that package program makes. called has names that an
// interface of the standard library calls, and the few that tests of several packages need.
func TestNoNameIsExportedForTestsAlone(t *testing.T) {
	forTests := regexp.MustCompile(`/(oracle|fpcontrol|testdata|program)(/|$)`)
	ours := regexp.MustCompile(`(^|/)internal(/|$)|^csrc$|^cpuid$`)
	called := map[string]bool{"String": true, "Error": true, "Unwrap": true, "Is": true, "Close": true, "MarshalJSON": true,
		"Live": true, "Forget": true, "CountBranches": true, "MaxVariants": true}
	uses, declared := map[string]int{}, map[string]string{}
	for path, text := range readDocuments(t).files {
		folder := filepath.ToSlash(filepath.Dir(path))
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || forTests.MatchString(folder) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				uses[name.Name]++
			}
			return true
		})
		if !ours.MatchString(folder) {
			continue
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Name.IsExported() {
				declared[f.Name.Name] = path
			}
			if g, ok := decl.(*ast.GenDecl); ok {
				for _, spec := range g.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						declared[spec.Name.Name] = path
					case *ast.ValueSpec:
						for _, name := range spec.Names {
							declared[name.Name] = path
						}
					}
				}
			}
		}
	}
	found := 0
	for name, path := range declared {
		if ast.IsExported(name) && !called[name] {
			found++
			assert.Greater(t, uses[name], 1, "%s: only tests use %s", path, name)
		}
	}
	require.Greater(t, found, 200)
}
