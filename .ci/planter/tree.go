package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/csrc"
)

// parts are the files and folders of the repository that the tests of the kernels need.
var parts = []string{"go.mod", "go.sum", "csrc", "slice1", "cpuid", "testdata", "directml"}

// sources is the folder of a tree in which the loops of the sets lie, out of sight of the go command,
// which would compile all of them for each fault. The go command links the object that the method
// compile makes of them.
const sources = "csrc/sources"

// loops returns the name of the file in csrc that has a set's loops.
func loops(s *csrc.Set) string { return s.Name + ".h" }

// command returns a command that runs in a folder, with additions to the environment.
func command(ctx context.Context, dir string, env []string, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	return c
}

// said runs a command and returns what it printed. If the command fails, the error has that text, too.
func said(c *exec.Cmd) (string, error) {
	out, err := c.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s: %w\n%s", filepath.Base(c.Path), err, out)
	}
	return string(out), nil
}

// setsInC returns the sets whose loops are in C.
func setsInC() (sets []*csrc.Set) {
	for i := range csrc.Sets {
		if s := &csrc.Sets[i]; !s.InGo {
			sets = append(sets, s)
		}
	}
	return sets
}

// soundTree makes a tree without a fault: a copy of parts, with the loops of the sets moved to
// sources, and in the place of each a file that declares its table.
func soundTree(root, tree string) error {
	if err := os.Mkdir(tree, 0o777); err != nil {
		return err
	}
	if err := copyParts(root, tree); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(tree, sources), 0o777); err != nil {
		return err
	}
	for _, s := range setsInC() {
		file := filepath.Join(tree, "csrc", loops(s))
		if err := os.Rename(file, filepath.Join(tree, sources, loops(s))); err != nil {
			return err
		}
		linked := "#include \"program.h\"\nextern const s1_set s1_" + s.Name + ";\n"
		if err := os.WriteFile(file, []byte(linked), 0o666); err != nil {
			return err
		}
	}
	return nil
}

func copyParts(from, to string) error {
	for _, part := range parts {
		info, err := os.Stat(filepath.Join(from, part))
		if err == nil && info.IsDir() {
			err = os.CopyFS(filepath.Join(to, part), os.DirFS(filepath.Join(from, part)))
		} else if err == nil {
			err = copyFile(filepath.Join(from, part), filepath.Join(to, part))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}

// linkTree makes a tree of hard links to the files of another. If the kernel has no C, it leaves out
// the objects for the linker (.syso).
func linkTree(from, to string, k *kernel) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		there := to + strings.TrimPrefix(path, from)
		if d.IsDir() {
			return os.Mkdir(there, 0o777)
		}
		if k.arch == "" && filepath.Ext(path) == ".syso" {
			return nil
		}
		return os.Link(path, there)
	})
}

// overwrite replaces a link in a tree of links by a file with the given contents, so that the file
// that was linked keeps its own.
func overwrite(file string, data []byte) error {
	if err := os.Remove(file); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}

// place returns the path in a tree of a file of the repository.
func place(file string) string {
	for _, s := range setsInC() {
		if name := loops(s); file == "csrc/"+name {
			return sources + "/" + name
		}
	}
	return file
}

// findFlags sets k.c to the flags by which the go command compiles the C of kernel k, if it has C.
func (p *planter) findFlags(ctx context.Context, k *kernel) error {
	if k.arch == "" {
		return nil
	}
	c := command(ctx, p.root, k.env, p.goCommand, "list", k.tags(), "-json=CgoCFLAGS", "./csrc")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, &k.c); err != nil {
		return err
	}
	if len(k.c.CgoCFLAGS) == 0 {
		return fmt.Errorf("csrc has no C for %s", k.arch)
	}
	return nil
}

// compile compiles the C of a tree for the architecture of kernel k into one object, which the go
// command links. If `changed` names a file, it compiles only the sets that are made from that file
// and that the kernel's tests run, and takes the objects of the others as they are.
func (p *planter) compile(ctx context.Context, tree string, k *kernel, changed string) error {
	if k.arch == "" {
		return nil
	}
	folder := filepath.Join(tree, "objects-"+k.arch)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	var objects []string
	again := false
	for _, s := range setsInC() {
		if s.Arch != k.arch {
			continue
		}
		file := loops(s)
		object := filepath.Join(folder, file+".o")
		objects = append(objects, object)
		if changed != "" && (!slices.Contains(k.runs, file) || !includes(object+".d", changed)) {
			continue
		}
		again = true
		os.Remove(object)
		args := append(slices.Clone(k.c.CgoCFLAGS), "-O1", "-w", "-fPIC", "-I", "csrc", "-MMD", "-MF", object+".d.new",
			"-DS1_TABLE=", "-x", "c", "-c", "-o", object, sources+"/"+file)
		if _, err := said(command(ctx, tree, nil, k.cc, args...)); err != nil {
			return err
		}
		if err := os.Rename(object+".d.new", object+".d"); err != nil {
			return err
		}
	}
	if !again {
		return nil
	}
	whole := filepath.Join(tree, "csrc", "kernels_linux_"+k.arch+".syso")
	os.Remove(whole)
	_, err := said(command(ctx, tree, nil, k.cc, append([]string{"-r", "-nostdlib", "-o", whole}, objects...)...))
	return err
}

// includes reports whether an object is made from a file of the tree. rule is the path of the file
// with the make rule that the compiler wrote for the object. If that file cannot be read, includes
// returns true.
func includes(rule, file string) bool {
	data, err := os.ReadFile(rule)
	if err != nil {
		return true
	}
	for _, word := range bytes.Fields(data) {
		if filepath.Clean(string(word)) == file {
			return true
		}
	}
	return false
}
