package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// One build of the tests of a package serves all faults of a build. The environment says which
// fault is there when the tests run:
//
//   - A fault in the body of one Go function is a second body beside the function's own. It runs
//     instead if the environment variable has the fault's number.
//   - A fault in the loops of a set in C is in a library that the tests load in place of these
//     loops.
//
// Any other fault is a build of its own.
const (
	faultVariable = "PLANTER_FAULT"
	faultSource   = `package %s

import (
	"os"
	"strconv"
)

var plantedFault, _ = strconv.Atoi(os.Getenv("` + faultVariable + `"))
`
	// The text that replaces the loops of a set where cgo includes them.
	loader = `#include <dlfcn.h>
#include <stdlib.h>
static const s1_set *s1_%[1]s(void) {
  const s1_set *(*const set)(void) = (const s1_set *(*)(void))dlsym(dlopen(getenv("PLANTER_%[1]s"), RTLD_NOW), "s1_%[1]s");
  return set();
}`
	// The source of the library of a set.
	library = "#define S1_TABLE\n#include \"%s.h\"\n"
)

// A shared is the build of all faults that are compiled in the same way.
type shared struct {
	overlay   string
	libraries map[string]string // of the loops in C without a fault, by set; empty without C
	loaders   map[string][]byte // the files of csrc that load them
	packages  sync.Map          // functions that build the tests of a package once, by package
}

// prepare prepares the builds that faults share.
func (p *planter) prepare(ctx context.Context, faults []fault) error {
	for i := range faults {
		f := &faults[i]
		k := p.host.kernel(f.kernel)
		if k.missing != "" || p.shared[k.build] != nil {
			continue
		}
		s := &shared{libraries: map[string]string{}, loaders: map[string][]byte{}}
		p.shared[k.build] = s
		files, err := p.instrument(k.build, faults)
		if err != nil {
			return err
		}
		sets, err := p.sets(k)
		if err != nil {
			return err
		}
		for _, set := range sets {
			if s.libraries[set], err = p.library(ctx, k, set, "", nil); err != nil {
				return err
			}
			file := "csrc/" + set + ".go"
			source, err := os.ReadFile(filepath.Join(p.root, file))
			if err != nil {
				return err
			}
			s.loaders[file] = bytes.Replace(source, fmt.Appendf(nil, `#include "%s.h"`, set), fmt.Appendf(nil, loader, set), 1)
		}
		maps.Copy(files, s.loaders)
		if s.overlay, err = p.overlay(k.build, files); err != nil {
			return err
		}
	}
	return nil
}

// instrument returns the Go files that have faults of a build, with all these faults in them.
func (p *planter) instrument(build string, faults []fault) (map[string][]byte, error) {
	inserted, sources := map[string]map[int]string{}, map[string][]byte{}
	for i := range faults {
		f := &faults[i]
		if k := p.host.kernel(f.kernel); k.missing != "" || k.build != build || filepath.Ext(f.file) != ".go" || f.err != nil {
			continue
		}
		if inserted[f.file] == nil {
			sources[f.file], inserted[f.file] = f.source, map[int]string{}
		}
		f.insert(inserted[f.file])
	}
	files := map[string][]byte{}
	for file, source := range sources {
		if len(inserted[file]) == 0 {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, source, parser.PackageClauseOnly)
		if err != nil {
			return nil, err
		}
		files[file] = instrumented(source, inserted[file])
		files[filepath.Dir(file)+"/zz_fault.go"] = fmt.Appendf(nil, faultSource, tree.Name.Name)
	}
	return files, nil
}

// insert adds to texts the text that activates the fault if the environment has its number. Keys
// are offsets in the source. If the fault is not in the body of one function, insert adds none.
func (f *fault) insert(texts map[int]string) {
	if line, text := otherBody(f.source, f.faulty); line > 0 {
		texts[line] += fmt.Sprintf(" if plantedFault == %d { %s }; ", f.number, text)
		f.inBody = true
	}
}

