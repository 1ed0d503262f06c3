package slice1

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxIndexRank is NumPy's limit on the axes of an array, new ones included.
const maxIndexRank = 64

// span is a part of an index text: the bytes from at up to, not including, end.
type span struct{ at, end int }

func (s span) fail(expr, msg string, err error) error {
	return &IndexError{Expr: expr, Column: s.at, Length: max(s.end-s.at, 1), Msg: msg, Err: err}
}

type indexKind uint8

const (
	indexInteger indexKind = iota
	indexSlice
	indexEllipsis
	indexNewAxis
)

type indexItem struct {
	span
	kind              indexKind
	start, stop, step int64 // of a slice, with its missing parts filled in; an indexInteger has only start, its value
}

// parseIndex returns the items of an index for an array of the given rank: integers, slices
// and new axes, with whole axes in place of the ellipsis or, without one, at the end.
func parseIndex(expr string, rank int) ([]indexItem, error) {
	p := indexParser{expr: expr}
	items, err := p.parse()
	if err != nil {
		return nil, err
	}
	at, end := len(items), len(items) // the items that whole axes replace: the ellipsis, or none at the end
	indexed, outRank := 0, rank
	var newAxis indexItem
	for i, it := range items {
		switch it.kind {
		case indexEllipsis:
			if at < end {
				return nil, it.fail(expr, `"..." may come only once`, nil)
			}
			at, end = i, i+1
			continue
		case indexNewAxis:
			newAxis = it
			outRank++
			continue
		case indexInteger:
			outRank--
		}
		if indexed++; indexed > rank {
			return nil, it.fail(expr, fmt.Sprintf("too many indices for %d axes", rank), ErrRank)
		}
	}
	if outRank > maxIndexRank {
		msg := fmt.Sprintf("the result has %d axes, at most %d are allowed", outRank, maxIndexRank)
		return nil, newAxis.fail(expr, msg, ErrRank)
	}
	whole := indexItem{kind: indexSlice, stop: math.MaxInt64, step: 1}
	return slices.Replace(items, at, end, slices.Repeat([]indexItem{whole}, rank-indexed)...), nil
}

// A token of one punctuation byte is that byte; the others have these numbers.
const (
	tokenEnd byte = iota
	tokenUnknown
	tokenNumber
	tokenBadNumber
	tokenNone
	tokenEllipsis
)

// indexParser parses an index text by recursive descent. Its fields but expr describe the
// next token.
type indexParser struct {
	expr string
	span        // of the token
	last int    // end of the token before it
	tok  byte   // which token it is
	abs  uint64 // value of a tokenNumber, or 1<<63 if that is larger
}

func (p *indexParser) parse() (items []indexItem, err error) {
	p.next()
	closer, end := tokenEnd, "the end"
	if p.tok == '[' {
		closer, end = ']', `"]"`
		p.next()
	}
	want := end
	if p.tok == '(' {
		if p.next(); p.tok != ')' {
			return nil, p.expected(`")"`)
		}
		p.next()
	} else {
		want = `"," or ` + end
		for {
			it, err := p.item()
			if err != nil {
				return nil, err
			}
			items = append(items, it)
			if p.tok != ',' {
				break
			}
			if p.next(); p.tok == closer {
				break
			}
		}
	}
	if p.tok != closer {
		return nil, p.expected(want)
	}
	if p.tok == ']' {
		if p.next(); p.tok != tokenEnd {
			return nil, p.expected("the end")
		}
	}
	return items, nil
}

func (p *indexParser) item() (indexItem, error) {
	it := indexItem{span: p.span}
	if p.tok == tokenEllipsis {
		it.kind = indexEllipsis
		p.next()
		return it, nil
	}
	var parts [3]indexPart
	colons := 0
	for {
		var err error
		if parts[colons], err = p.part(); err != nil {
			return it, err
		}
		if p.tok != ':' || colons == 2 {
			break
		}
		colons++
		p.next()
	}
	it.end = p.last
	start, stop, step := parts[0], parts[1], parts[2]
	switch {
	case colons > 0:
		it.kind = indexSlice
		it.step = step.or(1)
		if it.step == 0 {
			return it, step.fail(p.expr, "slice step must not be 0", ErrStride)
		}
		// A missing start or stop becomes the least or the largest number, which sliceWindow
		// clamps to an end of the axis.
		first, last := int64(math.MinInt64), int64(math.MaxInt64)
		if it.step < 0 {
			first, last = last, first
		}
		it.start, it.stop = start.or(first), stop.or(last)
	case start.tok == tokenNumber:
		it.kind, it.start = indexInteger, start.value
	case start.tok == tokenNone:
		it.kind = indexNewAxis
	default:
		return it, p.expected(`an integer, a slice, "..." or None`)
	}
	return it, nil
}

