//go:build !(386 || arm || mips || mipsle || wasm)

package d3d

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// layouts has the size of each structure and the offsets of its fields. want is the layout of C
// compilers for 64-bit Windows, and got is Go's.
type layouts map[string]struct{ want, got []uintptr }

func (l layouts) check(t *testing.T) {
	t.Helper()
	for name, c := range l {
		assert.Equal(t, c.want, c.got, "%s: size, then the fields' offsets", name)
	}
}

func TestDirectMLsStructuresLieAsTheHeadersSay(t *testing.T) {
	var (
		buffer   BufferTensorDesc
		tensor   TensorDesc
		slice    Slice1Desc
		operator OperatorDesc
		table    BindingTableDesc
		binding  bufferBinding
		bind     bindingDesc
		props    BindingProperties
		levels   featureLevelsQuery
	)
	layouts{
		"DML_BUFFER_TENSOR_DESC": {[]uintptr{48, 0, 4, 8, 16, 24, 32, 40}, []uintptr{unsafe.Sizeof(buffer),
			unsafe.Offsetof(buffer.DataType), unsafe.Offsetof(buffer.Flags), unsafe.Offsetof(buffer.DimensionCount), unsafe.Offsetof(buffer.Sizes),
			unsafe.Offsetof(buffer.Strides), unsafe.Offsetof(buffer.TotalSize), unsafe.Offsetof(buffer.BaseAlignment)}},
		"DML_TENSOR_DESC": {[]uintptr{16, 0, 8}, []uintptr{unsafe.Sizeof(tensor), unsafe.Offsetof(tensor.Kind), unsafe.Offsetof(tensor.Desc)}},
		"DML_SLICE1_OPERATOR_DESC": {[]uintptr{48, 0, 8, 16, 24, 32, 40}, []uintptr{unsafe.Sizeof(slice),
			unsafe.Offsetof(slice.Input), unsafe.Offsetof(slice.Output), unsafe.Offsetof(slice.DimensionCount),
			unsafe.Offsetof(slice.Offsets), unsafe.Offsetof(slice.Sizes), unsafe.Offsetof(slice.Strides)}},
		"DML_OPERATOR_DESC": {[]uintptr{16, 0, 8}, []uintptr{unsafe.Sizeof(operator), unsafe.Offsetof(operator.Kind), unsafe.Offsetof(operator.Desc)}},
		"DML_BINDING_TABLE_DESC": {[]uintptr{32, 0, 8, 16, 24}, []uintptr{unsafe.Sizeof(table),
			unsafe.Offsetof(table.Dispatchable), unsafe.Offsetof(table.CPUHandle), unsafe.Offsetof(table.GPUHandle), unsafe.Offsetof(table.Size)}},
		"DML_BUFFER_BINDING": {[]uintptr{24, 0, 8, 16}, []uintptr{unsafe.Sizeof(binding),
			unsafe.Offsetof(binding.buffer), unsafe.Offsetof(binding.offset), unsafe.Offsetof(binding.size)}},
		"DML_BINDING_DESC": {[]uintptr{16, 0, 8}, []uintptr{unsafe.Sizeof(bind), unsafe.Offsetof(bind.kind), unsafe.Offsetof(bind.desc)}},
		"DML_BINDING_PROPERTIES": {[]uintptr{24, 0, 8, 16}, []uintptr{unsafe.Sizeof(props),
			unsafe.Offsetof(props.Descriptors), unsafe.Offsetof(props.Temporary), unsafe.Offsetof(props.Persists)}},
		"DML_FEATURE_QUERY_FEATURE_LEVELS": {[]uintptr{16, 0, 8}, []uintptr{unsafe.Sizeof(levels), unsafe.Offsetof(levels.count), unsafe.Offsetof(levels.levels)}},
	}.check(t)
}

