package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reasons says for each number in a comparison why it is no matter of costs. Its keys are the
// package and file, the function, and the number or its name.
var reasons = map[string]string{
	"nest/class.go Leaves Line": "a step leaves a cache line or not",
	"nest/class.go Pixels 3":    "the elements of a pixel",
	"nest/class.go Pixels 6":    "what package portable does: the first pixel, the last, and a group",

	"plan/cover.go lowBits 64":                "bits of a mask",
	"vector/copy_arm64.go copy 32":            "bytes of two moves that overlap",
	"vector/copy_arm64.go copy 64":            "bytes of two moves that overlap",
	"vector/copy_arm64.go copy 128":           "bytes of two moves that overlap",
	"vector/copy_arm64.go copy 256":           "bytes of two moves that overlap",
	"vector/copy_arm64.go copyMany 128":       "bytes of a move",
	"vector/copy_arm64.go copyMany 512":       "bytes of an unrolled loop",
	"vector/gather_arm64.go elementsOf deep":  "rows at a time",
	"vector/gather_arm64.go elementsOf group": "elements of an unrolled loop",
	"vector/gather_arm64.go elementsOf short": "the longest row that is made by columns",
	"vector/gather_arm64.go gathers group":    "elements of an unrolled loop",
	"vector/gather_arm64.go pixels 3":         "the elements of a pixel",
	"vector/shuffle_arm64.go inlane 3":        "windows of a vector",
	"vector/run.go leaves maxCopied":          "within Go's vectors: rows that the runtime copies as fast",
	"vector/shuffle_amd64.go bytes 3":         "windows of a vector",
	"vector/shuffle.go lanes 3":               "windows of a vector",

	"plan/host.go HostOf usualL3": "a size that is not known",
	"plan/host.go HostOf mostL3":  "the share of a cache that one program has",

	"plan/cut.go block 16":               "the size of parts, which costs do not price: a row of at least this many parts is cut",
	"plan/cut.go block 512":              "the size of parts: bytes of a row by non-temporal stores",
	"plan/cut.go block align":            "a cache line",
	"plan/cut.go grow align":             "a cache line",
	"plan/cut.go inner align":            "a cache line",
	"plan/masks.go permute 3":            "which ways to fill a vector are tried; the cheapest is taken",
	"plan/price_go.go listed moveBytes":  "what package portable does: Table.list",
	"plan/price_go.go movesOf moveBytes": "what package portable does: copyRows",
	"plan/store.go prefetchRows 1024":    "how far to prefetch, which costs do not price: BenchmarkStreams",
	"plan/store.go prefetchRows 2048":    "the widest gap to prefetch: BenchmarkStreams",
	"plan/store.go prefetchRows 32768":   "how far to prefetch: BenchmarkStreams",
	"plan/store.go stream 64":            "how far to prefetch, in elements: BenchmarkStreams",
	"plan/tile.go blockOf 256":           "the size of blocks of tiles, which costs do not price",
	"plan/tile.go blockOf 512":           "the size of blocks of tiles, in bytes",
	"plan/tile.go kept 64":               "sets of the first-level cache, for the size of blocks",
	"plan/windows.go worth bounded":      "so that no product overflows",

	"portable/columns.go adjacent 3":      "columns of a group",
	"portable/columns.go columns Strip":   "within a kernel of Go: rows at a time",
	"portable/columns.go group 3":         "columns of a group",
	"portable/copy.go copyOne 16":         "the alignment at which the runtime copies slowly",
	"portable/copy.go copyOne 2048":       "from which size on the runtime does",
	"portable/copy.go copyRows MaxCopied": "within a kernel of Go: rows that the runtime copies",
	"portable/copy.go copyRows 16":        "bytes of two moves that overlap",
	"portable/copy.go copyRows 32":        "bytes of two moves that overlap",
	"portable/copy.go copyRows 64":        "bytes of two moves that overlap",
	"portable/every.go every 3":           "the stride of a kernel",
	"portable/columns.go turn 3":          "columns of a group",
	"portable/every.go everyPair 3":       "the stride of a kernel",
	"portable/every.go everyPair 5":       "the stride of a kernel",
	"portable/rules.go Every 5":           "the strides of kernels",
	"portable/nest.go Run MaxCopied":      "within a kernel of Go: rows that the runtime copies",
	"portable/nest.go set channels":       "the elements of a pixel",
	"portable/fill.go fill 32":            "bytes of an unrolled loop",
	"portable/reverse.go reverse1 32":     "bytes of an unrolled loop",
	"portable/reverse.go reverse2 32":     "bytes of an unrolled loop",
	"portable/reverse.go reverse4 32":     "bytes of an unrolled loop",
	"portable/rules.go Along 32":          "within a kernel of Go: rows of at least this many elements are their own table",
	"portable/rules.go Every everyRow":    "within a kernel of Go: rows short enough for a kernel less",
	"portable/rules.go Short 3":           "loops outside of a block",
	"portable/rules.go Short fewRows":     "within a kernel of Go: rows of a block from which on it is not listed",
	"portable/table.go Run 16":            "bytes of a move",
	"portable/table.go list 16":           "bytes of a move",
	"portable/table.go list MaxUnits":     "the size of an array",
	"portable/table.go runUnits 3":        "moves of a unit",
}

