package main

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// numbers says what the numbers of a result become. Lists have one value, or one for each position
// of an axis.
type numbers struct {
	typ                    slice1.DataType // of -to; 0: float32 if any list is set, else the input's
	typName                string          // of typ, as -to has it
	scale, bias, mean, std []float32
	channel                int            // the axis of the index's result, before -axes, along which the lists go
	quantizes              *slice1.Affine // of -quantize or -dequantize, or nil
}

// converts reports whether numbers may be converted.
func (n *numbers) converts() bool { return n.typ != 0 || n.count() > 0 }

// quantizer returns a function that sets n.quantizes from the value of a flag: a scale and a zero
// point.
func (n *numbers) quantizer(affine func(scale []float32, zero []int32) slice1.Affine) func(string) error {
	return func(value string) error {
		first, second, two := strings.Cut(value, ",")
		scale, err := strconv.ParseFloat(strings.TrimSpace(first), 32)
		zero, zeroErr := strconv.ParseInt(strings.TrimSpace(second), 10, 32)
		if !two || err != nil || zeroErr != nil || !(float32(scale) > 0) || math.IsInf(scale, 0) {
			return errors.New("a scale above 0 and a zero point, as 0.00784314,-1")
		}
		a := affine([]float32{float32(scale)}, []int32{int32(zero)})
		n.quantizes = &a
		return nil
	}
}

// count returns how many values the longest list has.
func (n *numbers) count() int {
	if n.quantizes != nil {
		return 1
	}
	return max(len(n.scale), len(n.bias), len(n.mean), len(n.std))
}

// normalizes reports whether numbers become fractions of the largest sample.
func (n *numbers) normalizes() bool { return n.mean != nil || n.std != nil }

// setTo sets the format and the type of the result from the value of -to. The value is either of
// them, or both with a comma between them.
func (j *job) setTo(value string) error {
	for word := range strings.SplitSeq(value, ",") {
		h, err := parseType(word)
		switch {
		case formats[word] != "" && j.to == "":
			j.to = word
		case err == nil && j.typ == 0 && isNumber(h) && h.BigEndian == headerOf(h.Type).BigEndian:
			j.typ, j.typName = h.Type, word
		default:
			return fmt.Errorf("%s: output is npy, npz, raw, png, jpeg or pnm, and its numbers are u1, u2, u4, u64, i1, i2, i4, i64, f2, bf16, f4 or f8", clip(word))
		}
	}
	return nil
}

// listOf returns a function that sets *to from the value of a flag: numbers with commas between
// them.
func listOf(to *[]float32) func(string) error {
	return func(value string) error {
		for word := range strings.SplitSeq(value, ",") {
			x, err := strconv.ParseFloat(strings.TrimSpace(word), 32)
			if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
				return errors.New("numbers with commas between them, as 0.5 or 0.485,0.456,0.406")
			}
			*to = append(*to, float32(x))
		}
		return nil
	}
}

// affine returns the conversion of an array's numbers. It is NumPy's a*scale + bias, or
// torchvision's Normalize if a mean or a deviation is set. Normalize takes samples as fractions of
// the largest sample, like ToTensor makes them.
func (n *numbers) affine(a *array) (c slice1.Affine, err error) {
	if n.quantizes != nil {
		return *n.quantizes, nil
	}
	if !n.normalizes() {
		return slice1.Affine{Scale: n.scale, Bias: n.bias}, nil
	}
	largest := 1.
	switch {
	case isBool(a.Header):
	case a.Type == slice1.Uint8, a.Type == slice1.Uint16:
		largest = a.largest()
	case !isFloat(a.Type):
		return c, usagef("-mean and -std are for u1 and u2, of which 1.0 is the largest, and for floats; -scale and -bias are for %s", a.typeName())
	}
	at := func(list []float32, i int, none float64) float64 {
		if len(list) == 0 {
			return none
		}
		return float64(list[min(i, len(list)-1)])
	}
	const most = 16 // published means are below 3 in parts of the largest sample, and above 40 in samples
	for i := range max(1, len(n.mean), len(n.std)) {
		mean, std := at(n.mean, i, 0), at(n.std, i, 1)
		switch {
		case std == 0:
			return c, usagef("-std divides, and cannot be 0")
		case largest > 1 && math.Abs(mean) > most:
			return c, usagef("-mean and -std are in parts of the largest sample, %.0f: a mean of %v is -mean %v, and so for -std", largest, mean, float32(mean/largest))
		}
		c.Scale, c.Bias = append(c.Scale, float32(1/(largest*std))), append(c.Bias, float32(-mean/std))
	}
	return c, nil
}

