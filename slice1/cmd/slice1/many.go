package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/color"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/outofcore"
)

const (
	// manyBytes bounds the memory of files that are sliced at once. A file that needs more
	// is sliced alone.
	manyBytes = 1 << 30
	// fileBytes is the memory that one goroutine takes for its boxes.
	fileBytes = 2 * outofcore.BoxBytes
)

// copies slices one input or, with a folder as output or with -stack, several.
func (j *job) copies(args []string) error {
	first := 1
	if j.window+j.onnx+j.desc != "" {
		first = 0
	}
	last := len(args) - 1
	if last > first && j.parts == 0 && (j.stack || isFolder(args[last])) {
		if first > 0 {
			j.index = args[0]
		}
		j.out = args[last]
		j.cutOut()
		inputs, err := inputsOf(args[first:last])
		switch {
		case err != nil:
			return err
		case j.stack:
			return j.pile(inputs)
		}
		return j.many(inputs)
	}
	if j.tiles != "" && last >= first {
		return usagef("%s is no folder, which -tiles needs; a new one ends in /", args[last])
	}
	if err := j.take(args, &j.in, &j.out); err != nil {
		return err
	}
	j.cutOut()
	if j.parts > 0 {
		return j.copyPart()
	}
	return j.copy()
}

// isFolder reports whether name is an existing folder or ends in a path separator.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return name != "" && os.IsPathSeparator(name[len(name)-1]) || err == nil && info.IsDir()
}

// inputsOf returns the inputs. On Windows, whose shells do not, it expands patterns.
func inputsOf(args []string) (inputs []string, err error) {
	for _, arg := range args {
		if arg == "-" || strings.HasPrefix(arg, "-:") {
			return nil, usagef("standard input is an input alone, not one of several or for a folder")
		}
		found := []string(nil)
		if runtime.GOOS == "windows" {
			found, _ = filepath.Glob(arg) // a bad pattern is taken as a name
		}
		if found == nil {
			found = []string{arg}
		}
		inputs = append(inputs, found...)
	}
	return inputs, nil
}

// many writes the slice of each input to the folder.
func (j *job) many(inputs []string) error {
	if err := j.checkText(); err != nil {
		return err
	}
	outputs, err := j.outputs(inputs)
	if err != nil {
		return err
	}
	made, err := makeFolder(j.out)
	if err != nil {
		return err
	}
	start, done := time.Now(), 0
	results, err := j.together(inputs, func(_ context.Context, i int, one *job) error {
		one.out = outputs[i]
		if one.tiles != "" {
			return one.copyTiles()
		}
		return one.copy()
	})
	for i, r := range results {
		if r == nil {
			continue
		}
		_, _ = j.stderr.Write(r.said.Bytes())
		switch {
		case r.err == nil:
			done++
		case !errors.Is(r.err, context.Canceled):
			fmt.Fprintf(j.stderr, "slice1: %s\n", oneLine(strings.TrimPrefix(named(inputs[i], r.err).Error(), "slice1: ")))
		}
	}
	switch {
	case done == 0 && made:
		os.Remove(j.out)
	case done == len(inputs) && !j.quiet:
		noun := "files"
		if done == 1 {
			noun = "file"
		}
		fmt.Fprintf(j.stderr, "slice1: %d %s done in %v\n", done, noun, time.Since(start).Round(time.Millisecond))
	}
	if err == nil && done < len(inputs) {
		err = fmt.Errorf("%d of %d files done, %d failed", done, len(inputs), len(inputs)-done)
	}
	return err
}

// namedError is an error with the name of an input.
type namedError struct {
	input string
	error
}

func (e namedError) Error() string {
	return e.input + ": " + strings.TrimPrefix(e.error.Error(), "slice1: ")
}

func (e namedError) Unwrap() error { return e.error }

// named adds the name of the input to an error that does not contain it.
func named(input string, err error) error {
	if strings.Contains(err.Error(), input) {
		return err
	}
	return namedError{input, err}
}

// checkText returns the first error in the text of the job that does not depend on the
// input.
func (j *job) checkText() error {
	if j.tiles != "" {
		if _, err := parseTiles(j.tiles); err != nil {
			return err
		}
	}
	if _, err := j.loadDesc(); err != nil || j.desc != "" {
		return err
	}
	const mostAxes = 8
	err := j.choose(&slice{in: &array{source: &source{}, dtype: slice1.Uint8, shape: make([]int, mostAxes)}})
	var text *slice1.IndexError
	if errors.As(err, &text) && text.Err == nil {
		return err
	}
	return nil
}

// outputs returns the paths of the outputs. Two inputs may not share an output, and the
// format of each output must be known.
func (j *job) outputs(inputs []string) ([]string, error) {
	of := map[string]string{}
	outputs := make([]string, len(inputs))
	for i, in := range inputs {
		one := *j
		one.out = filepath.Join(j.out, j.baseName(in))
		if _, err := one.format(); err != nil {
			return nil, err
		}
		key := one.out
		if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
			key = strings.ToLower(key) // file systems there ignore case
		}
		if other, taken := of[key]; taken {
			return nil, usagef("%s and %s would both be %s", other, in, one.out)
		}
		of[key], outputs[i] = in, one.out
	}
	return outputs, nil
}

