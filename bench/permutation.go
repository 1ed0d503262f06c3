package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// permutation is one line of a list: an array with its axes in another order.
type permutation struct {
	text        string // the line without its comment
	width       int    // bytes of an element
	perm, sizes []int  // of row-major arrays: axis i of the output is axis perm[i] of the input, sizes are the input's
	in, out     []int  // the spacing of each axis of the input and of the output, 1 for no gaps
}

// mostCase is the most bytes of the array, gaps included, that each tensor of a case lies in.
const mostCase = 2 << 30

// parsePermutations reads a list, as doc.go describes it.
func parsePermutations(r io.Reader) (list []permutation, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		p, err := parsePermutation(text)
		if err == nil {
			_, err = p.desc()
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, p)
	}
	if lines.Err() == nil && list == nil {
		return nil, errors.New("no permutation in it")
	}
	return list, lines.Err()
}

func parsePermutation(text string) (p permutation, err error) {
	words := strings.Fields(text)
	if len(words) < 3 {
		return p, fmt.Errorf("%q is not an element type, a permutation and sizes", text)
	}
	p = permutation{text: text, width: widthNamed(words[0])}
	if p.width == 0 {
		return p, fmt.Errorf("no element type %q", words[0])
	}
	if p.perm, err = integers(words[1], 0); err != nil {
		return p, err
	}
	if p.sizes, err = integers(words[2], 1); err != nil {
		return p, err
	}
	rank := len(p.perm)
	for i := range rank {
		if !slices.Contains(p.perm, i) {
			return p, fmt.Errorf("%s is no permutation of 0 to %d", words[1], rank-1)
		}
	}
	p.in, p.out = slices.Repeat([]int{1}, rank), slices.Repeat([]int{1}, rank)
	columnMajor := false
	for _, word := range words[3:] {
		key, value, _ := strings.Cut(word, "=")
		switch {
		case word == "order=F":
			columnMajor = true
		case key == "in":
			p.in, err = integers(value, 1)
		case key == "out":
			p.out, err = integers(value, 1)
		default:
			err = fmt.Errorf("%q is neither order=F nor in= nor out=", word)
		}
		if err != nil {
			return p, err
		}
	}
	if len(p.sizes) != rank || len(p.in) != rank || len(p.out) != rank {
		return p, fmt.Errorf("%q has not as many sizes or spacings as axes", text)
	}
	if columnMajor {
		p.reverse()
	}
	return p, nil
}

// reverse changes a permutation of column-major arrays to the same one of row-major arrays, whose
// axes are counted from the other end.
func (p *permutation) reverse() {
	for _, v := range [][]int{p.perm, p.sizes, p.in, p.out} {
		slices.Reverse(v)
	}
	for i, axis := range p.perm {
		p.perm[i] = len(p.perm) - 1 - axis
	}
}

// widthNamed returns the bytes of an element type. word is its name or the number of its bytes. If
// there is no such type, widthNamed returns 0.
func widthNamed(word string) int {
	for t := slice1.Float32; t <= slice1.Int64; t++ {
		if word == t.String() || word == strconv.Itoa(t.Size()) {
			return t.Size()
		}
	}
	return 0
}

func integers(list string, least int) (values []int, err error) {
	for _, word := range split(list) {
		n, err := strconv.Atoi(word)
		if err != nil || n < least || n > mostCase {
			return nil, fmt.Errorf("%q is no list of numbers of at least %d", list, least)
		}
		values = append(values, n)
	}
	return values, nil
}

// axes returns one loop for each axis of the output.
func (p *permutation) axes() []axis {
	sizes := make([]int, len(p.perm))
	for i, from := range p.perm {
		sizes[i] = p.sizes[from]
	}
	src, dst := spacedStrides(p.sizes, p.in), spacedStrides(sizes, p.out)
	axes := make([]axis, len(p.perm))
	for i, from := range p.perm {
		axes[i] = axis{sizes[i], src[from], dst[i]}
	}
	return axes
}

// spacedStrides returns the strides of a tensor of these sizes that takes every every[i]-th
// element, along axis i, of a row-major array.
func spacedStrides(sizes, every []int) []int {
	whole := make([]int, len(sizes))
	for i := range sizes {
		whole[i] = sizes[i] * every[i]
	}
	strides := packedStrides(whole)
	for i := range strides {
		strides[i] *= every[i]
	}
	return strides
}

// rank returns the number of loops left once axes that continue each other are joined, at least 1.
func (p *permutation) rank() int { return max(1, len(join(p.axes()))) }

const maxRank = 8

// desc returns the permutation as a slice. Axes that continue each other are joined only if there
// are more than maxRank. It is an error if the arrays are too large, or if too many axes are left.
func (p *permutation) desc() (*slice1.Desc, error) {
	bytes := p.width
	for i := range p.sizes {
		for _, n := range []int{p.sizes[i], max(p.in[i], p.out[i])} {
			if bytes > mostCase/n {
				return nil, fmt.Errorf("more than %d GiB", mostCase>>30)
			}
			bytes *= n
		}
	}
	axes := p.axes()
	if len(axes) > maxRank {
		if axes = join(axes); len(axes) > maxRank {
			return nil, fmt.Errorf("%d axes are left once axes that continue each other are joined, more than %d", len(axes), maxRank)
		}
	}
	var sizes, zeros, src, dst []int
	for _, a := range axes {
		sizes, zeros = append(sizes, a.n), append(zeros, 0)
		src, dst = append(src, a.src), append(dst, a.dst)
	}
	ones := slices.Repeat([]int{1}, len(axes))
	d := slice1.NewDesc(types[p.width], sizes, slice1.Window{Offsets: zeros, Sizes: sizes, Strides: ones, Out: sizes})
	if packed := packedStrides(sizes); !slices.Equal(src, packed) {
		d.Input.Strides = src
	}
	if packed := packedStrides(sizes); !slices.Equal(dst, packed) {
		d.Output.Strides = dst
	}
	return d, d.Validate()
}
