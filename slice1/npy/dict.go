package npy

import (
	"bytes"
	"fmt"
	"strconv"
)

// dict is the Python dictionary in a header.
type dict struct {
	descr   string // the name of a type, or the text of a list of fields
	record  int    // bytes of an element, if descr is a list of fields; else 0
	fortran bool
	shape   []int
}

// scanner reads the few Python literals a header is made of.
type scanner struct {
	text []byte
	pos  int
}

// parseDict reads a dictionary that has the keys descr, fortran_order and shape, each once, and
// no others.
func parseDict(text []byte) (dict, error) {
	s := &scanner{text: text}
	var d dict
	seen := map[string]bool{}
	if err := s.expect('{'); err != nil {
		return d, err
	}
	for !s.accept('}') {
		key, err := s.str()
		if err != nil {
			return d, err
		}
		if seen[key] {
			return d, s.errorf("second %q", clip(key))
		}
		seen[key] = true
		if err := s.expect(':'); err != nil {
			return d, err
		}
		switch key {
		case "descr":
			d.descr, d.record, err = s.descr()
		case "fortran_order":
			d.fortran, err = s.boolean()
		case "shape":
			d.shape, err = s.shape()
		default:
			err = s.errorf("unknown key %q", clip(key))
		}
		if err != nil {
			return d, err
		}
		if !s.accept(',') && s.peek() != '}' {
			return d, s.errorf("',' or '}' missing")
		}
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return d, s.errorf("no %q", key)
		}
	}
	if s.peek() != 0 || s.pos < len(s.text) {
		return d, s.errorf("text after the dictionary")
	}
	return d, nil
}

// peek skips white space and returns the byte that follows, without taking it, or 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case ' ', '\t', '\n', '\r', '\f':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// accept takes the next byte after white space if that is c, and reports whether it is.
func (s *scanner) accept(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

func (s *scanner) expect(c byte) error {
	if !s.accept(c) {
		return s.errorf("'%c' missing", c)
	}
	return nil
}

func (s *scanner) errorf(format string, args ...any) error {
	return fmt.Errorf("%w: %s at byte %d of the header", ErrFormat, fmt.Sprintf(format, args...), s.pos)
}

// word skips white space, and takes and returns the ASCII letters, digits, minus signs and
// underscores that follow, maybe none.
func (s *scanner) word() string {
	s.peek()
	start := s.pos
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		digit := '0' <= c && c <= '9'
		if !letter && !digit && c != '-' && c != '_' {
			break
		}
		s.pos++
	}
	return string(s.text[start:s.pos])
}

// str reads a string in single or double quotes. A string with a backslash or a line end is an
// error.
func (s *scanner) str() (string, error) {
	quote := s.peek()
	if quote != '\'' && quote != '"' {
		return "", s.errorf("quote missing")
	}
	rest := s.text[s.pos+1:]
	end := bytes.IndexByte(rest, quote)
	if end < 0 || bytes.IndexByte(rest[:end], '\n') >= 0 || bytes.IndexByte(rest[:end], '\\') >= 0 {
		return "", s.errorf("broken string")
	}
	s.pos += end + 2
	return string(rest[:end]), nil
}

// descr reads the name of a type, or a list of fields. It returns the name, or the list as it is
// written with the bytes of an element; record is 0 for a name.
func (s *scanner) descr() (text string, record int, err error) {
	if s.peek() != '[' {
		text, err = s.str()
		return text, 0, err
	}
	start := s.pos
	record, err = s.fields()
	return string(s.text[start:s.pos]), record, err
}

// fields reads a list of fields, and returns the bytes that they take.
func (s *scanner) fields() (size int, err error) {
	if err := s.expect('['); err != nil {
		return 0, err
	}
	for comma := true; !s.accept(']'); comma = s.accept(',') {
		if !comma {
			return 0, s.errorf("',' or ']' missing")
		}
		n, err := s.field()
		if err != nil {
			return 0, err
		}
		if size += n; size > mostBytes {
			return 0, fmt.Errorf("%w: fields of more than %d bytes", ErrType, mostBytes)
		}
	}
	return size, nil
}

// field reads a field: a name, a type or a list of fields, and maybe the extents of an array of
// these. It returns the bytes that the field takes.
func (s *scanner) field() (size int, err error) {
	if err := s.fieldName(); err != nil {
		return 0, err
	}
	if size, err = s.fieldType(); err != nil {
		return 0, err
	}
	if s.accept(',') && s.peek() != ')' {
		shape, err := s.shape()
		if err != nil {
			return 0, err
		}
		all, err := dataSize(size, shape)
		if err != nil || all > mostBytes {
			return 0, fmt.Errorf("%w: a field of shape %v", ErrType, shape)
		}
		size = int(all)
	}
	return size, s.expect(')')
}

// fieldName reads a field up to its type: "(", the name and ",". The name may be a pair of title
// and name.
func (s *scanner) fieldName() error {
	if err := s.expect('('); err != nil {
		return err
	}
	form := "n,"
	if s.peek() == '(' {
		form = "(n,n),"
	}
	for _, c := range []byte(form) {
		err := error(nil)
		if c == 'n' {
			_, err = s.str()
		} else {
			err = s.expect(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fieldType reads the name of a type or a list of fields, and returns the bytes that it takes.
func (s *scanner) fieldType() (size int, err error) {
	if s.peek() == '[' {
		return s.fields()
	}
	name, err := s.str()
	if err != nil {
		return 0, err
	}
	return typeSize(name)
}

func (s *scanner) boolean() (bool, error) {
	switch w := s.word(); w {
	case "True":
		return true, nil
	case "False":
		return false, nil
	default:
		return false, s.errorf("fortran_order is %q, not True or False", clip(w))
	}
}

// shape reads a tuple of at most maxRank extents, none negative. A tuple of one extent
// needs a comma, as in Python.
func (s *scanner) shape() ([]int, error) {
	if err := s.expect('('); err != nil {
		return nil, err
	}
	shape := []int{}
	for comma := true; !s.accept(')'); {
		if !comma {
			return nil, s.errorf("',' or ')' missing")
		}
		if len(shape) == maxRank {
			return nil, s.errorf("more than %d axes", maxRank)
		}
		w := s.word()
		n, err := strconv.Atoi(w)
		if err != nil {
			return nil, s.errorf("extent %q", clip(w))
		}
		if n < 0 {
			return nil, s.errorf("negative extent %d", n)
		}
		shape = append(shape, n)
		comma = s.accept(',')
		if !comma && len(shape) == 1 {
			return nil, s.errorf("',' missing in the shape")
		}
	}
	return shape, nil
}