// baseName returns the input's file name, with the extension of -to if that is given. For
// the member x of in.npz it returns in-x.npz.
func (j *job) baseName(in string) string {
	file, member, _ := cutMember(in)
	name := filepath.Base(file)
	ext := filepath.Ext(name)
	name = strings.TrimSuffix(name, ext)
	if member = strings.TrimSuffix(member, ".npy"); member != "" {
		name += "-" + strings.NewReplacer("/", "-", `\`, "-").Replace(member)
	}
	if j.to != "" {
		ext = "." + j.to
	}
	return name + ext
}

// makeFolder makes the folder if it does not exist.
func makeFolder(name string) (made bool, err error) {
	err = os.Mkdir(name, 0o777)
	if errors.Is(err, fs.ErrExist) && isFolder(filepath.Clean(name)) {
		return false, nil
	}
	return err == nil, err
}

// result is the outcome for one input.
type result struct {
	err  error
	said bytes.Buffer // what it wrote to standard error
}

// together calls f for several inputs at once, with a job for each that has a share of the
// goroutines and a buffer as standard error. It returns a result for each input that was
// begun. After a signal no more are begun, and the error is context.Canceled.
func (j *job) together(inputs []string, f func(ctx context.Context, i int, one *job) error) ([]*result, error) {
	ctx, stop := untilSignal()
	defer stop()
	sizes, total := make([]int64, len(inputs)), int64(0)
	for i, in := range inputs {
		if info, err := os.Stat(in); err == nil {
			sizes[i] = info.Size()
		}
		total += sizes[i]
	}
	workers := j.goroutines()
	places := newPlaces(workers, manyBytes)
	if j.gpu {
		places = newPlaces(1, manyBytes)
	}
	j.bar = j.newMeter(total)
	results := make([]*result, len(inputs))
	for i, in := range inputs {
		need := footprint(in)
		if places.take(need); ctx.Err() != nil {
			break
		}
		one, r := *j, new(result)
		one.in, one.stderr, one.bar, one.workers = in, &r.said, nil, max(workers/len(inputs), 1)
		results[i] = r
		go func() {
			defer places.give(need)
			r.err = f(ctx, i, &one)
			j.bar.add(sizes[i])
		}()
	}
	places.wait()
	j.bar.done()
	return results, ctx.Err()
}

// places is a semaphore that bounds both the number of files at once and their bytes
// together.
type places struct {
	sync.Mutex
	freed       *sync.Cond
	free, taken int
	bytes, most int64
}

func newPlaces(free int, bytes int64) *places {
	p := &places{free: free, bytes: bytes, most: bytes}
	p.freed = sync.NewCond(p)
	return p
}

func (p *places) take(bytes int64) {
	bytes = min(bytes, p.most)
	p.Lock()
	defer p.Unlock()
	for p.free == 0 || p.bytes < bytes {
		p.freed.Wait()
	}
	p.free, p.taken, p.bytes = p.free-1, p.taken+1, p.bytes-bytes
}

func (p *places) give(bytes int64) {
	bytes = min(bytes, p.most)
	p.Lock()
	defer p.Unlock()
	p.free, p.taken, p.bytes = p.free+1, p.taken-1, p.bytes+bytes
	p.freed.Broadcast()
}

func (p *places) wait() {
	p.Lock()
	defer p.Unlock()
	for p.taken > 0 {
		p.freed.Wait()
	}
}

// footprint estimates the memory that slicing a file takes: twice the decoded size of a
// picture or of compressed members, at least the boxes of a goroutine.
func footprint(name string) int64 {
	file, _, _ := cutMember(name)
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return fileBytes
	}
	f, err := os.Open(file)
	if err != nil {
		return fileBytes
	}
	defer f.Close()
	bytes := int64(0)
	start := make([]byte, 16)
	n, _ := f.ReadAt(start, 0) // errors are reported when the file is sliced
	if format := pictureOf(start[:n]); format != nil {
		var r io.Reader = f
		if !format.anywhere {
			r = bufio.NewReader(f)
		}
		c, err := format.config(r)
		if err != nil {
			return fileBytes
		}
		pixel := int64(4)
		if slices.Contains([]color.Model{color.Gray16Model, color.RGBA64Model, color.NRGBA64Model}, c.ColorModel) {
			pixel = 8
		}
		bytes = int64(c.Width) * int64(c.Height) * pixel
	} else if z, err := zip.NewReader(f, info.Size()); err == nil {
		for _, member := range z.File {
			if member.Method != zip.Store {
				bytes += int64(min(member.UncompressedSize64, manyBytes))
			}
		}
	}
	return max(2*bytes, fileBytes)
}
