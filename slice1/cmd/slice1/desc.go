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

// keys has the keys of a JSON object. The value of each key is the keys of the object that it
// holds, or nil.
type keys map[string]keys

var (
	tensorKeys = keys{"DataType": nil, "Sizes": nil, "Strides": nil, "TotalSize": nil, "BaseAlign": nil}
	jobKeys    = keys{"Input": tensorKeys, "Output": tensorKeys, "WindowOffsets": nil, "WindowSizes": nil, "WindowStrides": nil, "Shape": nil}
)

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
	text := j.text
	saved, d := new(savedJob), json.NewDecoder(bytes.NewReader(text))
	if err = checkValue(d, jobKeys, 0); err == nil {
		if _, err = d.Token(); err == io.EOF {
			err = json.Unmarshal(text, saved)
		} else {
			err = errors.New("text after the job")
		}
	}
	switch {
	case errors.Is(err, slice1.ErrDataType):
		return nil, usagef("%s: %w", j.desc, err)
	case err != nil:
		return nil, jsonError(j.desc, string(text), err, d.InputOffset()-1)
	}
	return saved, nil
}

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

// checkValue reads a value. It returns an error if a key of an object is unknown, has another case
// or is there twice, or if a value is null. Package json takes all that, but other readers take it
// in other ways.
func checkValue(d *json.Decoder, known keys, depth int) error {
	const deepest = 3
	token, err := d.Token()
	switch token {
	case nil:
		if err == nil {
			err = errors.New("null is no value of a job")
		}
	case json.Delim('['), json.Delim('{'):
		if depth == deepest {
			return errors.New("nested too deep")
		}
		seen := map[string]bool{}
		for d.More() {
			inner := keys(nil)
			if token == json.Delim('{') {
				name, err := d.Token()
				if err != nil {
					return err
				}
				key, _ := name.(string)
				inside, ok := known[key]
				switch inner = inside; {
				case !ok:
					return fmt.Errorf("unknown field %q", clip(key))
				case seen[key]:
					return fmt.Errorf("second %q", key)
				}
				seen[key] = true
			}
			if err := checkValue(d, inner, depth+1); err != nil {
				return err
			}
		}
		_, err = d.Token()
	}
	return err
}

// jsonError returns a *slice1.IndexError with the text of err. It points to the place in the JSON
// text where decoding stopped. That is the offset in err if err has one, the end of the text if the
// text is too short, and else byte at. name is the name of the file.
func jsonError(name, text string, err error, at int64) error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax) && syntax.Error() != "unexpected end of JSON input": // from Go 1.27 on, Token returns this error
		at = max(syntax.Offset-1, 0)
	case errors.As(err, &wrong):
		at = max(wrong.Offset-1, 0)
		field := strings.TrimRight(strings.TrimPrefix(wrong.Field, "Desc."), ".0123456789") // from Go 1.27 on, Field ends with an index into the list
		err = fmt.Errorf("%s cannot be %s", field, wrong.Value)
	case syntax != nil, errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		at, err = int64(len(text)), errors.New("the job ends too early")
	}
	at = min(at, int64(len(text)))
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	msg := fmt.Sprintf("%s:%d: %s", name, 1+strings.Count(text[:at], "\n"), strings.TrimPrefix(err.Error(), "json: "))
	return windowError(line, int(at)-start, 1, nil, "%s", msg)
}

// fit sets the descriptor and the shape of s to the saved job's. It returns an error if the job is
// broken or the input of s does not fit the job. The input must have the Input's type. Raw elements
// then fit. Any other input fits if it has the Input's extents, and its strides if it has any. With
// other extents an input fits only if the Input has strides, which then say how its elements lie. A
// picture must have the Input's extents and strides in any order.
func (s *slice) fit(saved *savedJob, j *job) error {
	s.desc = &saved.Desc
	if err := s.desc.Validate(); err != nil {
		return usagef("%s: %w", j.desc, err)
	}
	in, lies := &s.desc.Input, s.in.tensor()
	if len(lies.Sizes) == 0 {
		lies.Sizes = []int{1}
	}
	same := slices.Equal(in.Sizes, lies.Sizes)
	alike := func(a, b []int) bool { // equal up to their order, which -axes changes
		return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
	}
	switch {
	case in.DataType != s.in.Type, !s.in.raw && !same && (in.Strides == nil || s.in.picture && (!alike(in.Sizes, lies.Sizes) || !alike(in.Strides, lies.Strides))):
		return fmt.Errorf("%s is %s %v, %s is for %v %v", s.in.name, s.in.typeName(), brackets(s.in.Shape), j.desc, in.DataType, brackets(in.Sizes))
	case s.in.raw:
	case in.Strides == nil:
		in.Strides = lies.Strides
	case same && !slices.Equal(in.Strides, lies.MemoryStrides()):
		return fmt.Errorf("%s lies in memory by strides of %v, not %v as in %s", s.in.name, brackets(lies.MemoryStrides()), brackets(in.Strides), j.desc)
	case !same && !s.in.picture:
		s.in.notes = append(s.in.notes, fmt.Sprintf("%s is %v, and taken as %v with strides %v", s.in.name, brackets(s.in.Shape), brackets(in.Sizes), brackets(in.Strides)))
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
