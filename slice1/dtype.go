package slice1

import "github.com/seed2e45c115/dml/slice1/dtype"

// DataType names the type of a tensor's elements by DML_TENSOR_DATA_TYPE's values. Elements are opaque
// bits to a slice: signalling NaNs survive.
type DataType = dtype.DataType

// The data types of SLICE1.
const (
	Float16, Float32, Float64     = dtype.Float16, dtype.Float32, dtype.Float64
	Uint8, Uint16, Uint32, Uint64 = dtype.Uint8, dtype.Uint16, dtype.Uint32, dtype.Uint64
	Int8, Int16, Int32, Int64     = dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64
)

// FeatureLevel is one of DML_FEATURE_LEVEL. Each includes those below it.
type FeatureLevel = dtype.FeatureLevel

// The feature levels. SLICE1 exists from 2.1 on, with ranks 1 to 8 from 3.0, with types of 8 bytes
// from 4.1. A level above 6.4 is taken to include 6.4.
const (
	FeatureLevel1_0, FeatureLevel2_0, FeatureLevel2_1 = dtype.FeatureLevel1_0, dtype.FeatureLevel2_0, dtype.FeatureLevel2_1
	FeatureLevel3_0, FeatureLevel3_1                  = dtype.FeatureLevel3_0, dtype.FeatureLevel3_1
	FeatureLevel4_0, FeatureLevel4_1                  = dtype.FeatureLevel4_0, dtype.FeatureLevel4_1
	FeatureLevel5_0, FeatureLevel5_1, FeatureLevel5_2 = dtype.FeatureLevel5_0, dtype.FeatureLevel5_1, dtype.FeatureLevel5_2
	FeatureLevel6_0, FeatureLevel6_1, FeatureLevel6_2 = dtype.FeatureLevel6_0, dtype.FeatureLevel6_1, dtype.FeatureLevel6_2
	FeatureLevel6_3, FeatureLevel6_4                  = dtype.FeatureLevel6_3, dtype.FeatureLevel6_4
)
