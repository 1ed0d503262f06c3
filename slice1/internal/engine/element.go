package engine

import (
	"github.com/seed2e45c115/dml/slice1/dtype"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// elementTypes maps a data type of DirectML to its type of numbers.
var elementTypes = [...]program.ElementType{dtype.Uint8: program.Uint8, dtype.Int8: program.Int8, dtype.Uint16: program.Uint16,
	dtype.Int16: program.Int16, dtype.Int32: program.Int32, dtype.Float32: program.Float32, dtype.Float16: program.Float16}

// ElementTypeOf returns t's type of numbers, or Opaque if conversions do not take t.
func ElementTypeOf(t dtype.DataType) program.ElementType {
	switch {
	case t == dtype.BFloat16:
		return program.BFloat16
	case uint64(t) < uint64(len(elementTypes)):
		return elementTypes[t]
	}
	return program.Opaque
}
