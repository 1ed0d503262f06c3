// Command types checks the types of all packages of the module, tests included, as built without
// cgo for each GOOS/GOARCH that Go knows, or for those that its arguments name. It compiles
// nothing, and reads no function of an imported package, so a target takes a second or two.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is what go list -json says of a package.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	ImportMap  map[string]string // the ImportPath of a path in the source, where the two differ
	Module     *struct {
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

func main() {
	log.SetFlags(0)
	targets := os.Args[1:]
	if len(targets) == 0 {
		known, err := exec.Command("go", "tool", "dist", "list").Output()
		if err != nil {
			log.Fatal(err)
		}
		targets = strings.Fields(string(known))
	}
	c := checker{files: token.NewFileSet(), parsed: map[string]*ast.File{}}
	for _, target := range targets {
		if err := c.check(target); err != nil {
			log.Fatalf("FAILED: %s: %v", target, err)
		}
	}
	fmt.Printf("%d targets, %d packages\n", len(targets), c.packages)
}

// checker checks the packages of target after target, and parses each file once for all of them.
type checker struct {
	files    *token.FileSet
	parsed   map[string]*ast.File
	packages int // those of the module, a package with its tests being one more
}

// check checks the packages of the module for a target.
func (c *checker) check(target string) error {
	goos, goarch, _ := strings.Cut(target, "/")
	list := exec.Command("go", "list", "-e", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Module,Error", "./...")
	list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	output, err := list.Output()
	if err != nil {
		return err
	}
	var found []error
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	// Each package comes after those that it imports.
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var p listed
		if err := decoder.Decode(&p); err == io.EOF {
			return errors.Join(found...)
		} else if err != nil {
			return err
		}
		// Commands for android and ios need C's linker, and nothing is linked here.
		if p.Error != nil && !strings.Contains(p.Error.Err, "requires external (cgo) linking") {
			return errors.New(p.Error.Err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // .test: what go test writes
			continue
		}
		files, err := c.parse(p)
		if err != nil {
			return err
		}
		config := types.Config{Sizes: types.SizesFor("gc", goarch), Error: func(error) {}, IgnoreFuncBodies: true}
		if p.Module != nil && p.Module.GoVersion != "" {
			config.GoVersion = "go" + p.Module.GoVersion
		}
		if p.Module != nil && p.Module.Main {
			c.packages++
			config.Error, config.IgnoreFuncBodies = func(err error) { found = append(found, err) }, false
		}
		config.Importer = importer(func(path string) *types.Package {
			if mapped := p.ImportMap[path]; mapped != "" {
				path = mapped
			}
			return done[path]
		})
		path, _, _ := strings.Cut(p.ImportPath, " ") // without the " [p.test]" of a package with its tests
		done[p.ImportPath], _ = config.Check(path, c.files, files, nil)
	}
}

// parse parses the files of a package.
func (c *checker) parse(p listed) ([]*ast.File, error) {
	files := make([]*ast.File, len(p.GoFiles))
	for i, name := range p.GoFiles {
		path := filepath.Join(p.Dir, name)
		if c.parsed[path] == nil {
			file, err := parser.ParseFile(c.files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			c.parsed[path] = file
		}
		files[i] = c.parsed[path]
	}
	return files, nil
}

// importer finds the package that a path in the source means.
type importer func(path string) *types.Package

func (find importer) Import(path string) (*types.Package, error) {
	if p := find(path); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %s", path)
}
