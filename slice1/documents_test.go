package slice1_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// documents are the documents, the code and the scripts of a checkout, which the tests below
// compare.
type documents struct {
	files map[string]string          // texts by path from the checkout's root
	code  map[string]string          // of each document, script and file of Go, the parts that are commands or code in comments
	names map[string]map[string]bool // what is declared at the top level and as a method, by folder
}

// public are the folders of the packages for users.
var public = map[string]string{"slice1": "slice1", "imageslice": "slice1/imageslice", "hf": "slice1/imageslice/hf", "npy": "slice1/npy", "directml": "directml"}

var (
	fenced   = regexp.MustCompile("(?s)```(\\w*)\n(.*?)```")
	indented = regexp.MustCompile(`(?m)^    .*\n`)
	span     = regexp.MustCompile("(?s)`[^`]+`")
	inGo     = regexp.MustCompile(`(?m)^\s*//\t.*\n`)
)

func readDocuments(t *testing.T) documents {
	t.Helper()
	d, err := theDocuments()
	require.NoError(t, err)
	return d
}

var theDocuments = sync.OnceValues(func() (documents, error) {
	d := documents{map[string]string{}, map[string]string{}, map[string]map[string]bool{}}
	root := os.DirFS("..")
	return d, fs.WalkDir(root, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if slices.Contains([]string{".git", "bin", "dist", "out"}, path) {
				return fs.SkipDir
			}
			return err
		}
		ext := filepath.Ext(path)
		if !slices.Contains([]string{".md", ".go", ".py", ".h", ".c"}, ext) && path != "Makefile" && !strings.HasPrefix(path, ".ci/") {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		d.files[path] = string(text)
		switch ext {
		case ".md":
			rest := fenced.ReplaceAllString(d.files[path], "")
			d.code[path] = strings.Join(slices.Concat(indented.FindAllString(rest, -1), span.FindAllString(indented.ReplaceAllString(rest, ""), -1)), "\n")
		case ".go":
			d.code[path] = strings.Join(inGo.FindAllString(d.files[path], -1), "")
			return d.declare(filepath.ToSlash(filepath.Dir(path)), text)
		case "":
			d.code[path] = strings.ReplaceAll(d.files[path], "\\\n", "")
		}
		return nil
	})
})

// declare notes what a file of Go declares.
func (d documents) declare(folder string, text []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if d.names[folder] == nil {
		d.names[folder] = map[string]bool{}
	}
	note := func(name *ast.Ident) { d.names[folder][name.Name] = true }
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			note(decl.Name)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					note(spec.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						note(name)
					}
				}
			}
		}
	}
	return nil
}

// declared reports whether a folder, or a folder below it, declares a name that the pattern
// matches.
func (d documents) declared(folder string, pattern *regexp.Regexp) bool {
	for path, names := range d.names {
		if folder == "." || path == folder || strings.HasPrefix(path, folder+"/") {
			for name := range names {
				if pattern.MatchString(name) {
					return true
				}
			}
		}
	}
	return false
}

// folder returns the folder of the package that a command names by path. base is the folder where
// the command runs.
func (d documents) folder(base, path string) string {
	path, _, _ = strings.Cut(strings.TrimSuffix(path, "/..."), "@")
	if below, ok := strings.CutPrefix(path, "github.com/seed2e45c115/dml/"); ok {
		return below
	}
	return filepath.ToSlash(filepath.Join(base, path))
}

// Each program and each line of Go in a document stands in an example, which the tests compile and,
// where it has an output, run, or in a program of bench.
func TestGoOfDocumentsIsInExamples(t *testing.T) {
	d := readDocuments(t)
	var examples []string
	test := regexp.MustCompile(`package (\w+)_test\n`)
	for path, text := range d.files {
		if strings.HasPrefix(filepath.Base(path), "example") || strings.HasPrefix(path, "bench/jobs/") {
			text = test.ReplaceAllString(text, "package main\n")
			examples = append(examples, strings.NewReplacer("func Example_readme()", "func main()", "// Output: ", "// ").Replace(text))
		}
	}
	found := 0
	for path, text := range d.files {
		if filepath.Ext(path) != ".md" {
			continue
		}
		for _, block := range fenced.FindAllStringSubmatch(text, -1) {
			require.Equal(t, "go", block[1], path)
			found++
			assert.True(t, slices.ContainsFunc(examples, func(example string) bool {
				return example == block[2] || !strings.HasPrefix(block[2], "package ") && strings.Contains(example, block[2])
			}), "%s: no example has\n%s", path, block[2])
		}
	}
	assert.Equal(t, 3+24, found)
}

