package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// slice is what a job takes of an input.
type slice struct {
	input  *array
	result *array // the result's elements: input or, if numbers are converted, only a header
	desc   *slice1.Desc
	shape  []int          // of the result: desc.Output.Sizes without the axes that an integer index drops and without the parts of elements, with the axes that None adds
	empty  bool           // the result has no elements; desc is then invalid
	affine *slice1.Affine // converts numbers to desc.Output.DataType; nil: elements are moved
}

// size returns the bytes of the result's elements, or -1 if they are more than maxAlloc.
func (s *slice) size() int64 {
	if s.empty {
		return 0
	}
	return s.result.bytesOf(s.shape)
}

// spans returns the length of raw output in bytes: from its first element to its last, or TotalSize
// if it is more.
func (s *slice) spans() int64 {
	if s.empty || s.affine != nil || s.input.open {
		return s.size()
	}
	size, _ := s.desc.Output.MinSize() // the descriptor is valid
	return max(size, s.desc.Output.TotalSize)
}

// checkSize returns an error if the result is too large.
func (s *slice) checkSize() error {
	if s.size() < 0 && !s.input.open {
		return fmt.Errorf("%v of %v is too large", brackets(s.shape), s.result.typeName())
	}
	return nil
}

// strided reports whether the output is more than its elements in row-major order: its strides
// leave gaps or have another order, or its TotalSize is larger.
func (s *slice) strided() bool {
	if s.empty {
		return false
	}
	output := s.desc.Output
	packed := slice1.TensorDesc{DataType: output.DataType, Sizes: output.Sizes}
	return !slices.Equal(layout(output), layout(packed)) || output.TotalSize > max(s.size(), 0)
}

// layout returns the memory stride and the extent of each axis that is longer than 1.
func layout(t slice1.TensorDesc) (axes [][2]int) {
	for axis, stride := range t.MemoryStrides() {
		if t.Sizes[axis] > 1 {
			axes = append(axes, [2]int{stride, t.Sizes[axis]})
		}
	}
	return axes
}

// resolve sets everything of s except its input, from the input and the job.
func (j *job) resolve(s *slice) error {
	if err := j.choose(s); err != nil {
		return err
	}
	return j.arrange(s)
}

// choose sets the descriptor and the shape of s from the index, or marks s as empty. It ignores
// -axes.
func (j *job) choose(s *slice) (err error) {
	w, shape, err := s.input.ParseIndex(j.index)
	if errors.Is(err, slice1.ErrEmpty) {
		s.empty, err = true, nil
	}
	s.shape, s.desc = shape, w.Of(s.input.tensor())
	return err
}

// arrange makes the elements of s numbers of the type of -to, and puts its axes in the order of
// -axes, like NumPy's transpose: those of the result, those of the descriptor, and the one along
// which the values of a conversion go. With either, a -desc with output strides is a usage error.
//
// The descriptor may have more or fewer axes of extent 1 than the result. Their places do not
// matter, so they come first. If the descriptor's last axis counts the parts of an element, it
// stays last.
func (j *job) arrange(s *slice) error {
	channels, err := j.convert(s)
	if err != nil || j.axes == "" && s.affine == nil {
		return err
	}
	if !s.empty && (s.desc.Output.Strides != nil || s.desc.Output.TotalSize != 0 && s.affine != nil) {
		return usagef("-axes is not for %s, which says where its output lies, nor is -to of a type", j.desc)
	}
	var order, long []int // axes of the descriptor: as they are put, and those longer than 1
	if !s.empty {
		for axis, n := range s.desc.Output.Sizes {
			if n == 1 {
				order = append(order, axis)
			} else {
				long = append(long, axis)
			}
		}
	}
	place := func(axis int) int { return len(withoutOnes(s.shape[:axis])) } // in long, of an axis of the result
	channel := -1                                                           // of the descriptor
	if channels >= 0 && !s.empty {
		channel = long[place(channels)]
	}
	if j.axes != "" {
		axes, err := parseAxes(j.axes, len(s.shape))
		if err != nil {
			return err
		}
		shape := make([]int, len(axes))
		for i, axis := range axes {
			if shape[i] = s.shape[axis]; shape[i] != 1 && !s.empty {
				order = append(order, long[place(axis)])
			}
		}
		if !s.empty {
			order = append(order, long[place(len(s.shape)):]...)
			if s.desc, err = s.desc.Permute(order...); err != nil {
				return err
			}
			channel = slices.Index(order, channel)
		}
		s.shape = shape
	}
	if s.affine != nil {
		s.affine.Axis = channel
	}
	return nil
}

// withoutOnes returns the extents of a shape that are not 1.
func withoutOnes(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(n int) bool { return n == 1 })
}

