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
)

// value returns value i of a list. A list of one value has it for every i. An empty list has
// `missing`.
func value(list []float32, i int, missing float32) float32 {
	if len(list) == 0 {
		return missing
	}
	return list[min(i, len(list)-1)]
}

// quantizer returns a function that sets n.quantizes from the value of a flag: a scale and a zero
// point.
func (n *numbers) quantizer(affine func(scale []float32, zero []int32) slice1.Affine) func(string) error {
	return func(text string) error {
		left, right, _ := strings.Cut(text, ",")
		scale, err := strconv.ParseFloat(strings.TrimSpace(left), 32)
		zero, failed := strconv.ParseInt(strings.TrimSpace(right), 10, 32)
		if err != nil || failed != nil || !(float32(scale) > 0) || math.IsInf(scale, 0) {
			return errors.New("a scale above 0 and a zero point, as 0.00784314,-1")
		}
		conversion := affine([]float32{float32(scale)}, []int32{int32(zero)})
		n.quantizes = &conversion
		return nil
	}
}

// setTo sets the format and the type of the result from the value of -to. The value is either of
// them, or both with a comma between them.
func (j *job) setTo(value string) error {
	for word := range strings.SplitSeq(value, ",") {
		h, err := parseType(word)
		switch {
		case formatOf(word) != nil && j.ending == "":
			j.ending = word
		case err == nil && j.typ == 0 && isNumber(h) && h.BigEndian == headerOf(h.Type).BigEndian:
			j.typ, j.typName = h.Type, word
		default:
			return fmt.Errorf("%s: output is npy, npz, raw, png, jpeg or pnm, and its numbers are u1, u2, u4, u64, i1, i2, i4, i64, f2, bf16, f4 or f8", clip(word))
		}
	}
	return nil
}

// affine returns the conversion of an array's numbers. It is NumPy's a*scale + bias, or
// torchvision's Normalize if a mean or a deviation is set. Normalize takes samples as fractions of
// the largest sample, like ToTensor makes them.
func (n *numbers) affine(arr *array) (c slice1.Affine, err error) {
	if n.quantizes != nil {
		return *n.quantizes, nil
	}
	if !n.normalizes() {
		return slice1.Affine{Scale: n.scale, Bias: n.bias}, nil
	}
	largest := 1.
	switch {
	case isBool(arr.Header):
	case arr.Type == slice1.Uint8, arr.Type == slice1.Uint16:
		largest = arr.largest()
	case !isFloat(arr.Type):
		return c, usagef("-mean and -std are for u1 and u2, of which 1.0 is the largest, and for floats; -scale and -bias are for %s", arr.typeName())
	}
	const limit = 16 // published means are below 3 in parts of the largest sample, and above 40 in samples
	for i := range max(1, len(n.mean), len(n.std)) {
		mean, std := float64(value(n.mean, i, 0)), float64(value(n.std, i, 1))
		switch {
		case std == 0:
			return c, usagef("-std divides, and cannot be 0")
		case largest > 1 && math.Abs(mean) > limit:
			return c, usagef("-mean and -std are in parts of the largest sample, %.0f: a mean of %v is -mean %v, and so for -std", largest, float32(mean), float32(mean/largest))
		}
		c.Scale, c.Bias = append(c.Scale, float32(1/(largest*std))), append(c.Bias, float32(-mean/std))
	}
	return c, nil
}

// convert sets the elements of s's result and how numbers become these elements. It returns the
// axis of s's shape along which the lists go, or -1 if there is none.
func (j *job) convert(s *slice) (channels int, err error) {
	input, n := s.input, &j.numbers
	s.result, s.affine = input, nil
	count, t := n.count(), n.typ
	if target := cmp.Or(t, input.Type); count == 0 && input.picture && j.format.holdsType(target) {
		return -1, j.rescale(s, target)
	}
	switch {
	case t == 0 && count == 0, count == 0 && t == input.Type && isNumber(input.Header) && input.BigEndian == headerOf(t).BigEndian:
		return -1, nil
	case t == 0 && n.quantizes != nil && n.quantizes.Divide:
		t = slice1.Int8
		if n.quantizes.Zero[0] > math.MaxInt8 {
			t = slice1.Uint8
		}
	case t == 0:
		t = slice1.Float32
	}
	if err := n.takes(input, t); err != nil {
		return -1, err
	}
	if channels, err = n.channelAxis(s, count); err != nil {
		return -1, err
	}
	conversion, err := n.affine(input)
	if err != nil {
		return -1, err
	}
	if isBool(input.Header) {
		conversion = ofBooleans(conversion)
	}
	s.affine = &conversion
	s.result = &array{source: input.source, Header: headerOf(t), picture: input.picture}
	return channels, nil
}

