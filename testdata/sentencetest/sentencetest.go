// Package sentencetest compares the errors of a package with the calls that return them, and with
// the places of its source that make them.
package sentencetest

import (
	"errors"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// Row is an error that a call returned, and what it must be.
type Row struct {
	err      error
	text     string // behind the name of the package
	sentinel error  // the sentinel
	place    *slice1.DescError
}

// Plain returns a row for an error that is no DescError. The sentinel may be nil.
func Plain(err error, text string, sentinel error) Row { return Row{err, text, sentinel, nil} }

// Place returns a row for a DescError.
func Place(err error, text string, sentinel error, field string, axis int, got, limit int64) Row {
	return Row{err, text, sentinel, &slice1.DescError{Field: field, Axis: axis, Got: got, Limit: limit}}
}

// Check compares each row's error with the row. The text must name the field with its axis, the
// number that the call gave and the limit, unless that is 0 or 1. A number may be the number of a
// data type or a feature level.
func Check(t *testing.T, name string, rows []Row) {
	t.Helper()
	for _, r := range rows {
		if !assert.EqualError(t, r.err, name+": "+r.text) {
			continue
		}
		assert.NotContains(t, r.text, "\n")
		assert.Less(t, len(r.text), 300, r.text)
		if r.sentinel != nil {
			assert.ErrorIs(t, r.err, r.sentinel, r.text)
		}
		found, ok := errors.AsType[*slice1.DescError](r.err)
		if !assert.Equal(t, r.place != nil, ok, r.text) || !ok {
			continue
		}
		want := *r.place
		want.Err = found.Err
		assert.Equal(t, want, *found, r.text)
		field := regexp.QuoteMeta(want.Field)
		if want.Axis >= 0 {
			axis := strconv.Itoa(want.Axis)
			field += `\[` + axis + `\]|\baxis ` + axis + `\b`
		}
		assert.Regexp(t, field, r.text)
		assert.True(t, says(r.text, want.Got), "%d in %s", want.Got, r.text)
		assert.True(t, says(r.text, want.Limit), "%d in %s", want.Limit, r.text)
	}
}

// says reports whether a text has a number, or what has that number. 0 and 1 may be words.
func says(text string, n int64) bool {
	names := []string{strconv.FormatInt(n, 10), slice1.DataType(n).String(), slice1.FeatureLevel(n).String()}
	return n == 0 || n == 1 || slices.ContainsFunc(names, func(name string) bool {
		return regexp.MustCompile(`(^|[^\w.])` + regexp.QuoteMeta(name) + `($|[^\w.]|\.$)`).MatchString(text)
	})
}

// verbs are the verbs of package fmt.
var verbs = regexp.MustCompile(`%[+#]?[a-zT]`)

// CheckPlaces reads the files of a folder that belong to this build, except those for Windows
// alone, most of whose errors are the system's. Calls of the makers, which are names of functions,
// make errors. The literal texts of each call, with anything in place of verbs and between two of
// them, must be in one of the given texts of errors. A DescError must have an Err that a maker
// made.
func CheckPlaces(t *testing.T, folder string, makers, texts []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	places := 0
	for _, entry := range entries {
		if match, err := build.Default.MatchFile(folder, entry.Name()); err != nil || !match || strings.HasSuffix(entry.Name(), "_test.go") || strings.HasSuffix(entry.Name(), "_windows.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, filepath.Join(folder, entry.Name()), nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			function, ok := decl.(*ast.FuncDecl)
			maker := ok && slices.Contains(makers, function.Name.Name)
			ast.Inspect(decl, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CompositeLit:
					assert.True(t, maker || nameOf(n.Type) != "DescError" || hasSentence(n, makers), "%v: the error has no sentence", set.Position(n.Pos()))
				case *ast.CallExpr:
					if !slices.Contains(makers, nameOf(n.Fun)) {
						return true
					}
					literals := literalsOf(n)
					if len(literals) == 0 {
						assert.True(t, maker, "%v: no text", set.Position(n.Pos()))
						return true
					}
					places++
					pattern := regexp.MustCompile(strings.Join(literals, ".*"))
					assert.True(t, slices.ContainsFunc(texts, pattern.MatchString), "%v: no row has %v", set.Position(n.Pos()), pattern)
				}
				return true
			})
		}
	}
	assert.NotZero(t, places)
	t.Logf("%d places, %d texts", places, len(texts))
}

// hasSentence reports whether the last field of a DescError is a call of a maker.
func hasSentence(place *ast.CompositeLit, makers []string) bool {
	value := place.Elts[len(place.Elts)-1]
	if pair, ok := value.(*ast.KeyValueExpr); ok {
		value = pair.Value
	}
	call, ok := value.(*ast.CallExpr)
	return ok && slices.Contains(makers, nameOf(call.Fun))
}

// Texts returns the texts of the rows' errors and of their sentinels.
func Texts(rows []Row) (texts []string) {
	for _, r := range rows {
		if r.err == nil {
			continue
		}
		texts = append(texts, r.err.Error())
		if r.sentinel != nil {
			texts = append(texts, r.sentinel.Error())
		}
	}
	return texts
}

// nameOf returns the last name of an expression like errors.New or refused[int].
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return nameOf(e.X)
	}
	return ""
}

// literalsOf returns patterns for the literal texts among the arguments of a call.
func literalsOf(call *ast.CallExpr) (patterns []string) {
	for _, arg := range call.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			if inner, ok := n.(*ast.CallExpr); ok && nameOf(inner.Fun) != "Sprintf" {
				return false
			}
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				s, _ := strconv.Unquote(text.Value)
				if s != "" {
					patterns = append(patterns, verbs.ReplaceAllString(regexp.QuoteMeta(s), ".*"))
				}
			}
			return true
		})
	}
	return patterns
}
