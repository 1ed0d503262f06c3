package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// target is the path that the output gets when it is complete.
type target struct {
	path  string
	force bool        // replace an existing file
	old   fs.FileInfo // the file to replace, or nil
}

func (t *target) exists() error {
	return fmt.Errorf("%s exists, -force overwrites it", t.path)
}

// newTarget checks what exists at path. stream is true for a device or a pipe, which is
// written to directly.
func newTarget(path string, force bool) (t *target, stream bool, err error) {
	t = &target{path: path, force: force}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, false, nil
	case err != nil:
		return nil, false, err
	case info.IsDir():
		return nil, false, fmt.Errorf("%s is a directory", path)
	case !info.Mode().IsRegular():
		return t, true, nil
	case !force:
		return nil, false, t.exists()
	}
	// A symbolic link stays, and the file it points to is replaced.
	if t.path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, false, err
	}
	t.old = info
	return t, false, nil
}

// temporary is an unfinished output: a file beside its target that is renamed when it is
// complete.
type temporary struct {
	*os.File
	target *target
}

// create makes the temporary file. Its user calls either commit or discard, once.
func (t *target) create() (*temporary, error) {
	dir, mode := filepath.Dir(t.path), fs.FileMode(0o666)
	if t.old != nil {
		mode = t.old.Mode().Perm()
	}
	for {
		name := filepath.Join(dir, fmt.Sprintf(".slice1-%08x.tmp", rand.Uint32()))
		// os.CreateTemp would ignore the umask.
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		switch {
		case err == nil:
			return &temporary{f, t}, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, t.named(err, name)
		}
	}
}

// named replaces the name of the temporary file in an error by that of the target.
func (t *target) named(err error, temporary string) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path) && path.Path == temporary:
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	default:
		return err
	}
	return fmt.Errorf("%s: %w", t.path, err)
}

func (f *temporary) discard() {
	f.Close()
	os.Remove(f.Name())
}

// commit renames the file to the target. After an error no file is left.
func (f *temporary) commit() error {
	err := f.Close()
	if err == nil && f.target.old != nil {
		err = os.Chmod(f.Name(), f.target.old.Mode().Perm())
	}
	if err == nil {
		err = f.target.takeName(f.Name())
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return f.target.named(err, f.Name())
}

// takeName renames the finished file to the target. Without force it never replaces a file,
// not even one that was made after newTarget.
func (t *target) takeName(name string) error {
	if t.force {
		return os.Rename(name, t.path)
	}
	switch err := renameNew(name, t.path); {
	case errors.Is(err, fs.ErrExist):
		return t.exists()
	case !errors.Is(err, errors.ErrUnsupported):
		return err
	}
	return t.linkName(name)
}

// linkName is takeName for systems that cannot rename without replacing: it makes a hard
// link.
func (t *target) linkName(name string) error {
	err := os.Link(name, t.path)
	switch {
	case err == nil:
		return os.Remove(name)
	case errors.Is(err, fs.ErrExist):
		return t.exists()
	}
	return t.claimName(name) // the file system has no hard links
}

// claimName is takeName without hard links: it makes an empty file of that name, which the
// finished one then replaces.
func (t *target) claimName(name string) error {
	claim, err := os.OpenFile(t.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case errors.Is(err, fs.ErrExist):
		return t.exists()
	case err != nil:
		return err
	}
	if err = errors.Join(claim.Close(), os.Rename(name, t.path)); err != nil {
		os.Remove(t.path)
	}
	return err
}