// Go in the comments of packages for users parses, and what it calls is declared.
func TestGoOfCommentsCallsWhatThereIs(t *testing.T) {
	d := readDocuments(t)
	block := regexp.MustCompile(`(?m)(?:^//\t.*\n)+`)
	calls := 0
	for path, text := range d.files {
		folder := filepath.ToSlash(filepath.Dir(path))
		if filepath.Ext(path) != ".go" || !slices.Contains(slices.Collect(maps.Values(public)), folder) || strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, lines := range block.FindAllString(text, -1) {
			if !strings.Contains(lines, " := ") {
				continue
			}
			body := "package p\nfunc _() {\n" + strings.ReplaceAll(lines, "//\t", "") + "}\n"
			file, err := parser.ParseFile(token.NewFileSet(), "", body, parser.SkipObjectResolution)
			require.NoError(t, err, "%s:\n%s", path, body)
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				callee, ok := call.Fun.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				if of, ok := callee.X.(*ast.Ident); !ok || of.Name != "os" && of.Name != "image" {
					calls++
					assert.True(t, slices.ContainsFunc(slices.Collect(maps.Values(public)), func(folder string) bool {
						return d.names[folder][callee.Sel.Name]
					}), "%s: %s", path, callee.Sel.Name)
				}
				return true
			})
		}
	}
	assert.Greater(t, calls, 8)
}

// Each package, file, test, target, flag and variable that the code in a document, a comment, the
// Makefile or a script names is there. A pattern after -run that matches no test would run nothing
// in silence.
func TestDocumentsNameWhatThereIs(t *testing.T) {
	d := readDocuments(t)
	var (
		target   = regexp.MustCompile(`\bmake[ \n]([a-z][a-z0-9-]*)`)
		file     = regexp.MustCompile(`[\w./*-]*\w\.(?:go|h|c|py|md)\b|\.ci/[\w-]+\b`)
		selector = regexp.MustCompile(`\b(slice1|imageslice|npy|directml)\.([A-Z]\w*)`)
		tests    = regexp.MustCompile("^`((?:Test|Benchmark|Fuzz|Example)[A-Z_]\\w+)`$")
		variable = regexp.MustCompile(`\b(?:DML|SLICE1|DIRECTML|BENCH)_[A-Z_]+\b`)
		command  = regexp.MustCompile(`(?m)(?:\bgo|\$go"?|\$GO"?|\$\(GO\))( -C bench)? (build|run|test|vet|doc|install)( .*)$|` + "`bench( .*)$")
		files    = regexp.MustCompile(` -(?:o|modfile|cases) \S+`)
		packages = regexp.MustCompile(`^(?:\.[\w./]*|github\.com/seed2e45c115/\S+)$`)
		run      = regexp.MustCompile(`-(run|bench)[= ]'?([\w|]+)'?(?: |$)`)
		tags     = regexp.MustCompile(` -tags[= ](\w+)`)
		flags    = regexp.MustCompile(` -([a-z]+)\b`)
	)
	var source strings.Builder
	for path, text := range d.files {
		if filepath.Ext(path) == ".go" {
			source.WriteString(text)
		}
	}
	found := map[string]int{}
	for path, code := range d.code {
		check := func(sort, name string, there bool) {
			found[sort]++
			assert.True(t, there, "%s: no %s %s", path, sort, name)
		}
		patterns := func(code, folder string) {
			for _, of := range run.FindAllStringSubmatch(code, -1) {
				for pattern := range strings.SplitSeq(of[2], "|") {
					check(of[1], pattern, pattern == "NAME" || d.declared(folder, regexp.MustCompile("^(Test|Benchmark|Fuzz|Example).*"+pattern)))
				}
			}
		}
		if filepath.Ext(path) == "" {
			patterns(code, ".") // also in GOFLAGS
		}
		for _, of := range target.FindAllStringSubmatch(code, -1) {
			check("target", of[1], strings.Contains(d.files["Makefile"], "\n"+of[1]+":"))
		}
		for _, name := range variable.FindAllString(code, -1) {
			check("variable", name, strings.Contains(source.String(), `"`+name+`"`))
		}
		for _, of := range command.FindAllStringSubmatch(code, -1) {
			in, line := ".", strings.TrimRight(of[3], "`.,")
			if of[1] != "" || strings.HasPrefix(path, "bench/") && filepath.Ext(path) == ".go" {
				in = "bench"
			}
			at := in
			for _, word := range strings.Fields(files.ReplaceAllString(line, "")) {
				if packages.MatchString(word) {
					at = d.folder(in, word)
					check("package", word, at == "." || d.names[at] != nil)
				}
			}
			patterns(line, at)
			for _, of := range tags.FindAllStringSubmatch(line, -1) {
				check("tag", of[1], regexp.MustCompile(`(?m)^(?://go:build|#cgo) .*\b`+of[1]+`\b`).MatchString(source.String()))
			}
			of[0] = of[4]
			if of[1] != "" && of[2] == "run" {
				_, of[0], _ = strings.Cut(of[3], " .")
			}
			for _, of := range flags.FindAllStringSubmatch(of[0], -1) {
				check("flag", of[1], strings.Contains(d.files["bench/options.go"], `"`+of[1]+`", `))
			}
		}
		if filepath.Ext(path) == ".md" || filepath.Ext(path) == ".go" {
			for _, of := range selector.FindAllStringSubmatch(code, -1) {
				check("name", of[0], d.names[public[of[1]]][of[2]])
			}
		}
		if filepath.Ext(path) != ".md" {
			continue
		}
		for _, name := range span.FindAllString(code, -1) {
			if of := tests.FindStringSubmatch(name); of != nil {
				check("test", of[1], d.declared(".", regexp.MustCompile("^"+of[1]+"$")))
			}
			for _, name := range file.FindAllString(name, -1) {
				pattern := regexp.MustCompile(`(^|/)` + strings.NewReplacer("NAME", `\w+`, "*", `\w*`, ".", `\.`).Replace(name) + "$")
				check("file", name, slices.ContainsFunc(slices.Collect(maps.Keys(d.files)), pattern.MatchString))
			}
		}
	}
	for sort, n := range found {
		require.Greater(t, n, 3, "%s: what the patterns find", sort)
	}
	require.Len(t, found, 10)
}