// indexPart is an integer (tokenNumber), None (tokenNone) or nothing (0).
type indexPart struct {
	span
	tok   byte
	value int64
}

func (t indexPart) or(missing int64) int64 {
	if t.tok == tokenNumber {
		return t.value
	}
	return missing
}

func (p *indexParser) part() (indexPart, error) {
	t := indexPart{span: p.span, tok: p.tok}
	sign := p.tok
	switch p.tok {
	case tokenNone:
		p.next()
		return t, nil
	case '+', '-':
		if p.next(); p.tok != tokenNumber {
			return t, p.expected("an integer")
		}
	case tokenNumber:
	default:
		return indexPart{}, nil
	}
	t.tok, t.end = tokenNumber, p.end
	if sign == '-' {
		t.value = -int64(p.abs)
	} else {
		t.value = int64(min(p.abs, math.MaxInt64))
	}
	p.next()
	return t, nil
}

func (p *indexParser) expected(what string) error {
	msg := "expected " + what
	if p.tok == tokenBadNumber {
		msg = "not a decimal integer"
	}
	return p.fail(p.expr, msg, nil)
}

// next reads the next token.
func (p *indexParser) next() {
	p.last = p.end
	rest := strings.TrimLeft(p.expr[p.end:], " \t\f\r\n")
	p.at = len(p.expr) - len(rest)
	p.end = p.at + 1
	if rest == "" {
		p.tok, p.end = tokenEnd, p.at
		return
	}
	c := rest[0]
	switch {
	case strings.HasPrefix(rest, "..."):
		p.tok, p.end = tokenEllipsis, p.at+3
	case strings.IndexByte("[](),:+-", c) >= 0:
		p.tok = c
	case isDigit(c):
		word := rest[:wordLen(rest, ".")]
		p.end = p.at + len(word)
		p.tok = tokenBadNumber
		if abs, ok := decimal(word); ok {
			p.tok, p.abs = tokenNumber, abs
		}
	default:
		word := rest[:wordLen(rest, "")]
		if word == "np" && strings.HasPrefix(rest, "np.newaxis") {
			word = rest[:wordLen(rest, ".")]
		}
		p.tok, p.end = tokenUnknown, p.at+len(word)
		switch word {
		case "None", "newaxis", "np.newaxis":
			p.tok = tokenNone
		case "Ellipsis":
			p.tok = tokenEllipsis
		case "":
			_, n := utf8.DecodeRuneInString(rest)
			p.end = p.at + n
		}
	}
}

// wordLen returns how many bytes at the start of s are ASCII letters, digits,
// underscores or bytes of also.
func wordLen(s, also string) int {
	n := 0
	for n < len(s) && (isDigit(s[n]) || s[n] == '_' || 'a' <= s[n]|0x20 && s[n]|0x20 <= 'z' ||
		strings.IndexByte(also, s[n]) >= 0) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// decimal returns the value of s, which begins with a digit, as a decimal literal of Python. ok
// is false if s is none. Single underscores may stand between digits; a leading zero is an error
// unless all digits are 0. Values beyond 1<<63 give 1<<63.
func decimal(s string) (abs uint64, ok bool) {
	const limit = 1 << 63
	for i := 0; i < len(s); i++ {
		if s[i] == '_' {
			i++
		}
		if i == len(s) || !isDigit(s[i]) {
			return 0, false
		}
		if d := uint64(s[i] - '0'); abs <= (limit-d)/10 {
			abs = abs*10 + d
		} else {
			abs = limit
		}
	}
	return abs, s[0] != '0' || abs == 0
}
