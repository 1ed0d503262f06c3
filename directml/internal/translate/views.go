package translate

import (
	"math"

	"github.com/seed2e45c115/dml/slice1"
)

// VendorQualcomm is the PCI vendor number that DXGI gives for Adreno adapters.
const VendorQualcomm = 0x4D4F4351

// mostElements returns how many elements an adapter's view of a buffer can have.
//
// Direct3D 12 guarantees 2^27 (D3D12_REQ_BUFFER_RESOURCE_TEXEL_COUNT_2_TO_EXP),
// whatever an element's size, and has no way to ask for more. Beyond, reads give
// zeros and writes are lost without an error. Adreno stops there. DirectML views
// elements of 1 and 2 bytes as texels, and other adapters are known to take 2^29 of
// those. It views larger elements as structures, and Microsoft's own users have it
// view more of them than are guaranteed.
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

// CheckViews returns an error if an adapter would see only a part of a tensor.
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