func TestDirect3DsStructuresLieAsTheHeadersSay(t *testing.T) {
	var (
		queue    QueueDesc
		heap     HeapProperties
		resource ResourceDesc
		barrier  TransitionBarrier
		descs    descriptorHeapDesc
		bytes    byteRange
		adapter  AdapterDesc
		id       GUID
	)
	layouts{
		"D3D12_COMMAND_QUEUE_DESC": {[]uintptr{16, 0, 4, 8, 12}, []uintptr{unsafe.Sizeof(queue),
			unsafe.Offsetof(queue.Kind), unsafe.Offsetof(queue.Priority), unsafe.Offsetof(queue.Flags), unsafe.Offsetof(queue.NodeMask)}},
		"D3D12_HEAP_PROPERTIES": {[]uintptr{20, 0, 4, 8, 12, 16}, []uintptr{unsafe.Sizeof(heap),
			unsafe.Offsetof(heap.Kind), unsafe.Offsetof(heap.CPUPageProperty), unsafe.Offsetof(heap.MemoryPool),
			unsafe.Offsetof(heap.CreationNodes), unsafe.Offsetof(heap.VisibleNodes)}},
		"D3D12_RESOURCE_DESC": {[]uintptr{56, 0, 8, 16, 24, 28, 30, 32, 36, 40, 44, 48}, []uintptr{unsafe.Sizeof(resource),
			unsafe.Offsetof(resource.Dimension), unsafe.Offsetof(resource.Alignment), unsafe.Offsetof(resource.Width), unsafe.Offsetof(resource.Height),
			unsafe.Offsetof(resource.Depth), unsafe.Offsetof(resource.MipLevels), unsafe.Offsetof(resource.Format), unsafe.Offsetof(resource.Samples),
			unsafe.Offsetof(resource.Quality), unsafe.Offsetof(resource.Layout), unsafe.Offsetof(resource.Flags)}},
		"D3D12_RESOURCE_BARRIER": {[]uintptr{32, 0, 4, 8, 16, 20, 24}, []uintptr{unsafe.Sizeof(barrier),
			unsafe.Offsetof(barrier.Kind), unsafe.Offsetof(barrier.Flags), unsafe.Offsetof(barrier.Resource),
			unsafe.Offsetof(barrier.Subresource), unsafe.Offsetof(barrier.Before), unsafe.Offsetof(barrier.After)}},
		"D3D12_DESCRIPTOR_HEAP_DESC": {[]uintptr{16, 0, 4, 8, 12}, []uintptr{unsafe.Sizeof(descs),
			unsafe.Offsetof(descs.kind), unsafe.Offsetof(descs.count), unsafe.Offsetof(descs.flags), unsafe.Offsetof(descs.nodeMask)}},
		"D3D12_RANGE": {[]uintptr{16, 0, 8}, []uintptr{unsafe.Sizeof(bytes), unsafe.Offsetof(bytes.begin), unsafe.Offsetof(bytes.end)}},
		"DXGI_ADAPTER_DESC1": {[]uintptr{312, 0, 256, 260, 264, 268, 272, 280, 288, 296, 300, 304}, []uintptr{unsafe.Sizeof(adapter),
			unsafe.Offsetof(adapter.Description), unsafe.Offsetof(adapter.Vendor), unsafe.Offsetof(adapter.Device), unsafe.Offsetof(adapter.Subsystem),
			unsafe.Offsetof(adapter.Revision), unsafe.Offsetof(adapter.DedicatedVideo), unsafe.Offsetof(adapter.DedicatedSystem),
			unsafe.Offsetof(adapter.Shared), unsafe.Offsetof(adapter.LUIDLow), unsafe.Offsetof(adapter.LUIDHigh), unsafe.Offsetof(adapter.Flags)}},
		"GUID": {[]uintptr{16, 0, 4, 6, 8}, []uintptr{unsafe.Sizeof(id),
			unsafe.Offsetof(id.data1), unsafe.Offsetof(id.data2), unsafe.Offsetof(id.data3), unsafe.Offsetof(id.data4)}},
	}.check(t)
}
