package directml

import (
	"fmt"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
)

// list tracks the states of buffers in a command list, by the rules on resource barriers in
// Direct3D's documentation. When a list starts, buffers of the default heap are in COMMON. The
// first use of a buffer promotes it. After that, another state needs a barrier, and the barrier
// must name the state that the buffer is in. Buffers of upload and readback heaps keep one state.
type list struct {
	states map[uintptr]uint32 // by the buffer's address
	faults []string           // what the documentation forbids
}

func (l *list) fault(format string, args ...any) {
	l.faults = append(l.faults, fmt.Sprintf(format, args...))
}

// use records a use of a buffer, of the given kind of heap, that needs a state. If the buffer
// cannot be in that state, use records a fault.
func (l *list) use(buffer uintptr, heap, state uint32) {
	switch {
	case heap == d3d.HeapUpload && state == d3d.StateCopySource, heap == d3d.HeapReadback && state == d3d.StateCopyDest:
	case heap != d3d.HeapDefault:
		l.fault("state %#x of a buffer of heap %d", state, heap)
	case l.states[buffer] == d3d.StateCommon:
		l.states[buffer] = state
	case l.states[buffer] != state:
		l.fault("used as %#x, is %#x", state, l.states[buffer])
	}
}

// transition records a barrier that takes a buffer from one state to another. It records a fault if
// the heap is not the default one, if the states are equal, or if the buffer is not in the first
// state.
func (l *list) transition(buffer uintptr, heap, before, after uint32) {
	if heap != d3d.HeapDefault || before == after || l.states[buffer] != before {
		l.fault("barrier of heap %d from %#x to %#x, is %#x", heap, before, after, l.states[buffer])
	}
	l.states[buffer] = after
}

// view is an unordered access view of a buffer.
type view struct {
	buffer        uintptr
	format        uint32
	dimension     uint32
	first         uint64
	elements      uint32
	stride        uint32 // of structures, in bytes; 0 for a view with a format
	counterOffset uint64
	flags         uint32
}

// Formats of views, from dxgiformat.h.
const (
	formatNone = 0
	formatR16  = 57 // DXGI_FORMAT_R16_UINT
	formatR8   = 62 // DXGI_FORMAT_R8_UINT
)

// fault returns what is wrong with a view of a buffer of the given number of bytes, or "". A view
// is right if DirectML makes such views for slices and the documentation allows it.
func (v *view) fault(bytes uint64) string {
	size := uint64(v.stride)
	switch {
	case v.format == formatR8 && v.stride == 0:
		size = 1
	case v.format == formatR16 && v.stride == 0:
		size = 2
	case v.format == formatNone && (v.stride == 4 || v.stride == 8):
	default:
		return fmt.Sprintf("format %d with a stride of %d", v.format, v.stride)
	}
	switch {
	case v.dimension != 1: // D3D12_UAV_DIMENSION_BUFFER
		return fmt.Sprintf("dimension %d", v.dimension)
	case v.elements == 0 || v.elements > 1<<27: // D3D12_REQ_BUFFER_RESOURCE_TEXEL_COUNT_2_TO_EXP
		return fmt.Sprintf("%d elements", v.elements)
	case (v.first+uint64(v.elements))*size > bytes:
		return fmt.Sprintf("%d elements of %d bytes from %d on, of %d bytes", v.elements, size, v.first, bytes)
	case v.counterOffset != 0 || v.flags != 0:
		return fmt.Sprintf("flags %#x, counter at %d", v.flags, v.counterOffset)
	}
	return ""
}