// parseAxes reads a permutation of as many axes as rank says. Negative axes count from the end.
func parseAxes(text string, rank int) ([]int, error) {
	axes, err := integers("-axes", text, math.MinInt)
	if err != nil {
		return nil, err
	}
	for i, n := range axes {
		if n < 0 {
			axes[i] += rank
		}
		switch {
		case n < -rank || n >= rank:
			return nil, usagef("-axes %s: %d is no axis of a result of rank %d", text, n, rank)
		case slices.Contains(axes[:i], axes[i]):
			return nil, usagef("-axes %s: axis %d may come only once", text, n)
		}
	}
	if len(axes) != rank {
		return nil, usagef("-axes %s: %d axes, but the result has rank %d", text, len(axes), rank)
	}
	return axes, nil
}

// prepare makes the pipe of s ready. It leaves a pipe that is sliced while it is read as it is.
// From any other pipe it reads rows into memory: up to the last row that s takes, or all if the
// last one is unknown.
//
// While the number of rows is unknown, the largest possible number stands for it. A position near
// that number was counted from the end, so it needs the real number. Rows before such a position,
// and all rows up to the last, can be taken as they come. The exception is a result whose shape
// does not begin with the number of rows: the length of its .npy header depends on that number.
func (j *job) prepare(s *slice) error {
	input := s.input
	if input.pipe == nil {
		return nil
	}
	flows := j.mayFlow(s)
	switch {
	case s.empty && !input.open && (input.pipe.summed || input.Size == 0):
		if err := input.begin(); err != nil {
			return err
		}
		return input.noMore()
	case s.empty && !input.open:
		return nil
	case len(input.Shape) == 0, s.empty, !s.rowsLead(), !input.open && (!flows || s.desc.WindowStrides[0] < 0):
		return j.hold(s, math.MaxInt64)
	case !input.open:
		return nil
	}
	rows, start := input.Shape[0], s.desc.WindowOffsets[0]
	end := start + s.desc.WindowSizes[0]
	leads := len(s.shape) > 0 && s.shape[0] == s.desc.Output.Sizes[0]
	switch {
	case flows && j.unknown && leads && s.desc.WindowStrides[0] > 0 && start <= rows/2 && (end <= rows/2 || end == rows):
		return nil
	case end <= rows/2:
		return j.hold(s, int64(end)*input.rowBytes())
	}
	return j.hold(s, math.MaxInt64)
}

// mayFlow reports whether a pipe may be sliced a few rows at a time: the output has no strides, and
// no row has a value of its own by which its numbers are converted.
func (j *job) mayFlow(s *slice) bool {
	ofRows := s.affine != nil && s.affine.Axis == 0 && max(len(s.affine.Scale), len(s.affine.Bias), len(s.affine.Table)/256) > 1
	return j.flows && !ofRows && !s.strided()
}

// rowsLead reports whether the first axis of the descriptor is the outermost one of the input in
// memory. It is not if -axes puts another axis there or the order is Fortran's.
func (s *slice) rowsLead() bool {
	input, d := s.input.tensor(), s.desc
	return (input.Strides == nil || s.input.video != nil && len(s.input.Shape) > 3) && d.Input.Sizes[0] == input.Sizes[0] && d.Input.MemoryStrides()[0] == input.MemoryStrides()[0]
}

// hold reads the elements in the pipe of s into memory. If their number is unknown, it reads at
// most limit bytes, and then makes s anew from the rows that came.
func (j *job) hold(s *slice, limit int64) error {
	input, wasOpen := s.input, s.input.open
	if !wasOpen {
		limit = input.Size
	}
	err := input.begin()
	if err == nil {
		err = named(input.name, input.source.hold(limit, !wasOpen))
	}
	if err == nil {
		err = j.ended(s, input.size)
	}
	if err == nil && !wasOpen {
		err = input.noMore()
	}
	input.pipe = nil
	input.lie(0, input.size)
	return err
}

// ended makes s the slice of the rows that came, when its pipe has ended or no more of it is
// needed. It is an error if the pipe had too few bytes of elements, or no whole rows.
func (j *job) ended(s *slice, bytes int64) error {
	open := s.input.open
	if err := s.input.came(bytes); err != nil || !open {
		return err
	}
	*s = slice{input: s.input}
	return j.resolve(s)
}

// rows returns s's descriptor for n of the rows that it takes of a pipe, if these are all that is
// in memory.
func (s *slice) rows(n int) *slice1.Desc {
	d := *s.desc
	d.Input.Strides, d.Input.TotalSize = d.Input.MemoryStrides(), 0
	for _, list := range []*[]int{&d.Input.Sizes, &d.WindowSizes, &d.Output.Sizes, &d.WindowOffsets, &d.WindowStrides} {
		*list = slices.Clone(*list)
		(*list)[0] = n
	}
	d.WindowOffsets[0], d.WindowStrides[0] = 0, 1
	return &d
}