// takes returns an error unless elements of an array can become numbers of type t.
func (n *numbers) takes(input *array, t slice1.DataType) error {
	switch quantizes := n.quantizes; {
	case quantizes != nil && quantizes.Divide && isFloat(t):
		return usagef("-quantize makes integers, as of -to i1 or u1")
	case quantizes != nil && !quantizes.Divide && (isFloat(input.Type) || isBool(input.Header) || !isNumber(input.Header)):
		return usagef("-dequantize takes integers; IN has %s", input.typeName())
	case !isNumber(input.Header) && !isBool(input.Header):
		return fmt.Errorf("%s is not converted; bool, u1, u2, u4, u64, i1, i2, i4, i64, f2, bf16, f4 and f8 are", input.typeName())
	}
	return nil
}

// channelAxis returns the axis of s's shape along which lists go, of which the longest has so many
// values, or -1 if it has at most one. It is a usage error if a list has neither one value nor one
// for each position of that axis.
func (n *numbers) channelAxis(s *slice, count int) (channels int, err error) {
	if channels = n.channel; channels < 0 {
		channels += len(s.shape)
	}
	switch inside := channels >= 0 && channels < len(s.shape); {
	case !inside && (count > 1 || n.channel != -1): // which is also what it is if it is not given
		return -1, usagef("-channel %d: the result has rank %d", n.channel, len(s.shape))
	case count < 2:
		return -1, nil
	}
	extent := s.shape[channels]
	if s.input.open && extent == s.desc.Output.Sizes[0] { // rows, whose number is unknown
		extent = count
	}
	for _, list := range [][]float32{n.scale, n.bias, n.mean, n.std} {
		if len(list) > 1 && len(list) != extent {
			hint := "-channel names another axis"
			if extent == 4 && len(list) == 3 && channels == len(s.shape)-1 {
				hint = "[..., :3] leaves alpha out"
			}
			return -1, usagef("%d values, and axis %d of %v has %d; %s", len(list), channels, brackets(s.shape), extent, hint)
		}
	}
	return channels, nil
}

// ofBooleans returns tables of what a conversion makes of 0, for byte 0, and of 1, for all other
// bytes.
func ofBooleans(conversion slice1.Affine) slice1.Affine {
	const size = 256
	scale, bias, quantized := conversion.Scale, conversion.Bias, []float32(nil)
	if conversion.Divide {
		quantized = slice1.Affine{}.Quantize(scale[0], int(conversion.Zero[0])).Table
	}
	table := make([]float32, size*max(1, len(scale), len(bias)))
	for i := range table {
		bit := min(i%size, 1)
		if conversion.Divide {
			table[i] = quantized[bit]
			continue
		}
		table[i] = float32(bit) * value(scale, i/size, 1)
		if bias != nil { // without it, a negative scale makes -0 of 0, and adding 0 would make 0 of that
			table[i] += value(bias, i/size, 0)
		}
	}
	return slice1.Affine{Table: table}
}

// The same grey is 100 of 255 in a picture of 8 bits, 25700 of 65535 in one of 16 bits, and 392 of
// 1000 in a PGM whose largest sample is 1000. So samples that go from picture to picture are scaled
// by the largest ones, unless flags say what becomes of numbers. In .npy and raw files, on either
// side, samples are numbers and stay as they are: nobody knows what is white there.

