package slice1

import "github.com/seed2e45c115/dml/slice1/dtype"

// DataType names the element type of a tensor. The values are those of
// DML_TENSOR_DATA_TYPE. Elements are opaque bits to a slice: only the size of
// the type matters, and every bit pattern, signalling NaNs included, survives.
type DataType = dtype.DataType

// The data types of SLICE1, eleven in all.
const (
	Float32 = dtype.Float32
	Float16 = dtype.Float16
	Uint32  = dtype.Uint32
	Uint16  = dtype.Uint16
	Uint8   = dtype.Uint8
	Int32   = dtype.Int32
	Int16   = dtype.Int16
	Int8    = dtype.Int8
	Float64 = dtype.Float64
	Uint64  = dtype.Uint64
	Int64   = dtype.Int64
)

// FeatureLevel is a DirectML feature level, with the numeric values of DML_FEATURE_LEVEL.
// Each level includes those below it.
type FeatureLevel = dtype.FeatureLevel

// The feature levels. SLICE1 exists from 2.1 on. A level above 6.4 is taken to include 6.4.
const (
	FeatureLevel1_0 = dtype.FeatureLevel1_0
	FeatureLevel2_0 = dtype.FeatureLevel2_0
	FeatureLevel2_1 = dtype.FeatureLevel2_1 // SLICE1 of rank 4 and 5, types of up to 4 bytes
	FeatureLevel3_0 = dtype.FeatureLevel3_0 // SLICE1 of rank 1 to 8
	FeatureLevel3_1 = dtype.FeatureLevel3_1
	FeatureLevel4_0 = dtype.FeatureLevel4_0
	FeatureLevel4_1 = dtype.FeatureLevel4_1 // SLICE1 of types of 8 bytes, too
	FeatureLevel5_0 = dtype.FeatureLevel5_0
	FeatureLevel5_1 = dtype.FeatureLevel5_1
	FeatureLevel5_2 = dtype.FeatureLevel5_2
	FeatureLevel6_0 = dtype.FeatureLevel6_0
	FeatureLevel6_1 = dtype.FeatureLevel6_1
	FeatureLevel6_2 = dtype.FeatureLevel6_2
	FeatureLevel6_3 = dtype.FeatureLevel6_3
	FeatureLevel6_4 = dtype.FeatureLevel6_4
)
