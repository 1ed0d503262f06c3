package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// unfinished has what a signal removes: temporary files, and folders that the job made, the inner
// ones first, if they are empty. A file is taken off the list when it gets its name or is removed.
var unfinished = struct {
	sync.Mutex
	files   map[*temporary]bool
	folders []string
}{files: map[*temporary]bool{}}

// target is the name that an output file gets when it is complete.
type target struct {
	path  string
	force bool        // replace a file of that name
	old   fs.FileInfo // the file of that name to replace; nil: there was none
}

func (t *target) exists() error {
	return fmt.Errorf("%s exists, -force overwrites it", t.path)
}

// newTarget returns the target for path. stream is true if path is a device or a named pipe. These
// are written to directly. A directory is an error, and so is an existing file unless force is
// true. A symbolic link stays: the target is what it leads to, even if there is no such file.
func newTarget(path string, force bool) (t *target, stream bool, err error) {
	t = &target{path: path, force: force}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil: // also of links that form a circle
		return nil, false, err
	case info.IsDir():
		return nil, false, fmt.Errorf("%s is a directory", path)
	case !info.Mode().IsRegular():
		return t, true, nil
	default:
		t.old = info
	}
	if _, err := os.Lstat(path); err == nil && !force {
		return nil, false, t.exists()
	}
	for linked, err := os.Readlink(path); err == nil; linked, err = os.Readlink(t.path) {
		if !filepath.IsAbs(linked) {
			linked = t.folder() + linked
		}
		t.path = linked
	}
	return t, false, nil
}

// folder returns the target's path up to its name. It keeps "..", which behind a link is not what
// it seems to be.
func (t *target) folder() string {
	folder, _ := filepath.Split(t.path)
	return folder
}

// temporary is an unfinished output: a file in its target's folder that gets the target's name when
// it is complete.
type temporary struct {
	*os.File
	target *target
}

// create makes a temporary file for the target. The caller ends it.
func (t *target) create() (*temporary, error) {
	mode := fs.FileMode(0o666)
	if t.old != nil {
		mode = t.old.Mode().Perm()
	}
	unfinished.Lock()
	defer unfinished.Unlock()
	for {
		name := t.folder() + fmt.Sprintf(".slice1-%08x.tmp", rand.Uint32())
		// os.CreateTemp would deny the file to everybody except its owner, whatever the umask.
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		switch {
		case err == nil:
			file := &temporary{f, t}
			unfinished.files[file] = true
			return file, nil
		case !errors.Is(err, fs.ErrExist):
			return nil, t.named(err, name)
		}
	}
}

// named returns err with the name of the target in place of temporary, the name of the temporary
// file. Errors that name no temporary file stay as they are.
func (t *target) named(err error, temporary string) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok && path.Path == temporary {
		return fmt.Errorf("%s: %w", t.path, path.Err)
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return fmt.Errorf("%s: %w", t.path, link.Err)
	}
	return err
}

// end closes the file. If err is nil, the file gets the target's name, and the permissions of the
// file that it replaces. If err is not nil, if that fails, or if the temporary name belongs to
// another file by now, end removes the temporary file and returns the error.
func (f *temporary) end(err error) error {
	unfinished.Lock()
	defer unfinished.Unlock()
	delete(unfinished.files, f)
	written, failed := f.Stat()
	if failed == nil && f.target.old != nil {
		failed = f.Chmod(f.target.old.Mode().Perm())
	}
	if errors.Is(failed, errors.ErrUnsupported) {
		failed = nil
	}
	err = errors.Join(err, failed, f.Close())
	if named, gone := os.Lstat(f.Name()); err == nil && (gone != nil || !os.SameFile(written, named)) {
		return fmt.Errorf("%s: its temporary file was taken away", f.target.path)
	}
	if err == nil {
		err = f.target.takeName(f.Name())
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return f.target.named(err, f.Name())
}

// takeName gives the finished file the target's name. Without force it replaces no file, not even
// one that was made after newTarget looked. For that it makes a hard link with the target's name
// and removes the old name or, where there are no hard links, makes an empty file with the target's
// name, which the finished file then replaces.
func (t *target) takeName(name string) error {
	if t.force {
		return os.Rename(name, t.path)
	}
	err := link(name, t.path)
	if err == nil {
		return os.Remove(name)
	}
	claim, made := os.OpenFile(t.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case errors.Is(err, fs.ErrExist), errors.Is(made, fs.ErrExist):
		return t.exists()
	case made != nil:
		return made
	}
	if err = errors.Join(claim.Close(), os.Rename(name, t.path)); err != nil {
		os.Remove(t.path)
	}
	return err
}

// link makes hard links. Tests replace it.
var link = os.Link

// makeFolder makes a folder and those around it. What it makes is unfinished.
func makeFolder(name string) error {
	unfinished.Lock()
	defer unfinished.Unlock()
	for folder := filepath.Clean(name); !exists(folder); folder = filepath.Dir(folder) {
		unfinished.folders = append(unfinished.folders, folder)
	}
	return os.MkdirAll(name, 0o777)
}

// removeFolders removes the folders that makeFolder made, as far as they are empty.
func removeFolders() {
	for _, folder := range unfinished.folders {
		os.Remove(folder)
	}
}

// lengthen lengthens a file from one length to another, with zeros. So a disk that is too small is
// an error at once and not in the middle.
func lengthen(f *os.File, old, length int64) error {
	if err := roomFor(f, length-old); err != nil {
		return err
	}
	return f.Truncate(length)
}
