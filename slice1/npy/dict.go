package npy

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// dict is the Python dictionary in a header.
type dict struct {
	descr   string // the name of a type, or the text of a list of fields
	record  int    // bytes of an element, if descr is a list of fields; else 0
	fortran bool
	shape   []int
}

// scanner reads the few Python literals in a header. It keeps the first error, and what it reads
// after an error means nothing.
type scanner struct {
	text []byte
	pos  int
	err  error
}

// parseDict reads a dictionary that has the keys descr, fortran_order and shape, each once, and
// no others.
func parseDict(text []byte) (d dict, err error) {
	s, seen := &scanner{text: text}, map[string]bool{}
	s.items("{}", func() {
		key := s.str()
		if seen[key] {
			s.failf("second %q", clip(key))
		}
		seen[key] = true
		s.expect(':')
		switch key {
		case "descr":
			d.descr, d.record = s.descr()
		case "fortran_order":
			d.fortran = s.boolean()
		case "shape":
			d.shape = s.shape()
		default:
			s.failf("unknown key %q", clip(key))
		}
	})
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			s.failf("no %q", key)
		}
	}
	s.end("text after the dictionary")
	return d, s.err
}

func (s *scanner) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

func (s *scanner) failf(format string, args ...any) {
	s.fail(fmt.Errorf("%w: %s at byte %d of the header", ErrFormat, fmt.Sprintf(format, args...), s.pos))
}

// end fails with a text unless only white space remains.
func (s *scanner) end(says string) {
	if s.peek() != 0 || s.pos < len(s.text) {
		s.failf("%s", says)
	}
}

// peek skips white space and returns the next byte without taking it, or 0 at the end.
func (s *scanner) peek() byte {
	s.pos = len(s.text) - len(bytes.TrimLeft(s.text[s.pos:], " \t\n\r\f"))
	if s.pos == len(s.text) {
		return 0
	}
	return s.text[s.pos]
}

// accept skips white space. If the next byte is c, it takes the byte and returns true.
func (s *scanner) accept(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.pos++
	return true
}

func (s *scanner) expect(c byte) {
	if !s.accept(c) {
		s.failf("'%c' missing", c)
	}
}

// items reads two brackets and the items between them, separated by commas. It reads each item by a
// call of item. It reports whether a comma follows the last item, and true if there is no item.
func (s *scanner) items(brackets string, item func()) (comma bool) {
	s.expect(brackets[0])
	for comma = true; s.err == nil && !s.accept(brackets[1]); comma = s.accept(',') {
		if !comma {
			s.failf("',' or '%c' missing", brackets[1])
		}
		item()
	}
	return comma
}

// word skips white space, and takes and returns the following ASCII letters, digits, minus signs
// and underscores. There may be none.
func (s *scanner) word() string {
	s.peek()
	rest := bytes.TrimLeft(s.text[s.pos:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
	word := s.text[s.pos : len(s.text)-len(rest)]
	s.pos += len(word)
	return string(word)
}

// pythonString is a Python string in single or double quotes. Python 2 writes a u before a Unicode
// string. All of Python's escapes except \N are allowed.
var pythonString = regexp.MustCompile(`^u?(?:'((?:[^'\n\\]|` + escape + `)*)'|"((?:[^"\n\\]|` + escape + `)*)")`)

const escape = `\\(?:[\\'"abfnrtv]|[0-7]{1,3}|x[[:xdigit:]]{2}|u[[:xdigit:]]{4}|U00(?:0[[:xdigit:]]|10)[[:xdigit:]]{4})`

// str reads a string and returns the text between its quotes, with unchanged escapes.
func (s *scanner) str() string {
	s.peek()
	match := pythonString.FindSubmatch(s.text[s.pos:])
	if match == nil {
		s.failf("no string, or a broken one,")
		return ""
	}
	s.pos += len(match[0])
	return string(match[1]) + string(match[2])
}

// descr reads the name of a type, or a list of fields. It returns the name, or the unchanged text
// of the list with the bytes of an element. record is 0 for a name.
func (s *scanner) descr() (text string, record int) {
	if s.peek() != '[' {
		return s.str(), 0
	}
	start := s.pos
	record = s.fields()
	return string(s.text[start:s.pos]), record
}

// fields reads a list of fields, and returns the bytes that they take.
func (s *scanner) fields() (size int) {
	s.items("[]", func() {
		if size += s.field(); size > mostBytes {
			s.fail(fmt.Errorf("%w: fields of more than %d bytes", ErrType, mostBytes))
		}
	})
	return size
}

// field reads a field: a name, or a pair of title and name, then what it holds, and then the
// extents if it is an array. It returns the bytes of the field.
func (s *scanner) field() (size int) {
	s.expect('(')
	if s.accept('(') {
		s.str()
		s.expect(',')
		s.str()
		s.expect(')')
	} else {
		s.str()
	}
	s.expect(',')
	size = s.held()
	if s.accept(',') && s.peek() != ')' {
		size = s.array(size)
	}
	s.expect(')')
	return size
}

// held reads what a field holds: the name of a type, a list of fields, or a pair of one of these
// and the extents of an array. It returns the bytes of that.
func (s *scanner) held() (size int) {
	switch {
	case s.peek() == '[':
		return s.fields()
	case s.accept('('):
		size = s.held()
		s.expect(',')
		size = s.array(size)
		s.expect(')')
		return size
	}
	var h Header
	name := s.str()
	if s.err != nil {
		return 0
	}
	if err := h.setType(dict{descr: name}); err != nil {
		s.fail(err)
	}
	return h.Type.Size() * max(h.Inner, 1)
}

// array reads the extents of an array whose elements have size bytes, and returns the bytes of the
// array.
func (s *scanner) array(size int) int {
	shape := s.shape()
	total, err := dataSize(size, shape)
	if err != nil || total > mostBytes {
		s.fail(fmt.Errorf("%w: a field of shape %v has more than %d bytes", ErrType, shape, mostBytes))
		return 0
	}
	return int(total)
}

func (s *scanner) boolean() bool {
	w := s.word()
	if w != "True" && w != "False" {
		s.failf("fortran_order is %q, not True or False", clip(w))
	}
	return w == "True"
}

// shape reads a tuple of at most maxRank extents, none negative. A tuple of one extent needs a
// comma, like in Python. An L may follow an extent: Python 2 writes long integers so.
func (s *scanner) shape() []int {
	shape := []int{}
	comma := s.items("()", func() {
		w := s.word()
		n, err := strconv.Atoi(strings.TrimSuffix(w, "L"))
		switch {
		case len(shape) == maxRank:
			s.failf("more than %d axes", maxRank)
		case err != nil:
			s.failf("extent %q is no number", clip(w))
		case n < 0:
			s.failf("negative extent %d", n)
		}
		shape = append(shape, n)
	})
	if !comma && len(shape) == 1 {
		s.failf("',' missing in the shape")
	}
	return shape
}
