package main

import (
	"bufio"
	"errors"
	"io"
)

// packBitsReader is a reader that expands PackBits: literals, which are bytes to copy, and runs of one
// byte.
type packBitsReader struct {
	r       *bufio.Reader
	literal int // bytes left of a literal
	run     int // bytes left of a run
	value   byte
}

func (p *packBitsReader) Read(b []byte) (int, error) {
	for p.literal == 0 && p.run == 0 {
		c, err := p.r.ReadByte()
		if err != nil {
			return 0, err
		}
		switch n := int(int8(c)); {
		case n >= 0:
			p.literal = n + 1
		case n != -128:
			p.run = 1 - n
			if p.value, err = p.r.ReadByte(); err != nil {
				return 0, shortened(err)
			}
		}
	}
	if p.run > 0 {
		n := min(p.run, len(b))
		for i := range b[:n] {
			b[i] = p.value
		}
		p.run -= n
		return n, nil
	}
	n, err := p.r.Read(b[:min(p.literal, len(b))])
	p.literal -= n
	return n, err
}

const (
	lzwClear, lzwEnd, lzwFirst = 256, 257, 258 // codes; lzwFirst is the first that the data define
	lzwCodes                   = 1 << 12       // how many codes there are
)

var errLZW = errors.New("broken LZW data")

// lzwReader is a reader that expands LZW as TIFF has it: codes begin with their highest bit, and get
// longer one code earlier than in the LZW that package compress/lzw reads.
type lzwReader struct {
	r      *bufio.Reader
	bits   uint32             // bits that were read from r, the last ones lowest
	have   int                // how many of these are not used yet
	width  int                // bits of a code
	next   int                // the code to define next
	last   int                // the code before, or -1 after lzwClear
	prefix [lzwCodes]uint16   // of each defined code: the code whose text it begins with
	suffix [lzwCodes]byte     // of each defined code: the last byte of its text
	text   [lzwCodes + 1]byte // the text of the last code is at the end
	ready  []byte             // the end of text that was not read yet
}

func newLZW(r *bufio.Reader) *lzwReader {
	z := &lzwReader{r: r}
	z.clear()
	return z
}

func (z *lzwReader) clear() { z.width, z.next, z.last = 9, lzwFirst, -1 }

func (z *lzwReader) Read(b []byte) (int, error) {
	for len(z.ready) == 0 {
		code, err := z.code()
		switch {
		case err != nil:
			return 0, err
		case code == lzwEnd:
			return 0, io.EOF
		case code == lzwClear:
			z.clear()
		default:
			if err := z.expand(code); err != nil {
				return 0, err
			}
		}
	}
	n := copy(b, z.ready)
	z.ready = z.ready[n:]
	return n, nil
}

func (z *lzwReader) code() (int, error) {
	for z.have < z.width {
		c, err := z.r.ReadByte()
		if err != nil {
			return 0, err
		}
		z.bits = z.bits<<8 | uint32(c)
		z.have += 8
	}
	z.have -= z.width
	return int(z.bits>>z.have) & (1<<z.width - 1), nil
}

// expand makes the text of a code ready, and defines code z.next: its text is that of the code before
// and the first byte of this one's. It defines none if there is no code before or if all are defined.
func (z *lzwReader) expand(code int) error {
	at, known := len(z.text), code
	switch {
	case code < lzwClear:
	case z.last < 0 || code > z.next || code == z.next && z.next == lzwCodes:
		return errLZW
	case code == z.next: // the text of the code before, and its first byte again
		known = z.last
		at--
	}
	for ; known >= lzwFirst; known = int(z.prefix[known]) {
		at--
		z.text[at] = z.suffix[known]
	}
	at--
	z.text[at] = byte(known)
	if code == z.next {
		z.text[len(z.text)-1] = byte(known)
	}
	z.ready = z.text[at:]
	if z.last >= 0 && z.next < lzwCodes {
		z.prefix[z.next], z.suffix[z.next] = uint16(z.last), byte(known)
		z.next++
		if z.next+1 >= 1<<z.width && z.width < 12 {
			z.width++
		}
	}
	z.last = code
	return nil
}