// Numbers do not decide what costs should. Each integer literal in a comparison, in a case, or in a
// call of min or max of the packages that plan and execute has a reason in reasons, and so has each
// constant of theirs that has such a literal and is used there. 0, 1, 2, 4 and 8 need no reason.
func TestNumbersInComparisonsHaveReasons(t *testing.T) {
	found := map[string]bool{}
	for _, folder := range []string{".", "../nest", "../portable", "../vector"} {
		paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
		require.NoError(t, err)
		l := literals{files: token.NewFileSet(), constants: map[string][]string{}, found: found}
		var parsed []*ast.File
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			source, err := os.ReadFile(path)
			require.NoError(t, err)
			file, err := parser.ParseFile(l.files, path, source, parser.SkipObjectResolution)
			require.NoError(t, err)
			parsed = append(parsed, file)
			ast.Inspect(file, l.constant)
		}
		for i, file := range parsed {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					l.place = file.Name.Name + "/" + filepath.Base(l.files.File(parsed[i].Pos()).Name()) + " " + f.Name.Name
					ast.Inspect(f, l.comparison)
				}
			}
		}
	}
	for place := range found {
		assert.Contains(t, reasons, place, "a number without a reason")
	}
	for place, reason := range reasons {
		assert.True(t, found[place], "%s: there is no such number", place)
		assert.NotEmpty(t, reason, place)
	}
}

// literals collects the numbers that need a reason.
type literals struct {
	files     *token.FileSet
	constants map[string][]string // by the name of a constant, the numbers in it
	place     string              // the package, file and function that are looked at
	found     map[string]bool     // keys as reasons has them
}

// constant notes the numbers in n if n declares constants.
func (l *literals) constant(n ast.Node) bool {
	if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.CONST {
		for _, spec := range d.Specs {
			v := spec.(*ast.ValueSpec)
			for i, value := range v.Values {
				ast.Inspect(value, func(n ast.Node) bool {
					if number, ok := numberIn(n); ok {
						l.constants[v.Names[i].Name] = append(l.constants[v.Names[i].Name], number)
					}
					return true
				})
			}
		}
	}
	return true
}

// comparison notes the numbers in n if n is a comparison, a case, or a call of min or max.
func (l *literals) comparison(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if planted(n.X) || planted(n.Y) {
			return true
		}
		switch n.Op {
		case token.LSS, token.GTR, token.LEQ, token.GEQ, token.EQL, token.NEQ:
			l.note(n.X, n.Y)
		}
	case *ast.CallExpr:
		if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "min" || f.Name == "max") {
			l.note(n.Args...)
		}
	case *ast.CaseClause:
		l.note(n.List...)
	}
	return true
}

func (l *literals) note(of ...ast.Expr) {
	for _, e := range of {
		ast.Inspect(e, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && planted(e) {
				return false
			}
			if number, ok := numberIn(n); ok {
				l.found[l.place+" "+number] = true
			} else if name, ok := n.(*ast.Ident); ok && l.constants[name.Name] != nil {
				l.found[l.place+" "+name.Name] = true
			}
			return true
		})
	}
}

// planted reports whether an expression is the one that .ci/planter compares a condition with to
// negate it.
func planted(e ast.Expr) bool {
	if in, ok := e.(*ast.ParenExpr); ok {
		e = in.X
	}
	if of, ok := e.(*ast.BinaryExpr); ok {
		e = of.X
	}
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "negation"
}

// numberIn returns the text of n and true if n is an integer literal that needs a reason.
func numberIn(n ast.Node) (text string, ok bool) {
	b, ok := n.(*ast.BasicLit)
	if !ok || b.Kind != token.INT {
		return "", false
	}
	v, err := strconv.ParseInt(b.Value, 0, 64)
	return b.Value, err != nil || v > 2 && v != 4 && v != 8
}