// rescale makes the samples of a decoded picture, of which s is a slice, samples of type t for
// another picture: 0 stays 0, the largest sample becomes t's largest, and what lies between is
// rounded to the nearest. A PGM that stays one keeps its largest sample.
func (j *job) rescale(s *slice, t slice1.DataType) error {
	arr := s.input
	_, limit, _ := bounds(t)
	largest, white := uint64(arr.largest()), uint64(limit)
	if largest == white || j.format.name == "pnm" && t == arr.Type {
		return nil
	}
	table := make([]uint16, 1<<(8*arr.Type.Size()))
	for v := range table {
		table[v] = uint16((2*min(uint64(v), largest)*white + largest) / (2 * largest))
	}
	samples, made := len(arr.data)/arr.Type.Size(), arr.data
	if t.Size() > arr.Type.Size() {
		made = make([]byte, 2*samples)
	}
	for i := range samples { // where both are in one place, reading is ahead of writing
		v := uint16(arr.data[i*arr.Type.Size()])
		if arr.Type == slice1.Uint16 {
			v = binary.LittleEndian.Uint16(arr.data[2*i:])
		}
		if v = table[v]; t == slice1.Uint16 {
			binary.LittleEndian.PutUint16(made[2*i:], v)
		} else {
			made[i] = byte(v)
		}
	}
	arr.note("samples are scaled, so that %d becomes %d; -to %s -scale 1 keeps numbers, as masks need it", largest, white, codes[t])
	arr.Type, arr.maxSample, arr.data = t, 0, made[:samples*t.Size()]
	arr.Size = int64(len(arr.data))
	if !s.empty {
		for _, d := range []*slice1.TensorDesc{&s.desc.Input, &s.desc.Output} {
			d.TotalSize = d.TotalSize / int64(d.DataType.Size()) * int64(t.Size())
			d.DataType, d.BaseAlign = t, 0
		}
	}
	return nil
}

// codes are names of types for -to.
var codes = map[slice1.DataType]string{slice1.Uint8: "u1", slice1.Uint16: "u2", slice1.Int8: "i1", slice1.Int16: "i2"}

// lost returns what becomes of samples, or of numbers that go into a picture, whose range is not
// the range of the result's type. It returns "" if nothing is worth a note: the ranges agree, or
// flags say what becomes of numbers.
func (j *job) lost(s *slice) string {
	input, t, picture := s.input, s.result.Type, j.format.picture()
	floor, largest, ok := bounds(input.Type)
	low, high, ok2 := bounds(t)
	if input.picture || input.video != nil {
		largest = input.largest()
	}
	odd := input.maxSample != 0 && input.maxSample != 0xff && input.maxSample != 0xffff && !j.normalizes() && (j.format.name != "pnm" || s.affine != nil)
	switch {
	case !ok || !ok2 || j.count() > 0 || picture && !j.format.holdsType(t) || !picture && !input.picture && input.video == nil:
	case floor < low:
		return fmt.Sprintf("numbers outside of %.0f to %.0f become %.0[1]f or %.0[2]f", low, high)
	case largest > high:
		flags := ratio(high-low, largest)
		if low < 0 {
			flags += fmt.Sprintf(" -bias %.0f", low)
		}
		return fmt.Sprintf("numbers above %.0f become %.0[1]f; %s makes %.0[3]f to %.0[1]f of 0 to %.0[4]f", high, flags, low, largest)
	case picture && !input.picture && high > largest:
		return fmt.Sprintf("numbers of at most %.0f are nearly black in a picture of 0 to %.0f; %s makes these of them", largest, high, ratio(high, largest))
	}
	if odd {
		return fmt.Sprintf("samples of up to %d, not scaled", input.maxSample)
	}
	return ""
}

// ratio returns the flag -scale with a quotient.
func ratio(dividend, divisor float64) string {
	return "-scale " + strconv.FormatFloat(float64(float32(dividend/divisor)), 'g', -1, 32)
}

// advice returns which flags make the numbers of an array samples of a picture that has no samples
// of the result's type, or "" if there are none.
func (j *job) advice(input *array) string {
	switch {
	case !isNumber(input.Header) && !isBool(input.Header):
		return ""
	case j.normalizes():
		return "; numbers by -mean and -std lie around 0, and .npy takes them"
	case j.count() > 0:
		return "; -to u1 rounds numbers, and makes those outside of 0 to 255 these"
	case input.picture && input.largest() > 0xff:
		return fmt.Sprintf("; -to u1 makes bytes of samples, 255 of %v%s", input.largest(), map[bool]string{true: ": each divided by 257"}[input.largest() == 0xffff])
	case isFloat(input.Type), isBool(input.Header):
		return "; -to u1 -scale 255 makes bytes of numbers from 0 to 1"
	case input.Type == slice1.Uint8:
		return "; -to u1 leaves numbers as they are"
	case input.Type == slice1.Uint16:
		return "; -to u1 " + ratio(0xff, 0xffff) + " makes bytes of numbers up to 65535, -to u1 -scale 1 of those up to 255"
	}
	return "; -to u1 -scale 1 makes bytes of numbers from 0 to 255, other values of -scale and -bias of others"
}
