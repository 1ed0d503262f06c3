package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// onnxList is one list of -onnx.
type onnxList struct {
	values []int64
	at     []span // where each of the values is in the text
	whole  span   // where the list with its name is in the text
}

// span is a part of a text: its bytes from start on, before end.
type span struct{ start, end int }

// parseONNX reads text such as "starts=1,0 ends=9,4 axes=0,-1 steps=2,1": lists in any order,
// separated by spaces or semicolons, in brackets or not. axes and steps may be missing. Errors in
// the text and in its lists are a *slice1.IndexError.
func parseONNX(text string, shape []int) (slice1.Window, error) {
	lists := map[string]*onnxList{}
	for at := 0; at < len(text); {
		end := at + wordLen(text[at:])
		if end == at {
			at++
			continue
		}
		name, numbers, ok := strings.Cut(text[at:end], "=")
		switch {
		case !ok:
			return slice1.Window{}, windowError(text, at, end-at, nil, "starts=, ends=, axes= or steps= expected")
		case name != "starts" && name != "ends" && name != "axes" && name != "steps":
			return slice1.Window{}, windowError(text, at, len(name), nil, "not starts, ends, axes or steps")
		case lists[name] != nil:
			return slice1.Window{}, windowError(text, at, len(name), nil, "%s comes twice", name)
		}
		l, err := parseList(text, numbers, end-len(numbers))
		if err != nil {
			return slice1.Window{}, err
		}
		l.whole = span{at, end}
		lists[name] = l
		at = end
	}
	for _, name := range []string{"starts", "ends"} {
		if lists[name] == nil {
			return slice1.Window{}, windowError(text, len(text), 1, nil, "%s= is missing", name)
		}
	}
	values := func(name string) []int64 {
		if l := lists[name]; l != nil {
			return l.values
		}
		return nil
	}
	w, err := slice1.FromONNX(shape, values("starts"), values("ends"), values("axes"), values("steps"))
	var wrong *slice1.DescError
	if errors.As(err, &wrong) && lists[wrong.Field] != nil {
		l := lists[wrong.Field]
		place := l.whole
		if wrong.Axis >= 0 {
			place = l.at[wrong.Axis]
		}
		return w, &slice1.IndexError{Expr: text, Column: place.start, Length: place.end - place.start,
			Msg: strings.TrimPrefix(err.Error(), "slice1: "), Err: err}
	}
	return w, err
}

// wordLen returns the number of bytes before the first space, tab, line feed or semicolon of s that
// is outside brackets, or else the length of s.
func wordLen(s string) int {
	depth := 0
	for i, c := range []byte(s) {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case depth <= 0 && strings.IndexByte(" \t\n;", c) >= 0:
			return i
		}
	}
	return len(s)
}

// parseList reads a list of integers of 64 bits separated by commas, in brackets or not, which may
// be empty. The list begins at column of text.
func parseList(text, list string, column int) (*onnxList, error) {
	if strings.HasPrefix(list, "[") {
		if !strings.HasSuffix(list, "]") {
			return nil, windowError(text, column+len(list), 1, nil, `"]" expected`)
		}
		list, column = list[1:len(list)-1], column+1
	}
	l := &onnxList{values: []int64{}}
	if strings.TrimSpace(list) == "" {
		return l, nil
	}
	for _, part := range strings.Split(list, ",") {
		word := strings.TrimSpace(part)
		at := column + strings.Index(part, word)
		n, err := strconv.ParseInt(word, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange):
			return nil, windowError(text, at, len(word), slice1.ErrOverflow, "integer out of range")
		case err != nil:
			return nil, windowError(text, at, len(word), nil, "integer expected")
		}
		l.values = append(l.values, n)
		l.at = append(l.at, span{at, at + len(word)})
		column += len(part) + 1
	}
	return l, nil
}
