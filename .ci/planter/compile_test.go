package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// A fault that does not compile tells nothing, and is found out only when it is planted. So types
// of all faults in Go that a build without C has are checked here, which takes seconds.
func TestEveryFaultOfGoCompiles(t *testing.T) {
	all, err := load(top)
	if err != nil {
		t.Fatal(err)
	}
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}", "./...")
	list.Dir, list.Env = top, append(os.Environ(), "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[name] = file
	}
	set := token.NewFileSet()
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	context, checked := build.Default, 0
	context.CgoEnabled = false
	for _, f := range all {
		files, err := parsed(set, &context, f)
		if err == nil && files != nil {
			checked++
			_, err = (&types.Config{Importer: imports}).Check(f.file, set, files, nil)
		}
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
	}
	if checked < 300 {
		t.Errorf("%d faults", checked)
	}
}

// parsed returns the files of the package that has the fault, with it, or none if the build has not
// its file.
func parsed(set *token.FileSet, context *build.Context, f fault) (files []*ast.File, err error) {
	dir := filepath.Join(top, path.Dir(f.file))
	if match, _ := context.MatchFile(dir, path.Base(f.file)); !match {
		return nil, nil
	}
	names, err := context.ImportDir(dir, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.file, err)
	}
	for _, name := range names.GoFiles {
		var source any // nil: what the file has
		if name == path.Base(f.file) {
			source = f.faulty
		}
		file, err := parser.ParseFile(set, filepath.Join(dir, name), source, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}
