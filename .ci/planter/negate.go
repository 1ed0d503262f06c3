package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// All negations are built at once. Each condition is negated if the environment variable has its
// number, so that one build of the tests can run with any one of them.
const (
	negationVariable = "PLANTER_NEGATION"
	negationSource   = `package %s

import (
	"os"
	"strconv"
)

var negation, _ = strconv.Atoi(os.Getenv("` + negationVariable + `"))
`
)

// negations adds to `all` a fault for each condition of the package that a section names, tests
// excluded.
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
			f.kernel, f.tests, f.number = of.kernel, of.tests, len(all)+1
			all = append(all, f)
		}
	}
	return all, nil
}

// negationsOf returns a fault for each condition of a file, in the order of the file. A fault's
// name is the file, the function and the text of the condition, with a number from the second one
// of that name on.
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
// These are all comparisons, and all other operands that "and", "or" and "not" combine to the
// condition of an if or of a case of a switch without a value.
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

// instrumented returns a Go file with the conditions of faults written so that each is negated if
// the variable `negation` is its number. A condition may contain others, which follow it in faults.
func instrumented(source []byte, faults []fault) []byte {
	inserted := map[int]string{}
	for _, f := range slices.Backward(faults) {
		inserted[f.end] += fmt.Sprintf(") != (negation == %d))", f.number)
		inserted[f.start] += "(("
	}
	var b bytes.Buffer
	for i, c := range source {
		b.WriteString(inserted[i])
		b.WriteByte(c)
	}
	return b.Bytes()
}

// buildNegations builds the tests that the chosen negations name, with all negations in them.
func (p *planter) buildNegations(ctx context.Context, all, chosen []fault) error {
	byFile := map[string][]fault{}
	for _, f := range all {
		if f.number > 0 {
			byFile[f.file] = append(byFile[f.file], f)
		}
	}
	replaced := map[string][]byte{}
	for file, faults := range byFile {
		source, err := os.ReadFile(filepath.Join(p.root, file))
		if err != nil {
			return err
		}
		replaced[file] = instrumented(source, faults)
		replaced[filepath.Dir(file)+"/zz_negation.go"] = fmt.Appendf(nil, negationSource, filepath.Base(filepath.Dir(file)))
	}
	overlay, err := p.overlay("negations", replaced)
	if err != nil {
		return err
	}
	built := map[tests]bool{}
	for _, f := range chosen {
		k := p.host.kernel(f.kernel)
		for _, t := range f.tests {
			if f.number == 0 || k.missing != "" || built[t] {
				continue
			}
			built[t] = true
			if log, err := p.build(ctx, k, overlay, t.pkg, p.negated(t)); err != nil {
				return fmt.Errorf("the negations do not compile: %s", log)
			}
		}
	}
	return nil
}

// negated returns the path of the tests of a package that have all negations.
func (p *planter) negated(t tests) string {
	return filepath.Join(p.work, filepath.Base(t.pkg)+".negated")
}