// rowBytes returns the bytes that a row of the input takes in memory.
func (s *slice) rowBytes() int64 {
	return int64(s.desc.Input.MemoryStrides()[0]) * int64(s.input.Type.Size())
}

// mostRows returns how many rows are sliced at a time.
func (s *slice) mostRows() int {
	return int(min(max(flowBytes/s.rowBytes(), 1), int64(s.desc.Output.Sizes[0])))
}

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
		if _, err = d.Token(); err == io.EOF {
			err = repeated(json.NewDecoder(bytes.NewReader(j.text)))
		} else {
			err = errors.New("text after the job")
		}
	}
	return saved, jsonError(j.desc, string(j.text), err)
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
// file with that name, or nil. The usage error names the line if err has a place in the text.
func jsonError(name, text string, err error) error {
	if err == nil {
		return nil
	}
	offset := int64(-1)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = syntax.Offset
	} else if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = wrong.Offset
		err = fmt.Errorf("%s cannot be %s", strings.TrimRight(strings.TrimPrefix(wrong.Field, "Desc."), ".0123456789"), wrong.Value)
	} else if twice, ok := errors.AsType[*repeatedKey](err); ok {
		offset = twice.offset
	} else if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
		offset, err = int64(len(text)), errors.New("the job ends too early")
	}
	if offset >= 0 {
		name = fmt.Sprintf("%s:%d", name, 1+strings.Count(text[:min(offset, int64(len(text)))], "\n"))
	}
	return usagef("%s: %s", name, strings.TrimPrefix(err.Error(), "json: "))
}

// fit sets the descriptor and the shape of s to the saved job's. It returns an error if the job is
// broken or the input of s does not fit the job. Raw elements fit if they are of the Input's type
// and as many. Any other input also has the Input's extents and, if the Input has strides, lies in
// memory by these. Its axes may have another order, which -axes gives.
func (s *slice) fit(saved *savedJob, name string) error {
	s.desc = &saved.Desc
	if err := s.desc.Validate(); err != nil {
		return usagef("%s: %w", name, err)
	}
	input, lies := &s.desc.Input, s.input.tensor()
	sorted := func(t slice1.TensorDesc) [][2]int {
		axes := layout(t)
		slices.SortFunc(axes, func(x, y [2]int) int { return slices.Compare(x[:], y[:]) })
		return axes
	}
	switch {
	case input.DataType != s.input.Type, !s.input.raw && input.Strides == nil && !slices.Equal(input.Sizes, lies.Sizes):
		return fmt.Errorf("%s is %s %v, %s is for %v %v", s.input.name, s.input.typeName(), brackets(s.input.Shape), name, input.DataType, brackets(input.Sizes))
	case s.input.raw:
	case input.Strides != nil && !slices.Equal(sorted(*input), sorted(lies)):
		return fmt.Errorf("%s is %v and lies in memory by strides of %v, not %v by %v as in %s", s.input.name, brackets(s.input.Shape), brackets(lies.MemoryStrides()),
			brackets(input.Sizes), brackets(input.Strides), name)
	case input.Strides == nil:
		input.Strides = lies.Strides
	}
	need, _ := input.MinSize() // the descriptor is valid
	if need = max(need, input.TotalSize); need > s.input.Size {
		return fmt.Errorf("%s holds %d bytes of elements, %s describes %d", s.input.name, s.input.Size, name, need)
	}
	const limit = 64 // axes; NumPy's limit
	if s.shape = saved.Shape; s.shape == nil {
		s.shape = s.desc.Output.Sizes
	} else if len(s.shape) > limit {
		return usagef("%s: Shape: at most %d axes", name, limit)
	}
	shape := s.shape
	if s.input.Inner > 1 {
		shape = append(slices.Clone(shape), s.input.Inner)
	}
	if !slices.Equal(withoutOnes(shape), withoutOnes(s.desc.Output.Sizes)) {
		return usagef("%s: Shape: %v does not have the extents of Output.Sizes, %v", name, brackets(s.shape), brackets(s.desc.Output.Sizes))
	}
	return nil
}

// explainJSON returns the job of s as -desc reads it.
func (s *slice) explainJSON() ([]byte, error) {
	if s.empty {
		return nil, fmt.Errorf("%w: there is no descriptor of it", slice1.ErrEmpty)
	}
	d := *s.desc
	if s.input.picture && slices.Equal(d.Input.Sizes, s.input.Shape) { // no -axes
		d.Input.Strides = nil // they are the decoder's
	}
	text, err := json.MarshalIndent(savedJob{d, s.shape}, "", "  ")
	return append(numberList.ReplaceAllFunc(text, func(list []byte) []byte { // on one line
		return bytes.ReplaceAll(bytes.Join(bytes.Fields(list), nil), []byte(","), []byte(", "))
	}), '\n'), err
}

var numberList = regexp.MustCompile(`\[[\s\d,-]+\]`)
