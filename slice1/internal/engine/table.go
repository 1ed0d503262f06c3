package engine

import (
	"math"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// words returns n words of *room, which grows if need be.
func words(room *[]uint64, n int) []uint64 {
	if len(*room) < n {
		*room = make([]uint64, n)
	}
	return (*room)[:n]
}

// store sets v's tables to what a table's numbers are as elements of type dst.
func store(table []float32, dst program.ElementType, room *[]uint64, v *Values) {
	v.Table = words(room, (len(table)*int(dst.Size())+7)/8)
	v.Tables = int64(len(table) / program.TableSize)
	elements := unsafe.Pointer(unsafe.SliceData(v.Table))
	if dst == program.Float32 {
		copy(unsafe.Slice((*float32)(elements), len(table)), table)
		return
	}
	portable.Narrow(elements, table, dst)
}

// productAndSum sets v's scale and bias to those that make all numbers of a table, bit by bit. It
// reports whether there are such values. A product and a sum take less time than a table.
//
//	table[x] = float32(scale*x) + bias
func productAndSum(table []float32, room *[]uint64, v *Values) bool {
	n := len(table) / program.TableSize
	if s, b := scaleOf(table); !equals(table, s, b) {
		return false // most tables end here
	}
	values := unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(words(room, n)))), 2*n)
	for i := range n {
		t := table[program.TableSize*i:][:program.TableSize]
		s, b := scaleOf(t)
		if !equals(t, s, b) {
			return false
		}
		values[i], values[n+i] = s, b
	}
	v.Scale, v.Bias = values[:n], values[n:]
	return true
}

// scaleOf returns the scale and the bias that make a table, if any do: entry x is scale*x + bias.
// For example, entries 1, 3, 5, ... have the scale 2 and the bias 1. Entry 0 is the bias. A larger
// scale makes no entry smaller, since rounding does not change an order. So the scale is found by
// bisection of all floats in their order: the first entry that a scale makes wrong says whether
// that scale is too small or too large. Two floats may be 2^32 places apart, more than an int holds
// on some hosts.
func scaleOf(table []float32) (scale, bias float32) {
	bias = table[0]
	low, high := int64(-0x7f800000), int64(0x7f800000) // places of floats in their order
	for low < high {
		middle := low + (high-low)/2
		scale = floatAt(middle)
		switch x := wrong(table, scale, bias); {
		case x < 0:
			return scale, bias
		case float32(scale*float32(x))+bias < table[x]:
			low = middle + 1
		default:
			high = middle
		}
	}
	return scale, bias
}

// floatAt returns number i of the floats in ascending order. Number 0 is 0.
func floatAt(i int64) float32 {
	if i < 0 {
		return -math.Float32frombits(uint32(-i))
	}
	return math.Float32frombits(uint32(i))
}

// wrong returns the last entry from 1 on that a scale and a bias do not make, or -1.
func wrong(table []float32, scale, bias float32) int {
	for x := program.TableSize - 1; x > 0; x-- {
		if float32(scale*float32(x))+bias != table[x] {
			return x
		}
	}
	return -1
}

// equals reports whether a scale and a bias make a table, bit by bit.
func equals(table []float32, scale, bias float32) bool {
	for x := range program.TableSize {
		if math.Float32bits(float32(scale*float32(x))+bias) != math.Float32bits(table[x]) {
			return false
		}
	}
	return true
}
