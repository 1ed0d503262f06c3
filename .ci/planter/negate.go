package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// negations adds to `all` a fault for each condition of the package that a section names, except in
// its tests.
func negations(root string, all []fault, of fault) ([]fault, error) {
	files, err := filepath.Glob(filepath.Join(root, of.file, "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s has no Go files", of.file)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := negationsOf(of.file+"/"+filepath.Base(file), source)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			f.kernel, f.tests = of.kernel, of.tests
			all = append(all, f)
		}
	}
	return all, nil
}

// negationsOf returns a fault for each condition of a file, in the order of the file. A fault's
// name is the file, the function and the text of the condition. The second fault of a name and
// later ones get a number.
func negationsOf(file string, source []byte) (all []fault, err error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	named := map[string]int{}
	for _, d := range tree.Decls {
		in := filepath.Base(filepath.Dir(file)) + "/" + filepath.Base(file)
		if f, ok := d.(*ast.FuncDecl); ok {
			in += " " + f.Name.Name
		}
		for _, e := range conditions(d) {
			f := fault{file: file, start: set.Position(e.Pos()).Offset, end: set.Position(e.End()).Offset}
			f.name = in + ": " + strings.Join(strings.Fields(string(source[f.start:f.end])), " ")
			if named[f.name]++; named[f.name] > 1 {
				f.name += fmt.Sprintf(" (%d)", named[f.name])
			}
			all = append(all, f)
		}
	}
	return all, nil
}

// conditions returns the conditions under a node, in the order of the source, outer ones first.
// These are all comparisons. They are also all other operands that "and", "or" and "not" combine,
// in the condition of an if or of a case of a switch without a value.
func conditions(n ast.Node) (all []ast.Expr) {
	var operands func(e ast.Expr)
	operands = func(e ast.Expr) {
		switch x := e.(type) {
		case *ast.ParenExpr:
			operands(x.X)
			return
		case *ast.UnaryExpr:
			operands(x.X)
			return
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				operands(x.X)
				operands(x.Y)
			}
			return // Inspect comes to comparisons
		}
		all = append(all, e)
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op.Precedence() == token.EQL.Precedence() {
				all = append(all, n)
			}
		case *ast.IfStmt:
			operands(n.Cond)
		case *ast.SwitchStmt:
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					if n.Tag == nil {
						operands(e)
					}
				}
			}
		}
		return true
	})
	slices.SortFunc(all, func(a, b ast.Expr) int { return cmp.Or(cmp.Compare(a.Pos(), b.Pos()), cmp.Compare(b.End(), a.End())) })
	return all
}

// instrumented returns a source with texts inserted at their offsets.
func instrumented(source []byte, texts map[int]string) []byte {
	var b bytes.Buffer
	for i, c := range source {
		b.WriteString(texts[i])
		b.WriteByte(c)
	}
	return b.Bytes()
}
