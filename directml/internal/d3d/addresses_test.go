package d3d

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Once an address is a number, it does not follow its variable when a stack moves, and does not
// keep the variable alive. So an address may become a number only in the arguments of some
// functions. For these the compiler keeps the variables alive and on the heap.
func TestAddressesBecomeNumbersInArgumentsOnly(t *testing.T) {
	keepers := map[string]bool{"Call": false, "Try": false, "invoke": false}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	addresses := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if _, ok := keepers[f.Name.Name]; ok && f.Doc != nil {
				last := f.Doc.List[len(f.Doc.List)-1].Text
				keepers[f.Name.Name] = last == "//go:uintptrescapes"
			}
			kept := map[ast.Node]bool{}
			ast.Inspect(f, func(n ast.Node) bool {
				c, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				where := fset.Position(c.Pos())
				callee, of := calleeOf(c)
				if _, ok := keepers[callee]; ok {
					for _, a := range c.Args {
						kept[a] = true
					}
				}
				if of == "windows" && takesAddress(c) {
					// These functions of x/sys pass pointers on as pointers, or call nothing.
					assert.Contains(t, []string{"GetFileVersionInfo", "VerQueryValue", "UTF16ToString"}, callee, where)
				}
				if !isAddressAsNumber(c) {
					return true
				}
				addresses++
				if !kept[c] && f.Name.Name != "word" { // word's address is not in Go's memory
					assert.Fail(t, "an address becomes a number outside of a call", "%v", where)
				}
				return true
			})
		}
	}
	assert.Greater(t, addresses, 40)
	for name, ok := range keepers {
		assert.True(t, ok, "%s does not keep the targets of its arguments", name)
	}
}

// Packages directml and translate make no unsafe.Pointer, though directml returns some of this
// package's, and import nothing else that turns an address into a number or hands one to Windows.
// So the test above need not read them.
func TestNoOtherPackageHandlesAddresses(t *testing.T) {
	above, err := filepath.Glob("../../*.go")
	require.NoError(t, err)
	beside, err := filepath.Glob("../translate/*.go")
	require.NoError(t, err)
	require.NotEmpty(t, beside)
	for _, name := range append(above, beside...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, i := range file.Imports {
			assert.NotContains(t, []string{`"syscall"`, `"golang.org/x/sys/windows"`}, i.Path.Value, name)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				_, of := calleeOf(c)
				assert.NotEqual(t, "unsafe", of, name)
			}
			return true
		})
	}
}

// calleeOf returns the name of the function or method that c calls, and the name before the dot, or
// "" if there is no dot. If the callee has no name, both are "".
func calleeOf(c *ast.CallExpr) (name, of string) {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name, ""
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok {
			of = x.Name
		}
		return f.Sel.Name, of
	}
	return "", ""
}

// isAddressAsNumber reports whether c is uintptr(unsafe.Pointer(...)).
func isAddressAsNumber(c *ast.CallExpr) bool {
	if name, _ := calleeOf(c); name != "uintptr" || len(c.Args) != 1 {
		return false
	}
	p, ok := c.Args[0].(*ast.CallExpr)
	if !ok {
		return false
	}
	name, of := calleeOf(p)
	return name == "Pointer" && of == "unsafe"
}

// takesAddress reports whether an argument has &, a composite literal or a slice expression in it.
// Such an argument may point to a variable on a stack.
func takesAddress(c *ast.CallExpr) (yes bool) {
	for _, a := range c.Args {
		ast.Inspect(a, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.UnaryExpr:
				yes = yes || n.Op == token.AND
			case *ast.CompositeLit, *ast.SliceExpr:
				yes = true
			}
			return !yes
		})
	}
	return yes
}