// README's claims about its tables are true of the tables.
func TestClaimsOfReadmeAreItsTables(t *testing.T) {
	text := readDocuments(t).files["README.md"]
	logs, slower, cells := 0.0, 0, 0
	for _, of := range regexp.MustCompile(`([\d.]+) (?:NumPy|libyuv|VOLK|FFTW)\b`).FindAllStringSubmatch(text[strings.Index(text, "\n| slice |"):], -1) {
		x, err := strconv.ParseFloat(of[1], 64)
		require.NoError(t, err)
		logs, cells = logs+math.Log(x), cells+1
		if x < 1 {
			slower++
		}
	}
	claim := fmt.Sprintf("%.1f times as fast as the fastest of NumPy, libyuv, VOLK and FFTW by geometric mean, and slower in %d of %d cells", math.Exp(logs/float64(cells)), slower, cells)
	t.Log(claim)
	require.Contains(t, strings.Join(strings.Fields(text), " "), claim)
	least, most := math.Inf(1), 0.0
	for _, of := range regexp.MustCompile(`(?m)^\|[^|]+\|[^|]+\| ([\d,]+) \| ([\d,]+) \|`).FindAllStringSubmatch(text, -1) {
		dml, err := strconv.ParseFloat(strings.ReplaceAll(of[1], ",", ""), 64)
		require.NoError(t, err)
		loop, err := strconv.ParseFloat(strings.ReplaceAll(of[2], ",", ""), 64)
		require.NoError(t, err)
		least, most = min(least, loop/dml), max(most, loop/dml)
	}
	claim = fmt.Sprintf("pictures are converted %.0f to %.0f times as fast as in a loop over `Pix`", least, most)
	t.Log(claim)
	require.Contains(t, strings.Join(strings.Fields(text), " "), claim)
}

// README's jobs are the first of those that `make jobs` printed.
func TestJobsOfReadmeAreThoseThatRan(t *testing.T) {
	d := readDocuments(t)
	rows := regexp.MustCompile(`(?m)^\|.*\n`).FindAllString(d.files["bench/JOBS.md"], 5)
	require.Len(t, rows, 5)
	require.Contains(t, d.files["README.md"], strings.ReplaceAll(strings.Join(rows, ""), "](#", "](bench/JOBS.md#"))
}

// Lines of documents are at most 100 characters long, except tables, links and pictures.
func TestDocumentsHaveOneWidth(t *testing.T) {
	for path, text := range readDocuments(t).files {
		if filepath.Ext(path) != ".md" {
			continue
		}
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "    ") && !strings.Contains(line, "](") { // tables, commands and links stay whole
				assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 100, "%s: %s", path, line)
			}
		}
	}
}

// The faults that CONTRIBUTING shows are planted.
func TestFaultsOfDocumentsArePlanted(t *testing.T) {
	d := readDocuments(t)
	shown := regexp.MustCompile(`(?m)^    (\[.* .*\]|.*: .* => .*)$`).FindAllStringSubmatch(d.files["CONTRIBUTING.md"], -1)
	require.Len(t, shown, 2)
	for _, of := range shown {
		require.Contains(t, d.files[".ci/faults.txt"], "\n"+of[1]+"\n")
	}
}

