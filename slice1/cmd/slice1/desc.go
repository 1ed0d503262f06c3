package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// savedJob is the JSON that -desc reads and -explain -json writes: a descriptor and the shape of
// the result.
type savedJob struct {
	slice1.Desc
	Shape []int // of the result; if it is missing: Output.Sizes
}

// loadDesc returns the job in the file of -desc. It reads the file only once, since it may be a
// pipe. Without that flag it returns nil and no error.
func (j *job) loadDesc() (_ *savedJob, err error) {
	if j.desc == "" {
		return nil, nil
	}
	if j.text == nil {
		if j.text, err = readJob(j.desc); err != nil {
			return nil, err
		}
	}
	saved, d := new(savedJob), json.NewDecoder(bytes.NewReader(j.text))
	d.DisallowUnknownFields()
	if err = d.Decode(saved); err == nil {
		if _, err = d.Token(); err != io.EOF {
			err = errors.New("text after the job")
		} else if err = repeated(json.NewDecoder(bytes.NewReader(j.text))); err == nil {
			return saved, nil
		}
	}
	return nil, jsonError(j.desc, string(j.text), err)
}

// repeated returns an error if an object of the next JSON value has a key twice. Package json would
// take the last of them, and ignores case, of the signs for long s and kelvin too. The value must
// be valid.
func repeated(d *json.Decoder) error {
	start, _ := d.Token()
	if _, nested := start.(json.Delim); !nested {
		return nil
	}
	keys := map[string]bool{}
	for d.More() {
		if start == json.Delim('{') {
			key, _ := d.Token()
			name := strings.ToLower(strings.ToUpper(key.(string)))
			if keys[name] {
				return &repeatedKey{key.(string), d.InputOffset()}
			}
			keys[name] = true
		}
		if err := repeated(d); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}

// repeatedKey is the error of a key that comes twice. The second one ends at an offset.
type repeatedKey struct {
	key    string
	offset int64
}

func (e *repeatedKey) Error() string { return fmt.Sprintf("%q comes twice", e.key) }

// readJob reads a file that describes a job. A file of more than 1 MiB is an error.
func readJob(name string) ([]byte, error) {
	const longest = 1 << 20
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, longest+1))
	if len(text) > longest {
		err = fmt.Errorf("%s is longer than %d bytes, and no job", name, longest)
	}
	return text, err
}

// jsonError returns a usage error for err, the error of decoding text, which is the JSON of the
// file with that name. The usage error names the line if err has a place in the text.
func jsonError(name, text string, err error) error {
	at := int64(-1)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		at = syntax.Offset
	} else if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		at = wrong.Offset
		err = fmt.Errorf("%s cannot be %s", strings.TrimRight(strings.TrimPrefix(wrong.Field, "Desc."), ".0123456789"), wrong.Value)
	} else if twice, ok := errors.AsType[*repeatedKey](err); ok {
		at = twice.offset
	} else if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		at, err = int64(len(text)), errors.New("the job ends too early")
	}
	if at >= 0 {
		name = fmt.Sprintf("%s:%d", name, 1+strings.Count(text[:min(at, int64(len(text)))], "\n"))
	}
	return usagef("%s: %s", name, strings.TrimPrefix(err.Error(), "json: "))
}

// fit sets the descriptor and the shape of s to the saved job's. It returns an error if the job is
// broken or the input of s does not fit the job. Raw elements fit if they are of the Input's type
// and as many. Any other input also has the Input's extents and, if the Input has strides, lies in
// memory by these. Its axes may have another order, which -axes gives.
func (s *slice) fit(saved *savedJob, j *job) error {
	s.desc = &saved.Desc
	if err := s.desc.Validate(); err != nil {
		return usagef("%s: %w", j.desc, err)
	}
	in, lies := &s.desc.Input, s.in.tensor()
	sorted := func(t slice1.TensorDesc) [][2]int {
		axes := layout(t)
		slices.SortFunc(axes, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
		return axes
	}
	switch {
	case in.DataType != s.in.Type, !s.in.raw && in.Strides == nil && !slices.Equal(in.Sizes, lies.Sizes):
		return fmt.Errorf("%s is %s %v, %s is for %v %v", s.in.name, s.in.typeName(), brackets(s.in.Shape), j.desc, in.DataType, brackets(in.Sizes))
	case s.in.raw:
	case in.Strides != nil && !slices.Equal(sorted(*in), sorted(lies)):
		return fmt.Errorf("%s is %v and lies in memory by strides of %v, not %v by %v as in %s", s.in.name, brackets(s.in.Shape), brackets(lies.MemoryStrides()),
			brackets(in.Sizes), brackets(in.Strides), j.desc)
	case in.Strides == nil:
		in.Strides = lies.Strides
	}
	need, _ := in.MinSize() // the descriptor is valid
	if need = max(need, in.TotalSize); need > s.in.Size {
		return fmt.Errorf("%s holds %d bytes of elements, %s describes %d", s.in.name, s.in.Size, j.desc, need)
	}
	const limit = 64 // axes; NumPy's limit
	if s.shape = saved.Shape; s.shape == nil {
		s.shape = s.desc.Output.Sizes
	} else if len(s.shape) > limit {
		return usagef("%s: Shape: at most %d axes", j.desc, limit)
	}
	shape := s.shape
	if s.in.Inner > 1 {
		shape = append(slices.Clone(shape), s.in.Inner)
	}
	if !slices.Equal(withoutOnes(shape), withoutOnes(s.desc.Output.Sizes)) {
		return usagef("%s: Shape: %v does not have the extents of Output.Sizes, %v", j.desc, brackets(s.shape), brackets(s.desc.Output.Sizes))
	}
	return nil
}
