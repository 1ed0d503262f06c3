package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// negations returns a fault for each condition of a package, tests excluded. It fails if this host
// does not build some file of the package.
func negations(root, pkg string) ([]fault, error) {
	p, err := build.ImportDir(filepath.Join(root, pkg), 0)
	if err != nil {
		return nil, err
	}
	ignored := slices.DeleteFunc(p.IgnoredGoFiles, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	if len(ignored) > 0 {
		return nil, fmt.Errorf("this host does not build %s of %s", strings.Join(ignored, ", "), pkg)
	}
	var all []fault
	for _, name := range append(p.GoFiles, p.CgoFiles...) {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		faults, err := negationsOf(pkg+"/"+name, source)
		if err != nil {
			return nil, err
		}
		all = append(all, faults...)
	}
	return all, nil
}

// negationsOf returns a fault for each condition of a file, in the order of the file. A fault's name
// is the file, the function and the text of the condition, with a number from the second one of
// that name on.
func negationsOf(file string, source []byte) ([]fault, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []fault
	named := map[string]int{}
	for _, d := range tree.Decls {
		for _, e := range conditions(d) {
			start, end := set.Position(e.Pos()).Offset, set.Position(e.End()).Offset
			text := strings.Join(strings.Fields(string(source[start:end])), " ")
			name := shortened(file) + functionName(d) + ": " + text
			if named[name]++; named[name] > 1 {
				name += fmt.Sprintf(" (%d)", named[name])
			}
			all = append(all, fault{name: name, file: file, start: start, end: end})
		}
	}
	return all, nil
}

// shortened returns the last two parts of a path, with a slash between them.
func shortened(file string) string {
	return filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file)
}

// functionName returns " Type.Method", " function", or nothing for a
// declaration that is no function.
func functionName(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok {
		return ""
	}
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return " " + f.Name.Name
	}
	receiver := ""
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && receiver == "" {
			receiver = id.Name
		}
		return receiver == ""
	})
	return " " + receiver + "." + f.Name.Name
}

// conditions returns the conditions under a node, in the order of the source. These are all
// comparisons, and all other operands that "and", "or" and "not" combine to the condition of an if
// or of a case of a switch without a value.
func conditions(n ast.Node) []ast.Expr {
	found := map[ast.Expr]bool{}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if comparison(n.Op) {
				found[n] = true
			}
		case *ast.IfStmt:
			operands(n.Cond, found)
		case *ast.SwitchStmt:
			if n.Tag != nil {
				break
			}
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					operands(e, found)
				}
			}
		}
		return true
	})
	ordered := make([]ast.Expr, 0, len(found))
	for e := range found {
		ordered = append(ordered, e)
	}
	sort.Slice(ordered, func(i, j int) bool {
		if ordered[i].Pos() != ordered[j].Pos() {
			return ordered[i].Pos() < ordered[j].Pos()
		}
		return ordered[i].End() < ordered[j].End()
	})
	return ordered
}

func comparison(op token.Token) bool {
	switch op {
	case token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ:
		return true
	}
	return false
}

// operands adds to found the operands that "and", "or" and "not" combine to e, or e itself if it is
// none of these.
func operands(e ast.Expr, found map[ast.Expr]bool) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		operands(x.X, found)
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			operands(x.X, found)
			return
		}
		found[e] = true
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			operands(x.X, found)
			operands(x.Y, found)
			return
		}
		found[e] = true
	default:
		found[e] = true
	}
}
