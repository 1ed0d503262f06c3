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

// span is a part of an index text: the bytes from begin up to, not including, end.
type span struct{ begin, end int }

func (s span) fail(expr string, err error, format string, args ...any) error {
	return &IndexError{Expr: expr, Column: s.begin, Length: max(s.end-s.begin, 1), Msg: fmt.Sprintf(format, args...), Err: err}
}

// indexItem is an integer, a slice, an ellipsis or a new axis. The value of an integer is start.
// The missing parts of a slice are filled in.
type indexItem struct {
	span
	kind              byte // tokenNumber, ':', tokenEllipsis or tokenNone
	start, stop, step int64
}

// parseIndex returns the items of an index for an array of the given rank: integers, slices and new
// axes. Whole axes replace the ellipsis; without an ellipsis they follow the last item.
func parseIndex(expr string, rank int) ([]indexItem, error) {
	p := indexParser{expr: expr}
	items, err := p.parse()
	if err != nil {
		return nil, err
	}
	begin, end := len(items), len(items) // whole axes replace items[begin:end]: the ellipsis, or nothing at the end
	indexed, outRank := 0, rank
	var newAxis indexItem
	for i, item := range items {
		switch item.kind {
		case tokenEllipsis:
			if begin < end {
				return nil, item.fail(expr, nil, `"..." may come only once`)
			}
			begin, end = i, i+1
			continue
		case tokenNone:
			newAxis = item
			outRank++
			continue
		case tokenNumber:
			outRank--
		}
		if indexed++; indexed > rank {
			return nil, item.fail(expr, ErrRank, "too many indices for %s", plural(int64(rank), "axis"))
		}
	}
	if outRank > maxIndexRank {
		return nil, newAxis.fail(expr, ErrRank, "the result has %d axes, at most %d are allowed", outRank, maxIndexRank)
	}
	full := indexItem{kind: ':', stop: math.MaxInt64, step: 1}
	return slices.Replace(items, begin, end, slices.Repeat([]indexItem{full}, rank-indexed)...), nil
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

// What errors call the next token, if it should be an item or if there should be none.
const (
	anItem = `an integer, a slice, "..." or None`
	theEnd = "the end"
)

// indexParser parses an index text by recursive descent. All fields except expr and err describe
// the next token. After an error every token is tokenEnd.
type indexParser struct {
	expr    string
	span           // the token's
	prevEnd int    // end of the token before it
	tok     byte   // its kind
	abs     uint64 // value of a tokenNumber, or 1<<63 if that is larger
	err     error  // the first one
}

func (p *indexParser) parse() (items []indexItem, err error) {
	p.advance()
	closer, end := tokenEnd, theEnd
	if p.accept('[') {
		closer, end = ']', `"]"`
	}
	want := end
	if p.accept('(') {
		p.expect(')', `")"`)
	} else {
		want = `"," or ` + end
		for items = append(items, p.item()); p.accept(',') && p.tok != closer; {
			items = append(items, p.item())
		}
	}
	p.expect(closer, want)
	if closer == ']' {
		p.expect(tokenEnd, theEnd)
	}
	return items, p.err
}

// accept takes the next token and returns true if that is tok. Otherwise it returns false.
func (p *indexParser) accept(tok byte) bool {
	if p.tok != tok {
		return false
	}
	p.advance()
	return true
}

// expect takes the next token, which must be tok. Errors call such a token by the text.
func (p *indexParser) expect(tok byte, text string) {
	if !p.accept(tok) {
		p.expected(text)
	}
}

// expected notes the error that the next token is not what the text says.
func (p *indexParser) expected(text string) {
	if p.tok == tokenBadNumber {
		p.fail(p.span, nil, "not a decimal integer")
	}
	hint := ""
	switch word := p.expr[p.begin:p.end]; {
	case p.tok == '[' && text == anItem:
		hint = "; lists and masks are no strided slices"
	case (p.tok == '-' || p.tok == '+') && p.begin > 0 && strings.IndexByte(wordBytes, p.expr[p.begin-1]) >= 0:
		hint = "; a slice is first:end"
	case p.tok == tokenUnknown && text != theEnd && prefix(word, wordBytes) == word:
		hint = "; names are no numbers"
	}
	p.fail(p.span, nil, "expected %s%s", text, hint)
}

// fail notes an error about a part of the text, unless there already is an error.
func (p *indexParser) fail(s span, err error, format string, args ...any) {
	if p.err == nil {
		p.err = s.fail(p.expr, err, format, args...)
	}
	p.tok, p.begin, p.end = tokenEnd, len(p.expr), len(p.expr)
}

func (p *indexParser) item() indexItem {
	item := indexItem{span: p.span}
	if p.accept(tokenEllipsis) {
		item.kind = tokenEllipsis
		return item
	}
	var parts [3]indexPart
	colons := 0
	for parts[0] = p.part(); colons < 2 && p.accept(':'); {
		colons++
		parts[colons] = p.part()
	}
	item.end = p.prevEnd
	start, stop, step := parts[0], parts[1], parts[2]
	switch {
	case colons > 0:
		item.kind = ':'
		item.step = step.valueOr(1)
		if item.step == 0 {
			p.fail(step.span, ErrStride, "slice step must not be 0")
		}
		// A missing start or stop becomes the least or the largest number, which Window.set
		// clamps to an end of the axis.
		low, high := int64(math.MinInt64), int64(math.MaxInt64)
		if item.step < 0 {
			low, high = high, low
		}
		item.start, item.stop = start.valueOr(low), stop.valueOr(high)
	case start.tok != 0:
		item.kind, item.start = start.tok, start.value
	default:
		p.expected(anItem)
	}
	return item
}

// indexPart is an integer (tokenNumber), None (tokenNone) or nothing (0).
type indexPart struct {
	span
	tok   byte
	value int64
}

func (t indexPart) valueOr(missing int64) int64 {
	if t.tok == tokenNumber {
		return t.value
	}
	return missing
}

func (p *indexParser) part() indexPart {
	t := indexPart{span: p.span, tok: tokenNumber}
	minus := p.tok == '-'
	switch {
	case p.accept(tokenNone):
		t.tok = tokenNone
		return t
	case minus, p.tok == '+':
		p.advance()
	case p.tok != tokenNumber:
		return indexPart{}
	}
	if t.value = int64(min(p.abs, math.MaxInt64)); minus {
		t.value = -int64(p.abs)
	}
	t.end = p.end
	p.expect(tokenNumber, "an integer")
	return t
}

// advance reads the next token.
func (p *indexParser) advance() {
	p.prevEnd = p.end
	rest := strings.TrimLeft(p.expr[p.end:], " \t\f\r\n")
	p.begin = len(p.expr) - len(rest)
	p.end = p.begin + 1
	if rest == "" {
		p.tok, p.end = tokenEnd, p.begin
		return
	}
	c := rest[0]
	switch {
	case strings.HasPrefix(rest, "..."):
		p.tok, p.end = tokenEllipsis, p.begin+3
	case strings.IndexByte("[](),:+-", c) >= 0:
		p.tok = c
	case '0' <= c && c <= '9':
		word := prefix(rest, wordBytes+".")
		p.end = p.begin + len(word)
		p.tok = tokenBadNumber
		if abs, ok := decimal(word); ok {
			p.tok, p.abs = tokenNumber, abs
		}
	default:
		word := prefix(rest, wordBytes)
		if word == "np" && strings.HasPrefix(rest, "np.newaxis") {
			word = prefix(rest, wordBytes+".")
		}
		p.tok, p.end = tokenUnknown, p.begin+len(word)
		switch word {
		case "None", "newaxis", "np.newaxis":
			p.tok = tokenNone
		case "Ellipsis":
			p.tok = tokenEllipsis
		case "":
			_, n := utf8.DecodeRuneInString(rest)
			p.end = p.begin + n
		}
	}
}

// wordBytes are the bytes of names and numbers.
const wordBytes = "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// prefix returns the longest prefix of s that consists of bytes of set.
func prefix(s, set string) string { return s[:len(s)-len(strings.TrimLeft(s, set))] }

// decimal returns the value of s as a decimal literal of Python. s must begin with a digit. ok is
// false if s is no such literal. Single underscores may stand between digits. A leading zero is an
// error unless all digits are 0. Values beyond 1<<63 give 1<<63.
func decimal(s string) (abs uint64, ok bool) {
	if prefix(s, "0123456789_") != s || strings.Contains(s, "__") || strings.HasSuffix(s, "_") {
		return 0, false
	}
	const limit = 1 << 63
	for _, c := range []byte(s) {
		if c != '_' {
			abs = min(min(abs, limit/10+1)*10+uint64(c-'0'), limit) // without an overflow
		}
	}
	return abs, s[0] != '0' || abs == 0
}
