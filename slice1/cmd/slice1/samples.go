package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/seed2e45c115/dml/slice1"
)

// The same grey is 100 of 255 in a picture of 8 bits, 25700 of 65535 in one of 16 bits, and 392 of
// 1000 in a PGM whose largest sample is 1000. So samples that go from picture to picture are scaled
// by the largest ones, unless flags say what becomes of numbers. In .npy and raw files, on either
// side, samples are numbers and stay as they are: nobody knows what is white there.

// bounds returns the least and the largest number of a type of integers. ok is false for floats.
func bounds(t slice1.DataType) (least, largest float64, ok bool) {
	switch bits := 8 * t.Size(); t {
	case slice1.Uint8, slice1.Uint16, slice1.Uint32, slice1.Uint64:
		return 0, math.Ldexp(1, bits) - 1, true
	case slice1.Int8, slice1.Int16, slice1.Int32, slice1.Int64:
		return -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1) - 1, true
	}
	return 0, 0, false
}

// holdsType reports whether a picture format has samples of a type.
func holdsType(format string, t slice1.DataType) bool {
	return holds[format] != "" && (t == slice1.Uint8 || t == slice1.Uint16 && format != "jpeg")
}

// rescale makes the samples of a decoded picture, of which s is a slice, samples of type t for
// another picture: 0 stays 0, the largest sample becomes t's largest, and what lies between is
// rounded to the nearest. A PGM that stays one keeps its largest sample.
func (j *job) rescale(s *slice, t slice1.DataType) error {
	a := s.in
	_, white, _ := bounds(t)
	from, to := uint64(a.largest()), uint64(white)
	if from == to || j.format == "pnm" && t == a.Type {
		return nil
	}
	table := make([]uint16, 1<<(8*a.Type.Size()))
	for v := range table {
		table[v] = uint16((2*min(uint64(v), from)*to + from) / (2 * from))
	}
	samples, out := len(a.data)/a.Type.Size(), a.data
	if t.Size() > a.Type.Size() {
		if err := a.reserve(2 * a.Size); err != nil {
			return err
		}
		out = make([]byte, 2*samples)
	}
	for i := range samples { // where both are in one place, reading is ahead of writing
		v := uint16(a.data[i*a.Type.Size()])
		if a.Type == slice1.Uint16 {
			v = binary.LittleEndian.Uint16(a.data[2*i:])
		}
		if v = table[v]; t == slice1.Uint16 {
			binary.LittleEndian.PutUint16(out[2*i:], v)
		} else {
			out[i] = byte(v)
		}
	}
	a.note("samples are scaled, so that %d becomes %d; -to %s -scale 1 keeps numbers, as masks need it", from, to, codes[t])
	a.Type, a.maxSample, a.data = t, 0, out[:samples*t.Size()]
	a.Size = int64(len(a.data))
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
	in, t, picture := s.in, s.out.Type, holds[j.format] != ""
	least, largest, ok := bounds(in.Type)
	low, high, ok2 := bounds(t)
	if in.picture || in.video != nil {
		largest = in.largest()
	}
	odd := in.maxSample != 0 && in.maxSample != 0xff && in.maxSample != 0xffff && !j.normalizes() && (j.format != "pnm" || s.affine != nil)
	switch {
	case !ok || !ok2 || j.count() > 0 || picture && !holdsType(j.format, t) || !picture && !in.picture && in.video == nil:
	case least < low:
		return fmt.Sprintf("numbers outside of %.0f to %.0f become %.0[1]f or %.0[2]f", low, high)
	case largest > high:
		flags := ratio(high-low, largest)
		if low < 0 {
			flags += fmt.Sprintf(" -bias %.0f", low)
		}
		return fmt.Sprintf("numbers above %.0f become %.0[1]f; %s makes %.0[3]f to %.0[1]f of 0 to %.0[4]f", high, flags, low, largest)
	case picture && !in.picture && high > largest:
		return fmt.Sprintf("numbers of at most %.0f are nearly black in a picture of 0 to %.0f; %s makes these of them", largest, high, ratio(high, largest))
	}
	if odd {
		return fmt.Sprintf("samples of up to %d, not scaled", in.maxSample)
	}
	return ""
}

// ratio returns the flag -scale with a quotient.
func ratio(to, from float64) string {
	return "-scale " + strconv.FormatFloat(float64(float32(to/from)), 'g', -1, 32)
}

// isFloat reports whether elements are floats.
func isFloat(t slice1.DataType) bool {
	return slices.Contains([]slice1.DataType{slice1.Float16, slice1.BFloat16, slice1.Float32, slice1.Float64}, t)
}

// advice returns which flags make the numbers of an array samples of a picture that has no samples
// of the result's type, or "" if there are none.
func (j *job) advice(in *array) string {
	switch {
	case !isNumber(in.Header) && !isBool(in.Header):
		return ""
	case j.normalizes():
		return "; numbers by -mean and -std lie around 0, and .npy takes them"
	case j.count() > 0:
		return "; -to u1 rounds numbers, and makes those outside of 0 to 255 these"
	case in.picture && in.largest() > 0xff:
		return fmt.Sprintf("; -to u1 makes bytes of samples, 255 of %v%s", in.largest(), map[bool]string{true: ": each divided by 257"}[in.largest() == 0xffff])
	case isFloat(in.Type), isBool(in.Header):
		return "; -to u1 -scale 255 makes bytes of numbers from 0 to 1"
	case in.Type == slice1.Uint8:
		return "; -to u1 leaves numbers as they are"
	case in.Type == slice1.Uint16:
		return "; -to u1 " + ratio(0xff, 0xffff) + " makes bytes of numbers up to 65535, -to u1 -scale 1 of those up to 255"
	}
	return "; -to u1 -scale 1 makes bytes of numbers from 0 to 255, other values of -scale and -bias of others"
}