// otherBody compares two sources that differ in the body of one function. It returns where that
// body begins, and the statements that run the other body there. If the sources differ elsewhere,
// it returns 0.
func otherBody(source, faulty []byte) (line int, text string) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", source, parser.SkipObjectResolution)
	if err != nil {
		return 0, ""
	}
	b, err := parser.ParseFile(set, "", faulty, parser.SkipObjectResolution)
	if err != nil || len(tree.Decls) != len(b.Decls) {
		return 0, ""
	}
	offset := func(p token.Pos) int { return set.Position(p).Offset }
	for i := range tree.Decls {
		f, _ := tree.Decls[i].(*ast.FuncDecl)
		g, _ := b.Decls[i].(*ast.FuncDecl)
		if f == nil || g == nil || f.Body == nil || g.Body == nil ||
			!bytes.Equal(source[:offset(f.Body.Pos())], faulty[:offset(g.Body.Pos())]) ||
			!bytes.Equal(source[offset(f.Body.End()):], faulty[offset(g.Body.End()):]) {
			continue
		}
		line, text = offset(f.Body.Lbrace)+1, string(faulty[offset(g.Body.Pos()):offset(g.Body.End())])
		if r := f.Type.Results; r != nil {
			return line, "return func() " + string(source[offset(r.Pos()):offset(r.End())]) + " " + text + "()"
		}
		return line, "func() " + text + "(); return"
	}
	return 0, ""
}

// loops reports whether the fault is in the loops of sets in C, in a file that no other C includes.
func (f *fault) loops() bool {
	return filepath.Ext(f.file) == ".h" && !slices.Contains([]string{"csrc/call.h", "csrc/layout.h", "csrc/program.h"}, f.file)
}

// setsIn finds the sets of an architecture in csrc/layout.h.
var setsIn = regexp.MustCompile(`#define S1_SETS_(\w+)\(X\)(.*)`)

// sets returns the sets that a build has in C.
func (p *planter) sets(k kernel) (names []string, err error) {
	layout, err := os.ReadFile(filepath.Join(p.root, "csrc/layout.h"))
	for _, m := range setsIn.FindAllStringSubmatch(string(layout), -1) {
		if m[1] == k.sets {
			names = strings.Fields(strings.NewReplacer("X(", "", ")", "").Replace(m[2]))
		}
	}
	return names, err
}

// library compiles the loops of a set, with another text of one file or with none, and returns the
// path of the result.
func (p *planter) library(ctx context.Context, k kernel, set, file string, text []byte) (string, error) {
	dir, err := os.MkdirTemp(p.work, set)
	if err != nil {
		return "", err
	}
	headers, err := filepath.Glob(filepath.Join(p.root, "csrc/*.h"))
	if err != nil {
		return "", err
	}
	for _, h := range headers {
		target := filepath.Join(dir, filepath.Base(h))
		if h == filepath.Join(p.root, file) {
			err = os.WriteFile(target, text, 0o666)
		} else {
			err = os.Symlink(h, target)
		}
		if err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "set.c"), fmt.Appendf(nil, library, set), 0o666); err != nil {
		return "", err
	}
	// The flags are the same as in csrc/cgo.go with the tags of a kernel.
	words := append(strings.Fields(k.c), "-std=gnu11", "-O1", "-DS1_NOINLINE", "-fPIC", "-shared", "-o", "set.so", "set.c")
	if log, err := command(ctx, dir, nil, words...); err != nil {
		return "", fmt.Errorf("%s", comment.FindString(log))
	}
	return filepath.Join(dir, "set.so"), nil
}

// binary returns the tests of a package, compiled once with all faults of a build.
func (p *planter) binary(ctx context.Context, k kernel, pkg string) (string, error) {
	s := p.shared[k.build]
	build, _ := s.packages.LoadOrStore(pkg, sync.OnceValues(func() (string, error) {
		path := filepath.Join(p.work, k.build+"-"+strings.ReplaceAll(pkg, "/", "-")+".test")
		err := p.build(ctx, k, s.overlay, pkg, path)
		if err != nil && ctx.Err() == nil {
			fmt.Printf("the faults of build %s do not compile together, and are compiled one by one: %v\n", k.build, err)
		}
		return path, err
	}))
	return build.(func() (string, error))()
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
