package slice1_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

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

// An exported type of slice1, and of the packages below it, is a type of that package, not another
// name of an internal one: go doc shows the methods of such a type, and not those behind an alias.
func TestExportedTypesAreNoAliases(t *testing.T) {
	found := 0
	for path, text := range readDocuments(t).files {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "internal/") || !strings.HasPrefix(path, "slice1/") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.IsExported() {
				found++
				assert.False(t, spec.Assign.IsValid(), "%s: %s is an alias", path, spec.Name)
			}
			return true
		})
	}
	require.Greater(t, found, 20)
}

// Lines of prose in comments of Go and C have at most 100 columns, where a tab takes four. Code in
// comments stands behind more than one blank, or is an item of a list, and may be wider.
func TestCommentsAreNotWide(t *testing.T) {
	prose := regexp.MustCompile(`^\s*(//|/\*| \*) [^\s*-]`)
	found := 0
	for path, text := range readDocuments(t).files {
		if ext := filepath.Ext(path); ext != ".go" && ext != ".h" || path == "csrc/layout.h" { // which is made
			continue
		}
		for i, line := range strings.Split(text, "\n") {
			if prose.MatchString(line) {
				found++
				line = strings.TrimSuffix(strings.ReplaceAll(line, "\t", "    "), " */")
				assert.LessOrEqual(t, utf8.RuneCountInString(line), 100, "%s:%d", path, i+1)
			}
		}
	}
	require.Greater(t, found, 5000)
}

// functionWords are articles, prepositions, pronouns, conjunctions and auxiliary verbs of English,
// and words of order and number. A name that is one of them does not say what it names.
const functionWords = `
	a an the of to from at in on by for with than is are be was were been it its this that these those
	some all any each every both either neither none no not one ones two other others another such same own
	first last next most more less least many few much enough only just also too very so
	out off up down over under into onto upon about above below between beyond before after behind beside within
	without through across along around against toward towards near past per until till since while when where
	whether who whom whose which what why how and or but nor then because though although unless
	here there now once again ever never always do does did has have had can could may might must shall should
	will would you he she we they me him her us them my your his our their`

// The code declares few names that are function words, and fewer from change to change: a new one
// gets a name that says what it is. Names of interfaces of the standard library, like At, count,
// too.
func TestFewNamesAreFunctionWords(t *testing.T) {
	const most = 46
	words := map[string]bool{}
	for _, word := range strings.Fields(functionWords) {
		words[word] = true
	}
	count, folders := 0, map[string]int{}
	for path, text := range readDocuments(t).files {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		declare := func(names ...ast.Expr) {
			for _, name := range names {
				if id, ok := name.(*ast.Ident); ok && words[strings.ToLower(id.Name)] {
					count++
					folders[filepath.ToSlash(filepath.Dir(path))]++
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				for _, name := range n.Names {
					declare(name)
				}
			case *ast.ValueSpec:
				for _, name := range n.Names {
					declare(name)
				}
			case *ast.TypeSpec:
				declare(n.Name)
			case *ast.FuncDecl:
				declare(n.Name)
			case *ast.AssignStmt:
				if n.Tok == token.DEFINE {
					declare(n.Lhs...)
				}
			case *ast.RangeStmt:
				if n.Tok == token.DEFINE {
					declare(n.Key, n.Value)
				}
			}
			return true
		})
	}
	require.LessOrEqual(t, count, most, "names that are function words, by folder: %v", folders)
	require.Greater(t, count, 0)
}
