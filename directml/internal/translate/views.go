package translate

import (
	"math"

	"github.com/seed2e45c115/dml/slice1"
)

// VendorQualcomm is the vendor number that DXGI gives for Qualcomm's Adreno adapters.
const VendorQualcomm = 0x4D4F4351

// mostElements returns the most elements of type t that CheckViews lets an adapter's view of
// a buffer have.
//
// Direct3D 12 guarantees 2^27 (D3D12_REQ_BUFFER_RESOURCE_TEXEL_COUNT_2_TO_EXP), whatever an
// element's size, and has no way to ask whether an adapter sees more. Beyond what an adapter
// sees, reads give zeros and writes are lost, without an error. Adreno sees 2^27. DirectML
// views elements of 1 and 2 bytes as texels, of which several other vendors' adapters are
// known to see 2^29. It views larger elements as structures, of which programs of Microsoft
// use more than are guaranteed: for these the limit is DirectML's own.
func mostElements(t slice1.DataType, vendor uint32) int64 {
	switch {
	case vendor == VendorQualcomm:
		return 1 << 27
	case t.Size() <= 2:
		return 1 << 29
	default:
		return math.MaxUint32
	}
}

// CheckViews returns ErrOverflow if the input or the output has more elements, up to its
// total size, than mostElements allows on adapters of the vendor.
func (op *Operator) CheckViews(vendor uint32) error {
	most := mostElements(op.DataType, vendor)
	for _, side := range [...]struct {
		field string
		total uint64
	}{{"Input.Sizes", op.In.Total}, {"Output.Sizes", op.Out.Total}} {
		if got := int64(side.total) / int64(op.DataType.Size()); got > most {
			return &slice1.DescError{Field: side.field, Axis: -1, Got: got, Limit: most, Err: slice1.ErrOverflow}
		}
	}
	return nil
}