// Each link of a document leads to a file, and to a heading of it.
func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	d := readDocuments(t)
	link := regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	found := 0
	for path, text := range d.files {
		if filepath.Ext(path) != ".md" {
			continue
		}
		for _, of := range link.FindAllStringSubmatch(span.ReplaceAllString(fenced.ReplaceAllString(text, ""), ""), -1) {
			found++
			to := path
			if of[1] != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(path), of[1]))
			}
			if name, ours := strings.CutPrefix(of[1], "https://github.com/seed2e45c115/dml/actions/workflows/"); ours { // the badge
				to = ".github/workflows/" + strings.TrimSuffix(name, "/badge.svg")
			}
			if name, ours := strings.CutPrefix(of[1], "https://pkg.go.dev/"); ours { // the badge of a package
				to = strings.TrimPrefix(strings.TrimSuffix(name, ".svg"), "badge/")
				to = strings.TrimPrefix(to, "github.com/seed2e45c115/dml/")
			}
			_, err := os.Stat(filepath.Join("..", to))
			require.NoError(t, err, "%s: %s", path, of[0])
			if example := exampleOf(of[2]); example != "" {
				require.True(t, d.names[to][example], "%s: %s", path, of[0])
				continue
			}
			anchors := []string{""}
			for _, of := range heading.FindAllStringSubmatch(d.files[to], -1) {
				anchor := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(of[1]), "")
				anchors = append(anchors, "#"+strings.ReplaceAll(anchor, " ", "-"))
			}
			require.Contains(t, anchors, of[2], "%s: %s", path, of[0])
		}
	}
	require.Greater(t, found, 10)
}

// exampleOf returns the name of the function to which a link of pkg.go.dev leads, or "" for another
// anchor: "#example-Desc.Permute-Transpose" leads to ExampleDesc_Permute_transpose.
func exampleOf(anchor string) string {
	name, ok := strings.CutPrefix(anchor, "#example-")
	if !ok {
		return ""
	}
	name, suffix, _ := strings.Cut(name, "-")
	if name = "Example" + strings.ReplaceAll(name, ".", "_"); name == "Examplepackage" {
		name = "Example"
	}
	if suffix != "" {
		name += "_" + strings.ToLower(suffix[:1]) + suffix[1:]
	}
	return name
}

// Each example that a row of EXAMPLES.md names lies in a file to which the row links, and the name
// is a link to it.
func TestExamplesLieWhereTheirRowsLink(t *testing.T) {
	d := readDocuments(t)
	row := regexp.MustCompile("(?m)^\\| .* \\| \\[`(\\w+)\\.(Example\\w*)`\\]\\(https://pkg.go.dev/github.com/seed2e45c115/dml/([\\w/]+)(#[^)]*)\\) \\| \\[(.*)\\]\\((.*)\\) \\|$")
	found := row.FindAllStringSubmatch(d.files["slice1/EXAMPLES.md"], -1)
	for _, of := range found {
		require.Equal(t, of[3], public[of[1]], of[0])
		require.Equal(t, of[2], exampleOf(of[4]), of[0])
		require.Equal(t, of[5], of[6])
		require.Contains(t, d.files["slice1/"+of[6]], of[2]+"() {", of[0])
	}
	require.Greater(t, len(found), 55)
	require.Equal(t, len(found), strings.Count(d.files["slice1/EXAMPLES.md"], "| [`"))
}

// Each name in brackets in a comment of a package for users, which go doc shows as a link, is
// declared.
func TestLinksOfCommentsLeadSomewhere(t *testing.T) {
	d := readDocuments(t)
	comment := regexp.MustCompile(`(?m)^\s*// .*$`)
	link := regexp.MustCompile(`\[\*?(?:([a-z][a-z0-9]*)\.)?(?:[A-Z]\w*\.)?([A-Z]\w*)\]`)
	found := 0
	for path, text := range d.files {
		folder := filepath.ToSlash(filepath.Dir(path))
		if !slices.Contains(slices.Collect(maps.Values(public)), folder) || strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, line := range comment.FindAllString(text, -1) {
			for _, of := range link.FindAllStringSubmatch(line, -1) {
				in, ours := public[of[1]]
				if of[1] == "" {
					in, ours = folder, true
				}
				if ours {
					found++
					assert.True(t, d.names[in][of[2]], "%s: %s", path, of[0])
				}
			}
		}
	}
	require.Greater(t, found, 50)
}
