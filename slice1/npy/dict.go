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

// scanner reads the few Python literals a header is made of. After an error, which the first one stays,
// what it reads means nothing.
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

// end fails with a text unless only white space is left.
func (s *scanner) end(says string) {
	if s.peek() != 0 || s.pos < len(s.text) {
		s.failf("%s", says)
	}
}

// peek skips white space and returns the byte that follows, without taking it, or 0 at the end.
func (s *scanner) peek() byte {
	s.pos = len(s.text) - len(bytes.TrimLeft(s.text[s.pos:], " \t\n\r\f"))
	if s.pos == len(s.text) {
		return 0
	}
	return s.text[s.pos]
}

// accept takes the next byte after white space if that is c, and reports whether it is.
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

// items reads items that commas separate, each by a call of item, and the two brackets around them. It
// reports whether a comma is behind the last, or there is none.
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

// word skips white space, and takes and returns the ASCII letters, digits, minus signs and
// underscores that follow, maybe none.
func (s *scanner) word() string {
	s.peek()
	rest := bytes.TrimLeft(s.text[s.pos:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
	word := s.text[s.pos : len(s.text)-len(rest)]
	s.pos += len(word)
	return string(word)
}

// str reads a string in single or double quotes. A string with a backslash or a line end is an
// error.
func (s *scanner) str() string {
	quote := s.peek()
	if quote != '\'' && quote != '"' {
		s.failf("quote missing")
		return ""
	}
	text, _, ok := bytes.Cut(s.text[s.pos+1:], []byte{quote})
	if !ok || bytes.ContainsAny(text, "\n\\") {
		s.failf("broken string")
	}
	s.pos += min(len(text)+2, len(s.text)-s.pos)
	return string(text)
}

// descr reads the name of a type, or a list of fields. It returns the name, or the list as it is
// written with the bytes of an element; record is 0 for a name.
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

// field reads a field: a name, or a pair of title and name, a type or a list of fields, and maybe the
// extents of an array of these. It returns the bytes that the field takes.
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
	if s.peek() == '[' {
		size = s.fields()
	} else {
		var h Header
		if err := h.setType(dict{descr: s.str()}); err != nil {
			s.fail(err)
		}
		size = h.Type.Size() * max(h.Inner, 1)
	}
	if s.accept(',') && s.peek() != ')' {
		shape := s.shape()
		all, err := dataSize(size, shape)
		if err != nil || all > mostBytes {
			s.fail(fmt.Errorf("%w: a field of shape %v", ErrType, shape))
		}
		size = int(all)
	}
	s.expect(')')
	return size
}

func (s *scanner) boolean() bool {
	w := s.word()
	if w != "True" && w != "False" {
		s.failf("fortran_order is %q, not True or False", clip(w))
	}
	return w == "True"
}

// shape reads a tuple of at most maxRank extents, none negative. A tuple of one extent
// needs a comma, as in Python.
func (s *scanner) shape() []int {
	shape := []int{}
	comma := s.items("()", func() {
		w := s.word()
		n, err := strconv.Atoi(w)
		switch {
		case len(shape) == maxRank:
			s.failf("more than %d axes", maxRank)
		case err != nil:
			s.failf("extent %q", clip(w))
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