// convert sets the elements of s's result and how numbers become these elements. It returns the
// axis of s's shape along which the lists go, or -1 if there is none.
func (j *job) convert(s *slice) (channels int, err error) {
	in, n := s.in, &j.numbers
	s.out, s.affine = in, nil
	count, t := n.count(), n.typ
	if to := cmp.Or(t, in.Type); count == 0 && in.picture && holdsType(j.format, to) {
		return -1, j.rescale(s, to)
	}
	switch {
	case t == 0 && count == 0, count == 0 && t == in.Type && isNumber(in.Header) && in.BigEndian == headerOf(t).BigEndian:
		return -1, nil
	case t == 0 && n.quantizes != nil && n.quantizes.Divide:
		t = slice1.Int8
		if n.quantizes.Zero[0] > math.MaxInt8 {
			t = slice1.Uint8
		}
	case t == 0:
		t = slice1.Float32
	}
	if n.quantizes != nil && n.quantizes.Divide && isFloat(t) {
		return -1, usagef("-quantize makes integers, as of -to i1 or u1")
	}
	if n.quantizes != nil && !n.quantizes.Divide && (isFloat(in.Type) || isBool(in.Header) || !isNumber(in.Header)) {
		return -1, usagef("-dequantize takes integers; IN has %s", in.typeName())
	}
	if !isNumber(in.Header) && !isBool(in.Header) {
		return -1, fmt.Errorf("%s is not converted; bool, u1, u2, u4, u64, i1, i2, i4, i64, f2, bf16, f4 and f8 are", in.typeName())
	}
	if channels, err = n.along(s, count); err != nil {
		return -1, err
	}
	a, err := n.affine(in)
	if err != nil {
		return -1, err
	}
	if isBool(in.Header) {
		if a, err = ofBooleans(a); err != nil {
			return -1, err
		}
	}
	s.affine = &a
	s.out = &array{source: in.source, Header: headerOf(t), picture: in.picture}
	return channels, nil
}

// along returns the axis of s's shape along which lists go, of which the longest has so many
// values, or -1 if it has at most one. It is a usage error if a list has neither one value nor one
// for each position of that axis.
func (n *numbers) along(s *slice, count int) (channels int, err error) {
	if channels = n.channel; channels < 0 {
		channels += len(s.shape)
	}
	switch inside := channels >= 0 && channels < len(s.shape); {
	case !inside && (count > 1 || n.channel != -1): // which is also what it is if it is not given
		return -1, usagef("-channel %d: the result has rank %d", n.channel, len(s.shape))
	case count < 2:
		return -1, nil
	}
	have := s.shape[channels]
	if s.in.open && have == s.desc.Output.Sizes[0] { // rows, whose number is unknown
		have = count
	}
	for _, list := range [][]float32{n.scale, n.bias, n.mean, n.std} {
		if len(list) > 1 && len(list) != have {
			hint := "-channel names another axis"
			if have == 4 && len(list) == 3 && channels == len(s.shape)-1 {
				hint = "[..., :3] leaves alpha out"
			}
			return -1, usagef("%d values, and axis %d of %v has %d; %s", len(list), channels, brackets(s.shape), have, hint)
		}
	}
	return channels, nil
}

// isNumber reports whether elements are numbers of a type that slice1 has.
func isNumber(h npy.Header) bool { return h.Descr == "" || h.Type == slice1.BFloat16 }

// isBool reports whether elements are NumPy's booleans, which convert as numbers: byte 0 is 0, and
// another byte 1.
func isBool(h npy.Header) bool { return h.Descr == "|b1" }

// ofBooleans returns tables of what a makes of 0, for byte 0, and of 1, for all other bytes. a has
// Scale and Bias, or quantises.
func ofBooleans(a slice1.Affine) (slice1.Affine, error) {
	const size = 256
	tables := size * max(1, len(a.Scale), len(a.Bias))
	table, bits := make([]float32, tables), make([]uint8, tables)
	for i := range bits {
		bits[i] = uint8(min(i%size, 1))
	}
	if a.Divide {
		table = slice1.Affine{}.Quantize(a.Scale[0], int(a.Zero[0])).Table
		for i := range table {
			table[i] = table[bits[i]]
		}
		return slice1.Affine{Table: table}, nil
	}
	err := slice1.Copy(table, bits, slice1.Whole(slice1.Uint8, tables/size, size), slice1.WithNumbers(slice1.Float32, a))
	return slice1.Affine{Table: table}, err
}

// bfloat16 is the name under which NumPy saves elements of ml_dtypes.bfloat16. It means elements of
// two bytes.
const bfloat16 = "|V2"

var nativeBig = binary.NativeEndian.Uint16([]byte{0, 1}) == 1
