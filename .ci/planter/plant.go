package main

import (
	"bytes"
	"fmt"
	"regexp"
)

// plant returns the source with the fault in it. It fails unless the text to find is on exactly one
// line of the function or, if the fault names none, of the file.
func (f *fault) plant(source []byte) ([]byte, error) {
	at, offset, lines := 0, 0, 0
	inside := f.function == ""
	begin := regexp.MustCompile(`^[^\s}/*#].*\b` + regexp.QuoteMeta(f.function) + `[([]`)
	for _, line := range bytes.SplitAfter(source, []byte("\n")) {
		begins, text := f.function != "" && begin.Match(line), bytes.TrimSpace(line)
		if begins && !bytes.HasSuffix(text, []byte(";")) {
			inside = true
		}
		if i := bytes.Index(line, []byte(f.find)); inside && i >= 0 {
			at = offset + i
			lines++
		}
		if f.function != "" && bytes.HasPrefix(line, []byte("}")) || begins && bytes.HasSuffix(text, []byte("}")) {
			inside = false
		}
		offset += len(line)
	}
	if lines != 1 {
		where := f.file
		if f.function != "" {
			where = f.function + " of " + f.file
		}
		return nil, fmt.Errorf("%d lines of %s have %s", lines, where, f.find)
	}
	return bytes.Join([][]byte{source[:at], []byte(f.put), source[at+len(f.find):]}, nil), nil
}
