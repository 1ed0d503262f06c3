//go:build !(386 || arm || mips || mipsle || wasm)

package directml

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// Sizes and offsets as the C compilers for 64-bit Windows lay the headers'
// structures out.
func TestStructuresLieAsTheHeadersSay(t *testing.T) {
	var (
		buffer   bufferTensorDesc
		tensor   tensorDesc
		slice    slice1OperatorDesc
		operator operatorDesc
		table    bindingTableDesc
		binding  bufferBinding
		bind     bindingDesc
		props    bindingProperties
		levels   featureLevelsQuery
		queue    commandQueueDesc
		heap     heapProperties
		resource resourceDesc
		barrier  transitionBarrier
		descs    descriptorHeapDesc
		bytes    byteRange
		adapter  adapterDesc
		id       guid
	)
	for name, c := range map[string]struct{ want, got []uintptr }{
		"DML_BUFFER_TENSOR_DESC": {[]uintptr{48, 0, 4, 8, 16, 24, 32, 40}, []uintptr{unsafe.Sizeof(buffer),
			unsafe.Offsetof(buffer.dataType), unsafe.Offsetof(buffer.flags), unsafe.Offsetof(buffer.dimensionCount), unsafe.Offsetof(buffer.sizes),
			unsafe.Offsetof(buffer.strides), unsafe.Offsetof(buffer.totalSize), unsafe.Offsetof(buffer.baseAlignment)}},
		"DML_TENSOR_DESC": {[]uintptr{16, 0, 8}, []uintptr{unsafe.Sizeof(tensor), unsafe.Offsetof(tensor.kind), unsafe.Offsetof(tensor.desc)}},
		"DML_SLICE1_OPERATOR_DESC": {[]uintptr{48, 0, 8, 16, 24, 32, 40}, []uintptr{unsafe.Sizeof(slice),
			unsafe.Offsetof(slice.input), unsafe.Offsetof(slice.output), unsafe.Offsetof(slice.dimensionCount),
			unsafe.Offsetof(slice.offsets), unsafe.Offsetof(slice.sizes), unsafe.Offsetof(slice.strides)}},
		"DML_OPERATOR_DESC": {[]uintptr{16, 0, 8}, []uintptr{unsafe.Sizeof(operator), unsafe.Offsetof(operator.kind), unsafe.Offsetof(operator.desc)}},
		"DML_BINDING_TABLE_DESC": {[]uintptr{32, 0, 8, 16, 24}, []uintptr{unsafe.Sizeof(table),
			unsafe.Offsetof(table.dispatchable), unsafe.Offsetof(table.cpuHandle), unsafe.Offsetof(table.gpuHandle), unsafe.Offsetof(table.size)}},
		"DML_BUFFER_BINDING": {[]uintptr{24, 0, 8, 16}, []uintptr{unsafe.Sizeof(binding),
			unsafe.Offsetof(binding.buffer), unsafe.Offsetof(binding.offset), unsafe.Offsetof(binding.size)}},
		"DML_BINDING_DESC": {[]uintptr{16, 0, 8}, []uintptr{unsafe.Sizeof(bind), unsafe.Offsetof(bind.kind), unsafe.Offsetof(bind.desc)}},
		"DML_BINDING_PROPERTIES": {[]uintptr{24, 0, 8, 16}, []uintptr{unsafe.Sizeof(props),
			unsafe.Offsetof(props.descriptors), unsafe.Offsetof(props.temporary), unsafe.Offsetof(props.persists)}},
		"DML_FEATURE_QUERY_FEATURE_LEVELS": {[]uintptr{16, 0, 8}, []uintptr{unsafe.Sizeof(levels), unsafe.Offsetof(levels.count), unsafe.Offsetof(levels.levels)}},
		"D3D12_COMMAND_QUEUE_DESC": {[]uintptr{16, 0, 4, 8, 12}, []uintptr{unsafe.Sizeof(queue),
			unsafe.Offsetof(queue.kind), unsafe.Offsetof(queue.priority), unsafe.Offsetof(queue.flags), unsafe.Offsetof(queue.nodeMask)}},
		"D3D12_HEAP_PROPERTIES": {[]uintptr{20, 0, 4, 8, 12, 16}, []uintptr{unsafe.Sizeof(heap),
			unsafe.Offsetof(heap.kind), unsafe.Offsetof(heap.cpuPageProperty), unsafe.Offsetof(heap.memoryPool),
			unsafe.Offsetof(heap.creationNodes), unsafe.Offsetof(heap.visibleNodes)}},
		"D3D12_RESOURCE_DESC": {[]uintptr{56, 0, 8, 16, 24, 28, 30, 32, 36, 40, 44, 48}, []uintptr{unsafe.Sizeof(resource),
			unsafe.Offsetof(resource.dimension), unsafe.Offsetof(resource.alignment), unsafe.Offsetof(resource.width), unsafe.Offsetof(resource.height),
			unsafe.Offsetof(resource.depth), unsafe.Offsetof(resource.mipLevels), unsafe.Offsetof(resource.format), unsafe.Offsetof(resource.samples),
			unsafe.Offsetof(resource.quality), unsafe.Offsetof(resource.layout), unsafe.Offsetof(resource.flags)}},
		"D3D12_RESOURCE_BARRIER": {[]uintptr{32, 0, 4, 8, 16, 20, 24}, []uintptr{unsafe.Sizeof(barrier),
			unsafe.Offsetof(barrier.kind), unsafe.Offsetof(barrier.flags), unsafe.Offsetof(barrier.resource),
			unsafe.Offsetof(barrier.subresource), unsafe.Offsetof(barrier.before), unsafe.Offsetof(barrier.after)}},
		"D3D12_DESCRIPTOR_HEAP_DESC": {[]uintptr{16, 0, 4, 8, 12}, []uintptr{unsafe.Sizeof(descs),
			unsafe.Offsetof(descs.kind), unsafe.Offsetof(descs.count), unsafe.Offsetof(descs.flags), unsafe.Offsetof(descs.nodeMask)}},
		"D3D12_RANGE": {[]uintptr{16, 0, 8}, []uintptr{unsafe.Sizeof(bytes), unsafe.Offsetof(bytes.begin), unsafe.Offsetof(bytes.end)}},
		"DXGI_ADAPTER_DESC1": {[]uintptr{312, 0, 256, 260, 264, 268, 272, 280, 288, 296, 300, 304}, []uintptr{unsafe.Sizeof(adapter),
			unsafe.Offsetof(adapter.description), unsafe.Offsetof(adapter.vendor), unsafe.Offsetof(adapter.device), unsafe.Offsetof(adapter.subsystem),
			unsafe.Offsetof(adapter.revision), unsafe.Offsetof(adapter.dedicatedVideo), unsafe.Offsetof(adapter.dedicatedSystem),
			unsafe.Offsetof(adapter.shared), unsafe.Offsetof(adapter.luidLow), unsafe.Offsetof(adapter.luidHigh), unsafe.Offsetof(adapter.flags)}},
		"GUID": {[]uintptr{16, 0, 4, 6, 8}, []uintptr{unsafe.Sizeof(id),
			unsafe.Offsetof(id.data1), unsafe.Offsetof(id.data2), unsafe.Offsetof(id.data3), unsafe.Offsetof(id.data4)}},
	} {
		assert.Equal(t, c.want, c.got, "%s: size, then the fields' offsets", name)
	}
}

// What needs more than DirectML's 32 bits once elements are split.
func TestPairsStayWithin32Bits(t *testing.T) {
	old := capability{slice1.FeatureLevel4_0, narrowTypes}
	one := func(n int) *slice1.Desc {
		d := whole(slice1.Int64, n)
		d.WindowSizes, d.Output.Sizes = []int{1}, []int{1}
		return d
	}
	d := one(1<<31 - 1)
	op, err := translate(d, old)
	require.NoError(t, err)
	require.NoError(t, op.desc().ValidateFor(old.level))
	for name, d := range map[string]*slice1.Desc{
		"elements":         one(1 << 31),
		"input extent":     {Input: slice1.TensorDesc{DataType: 11, Sizes: []int{2}, Strides: []int{1 << 31}}},
		"broadcast count":  {Input: slice1.TensorDesc{DataType: 11, Sizes: []int{1 << 31}, Strides: []int{0}}},
		"padding, outside": {Input: slice1.TensorDesc{DataType: 11, Sizes: []int{2}}, Output: slice1.TensorDesc{DataType: 11, Sizes: []int{2}, Strides: []int{1 << 31}}},
	} {
		if d.WindowSizes == nil {
			d.WindowOffsets, d.WindowSizes, d.WindowStrides = []int{0}, []int{2}, []int{1}
			if d.Output.Sizes == nil {
				d.Output = slice1.TensorDesc{DataType: 11, Sizes: []int{2}}
			}
		}
		require.NoError(t, d.ValidateFor(slice1.FeatureLevel6_4), name)
		_, err := translate(d, old)
		assert.ErrorIs(t, err, slice1.ErrOverflow, name)
		op, err := translate(d, capabilities[4])
		require.NoError(t, err, name)
		require.NoError(t, op.desc().ValidateFor(slice1.FeatureLevel6_4), name)
	}
}

// Descriptors at DirectML's limits keep within them when translated.
func TestLimitsSurviveTranslation(t *testing.T) {
	for name, d := range map[string]*slice1.Desc{
		"2^32-4 bytes":              whole(slice1.Uint8, 1<<32-4),
		"2^32-1 floats":             whole(slice1.Float32, 1<<32-1),
		"2^16-1 by 2^16 floats":     whole(slice1.Float32, 1<<16-1, 1<<16),
		"2^32-1 doubles":            whole(slice1.Float64, 1<<32-1),
		"stride 2^32-1, extent 1":   {Input: slice1.TensorDesc{DataType: 1, Sizes: []int{1, 2}, Strides: []int{1<<32 - 1, 1<<32 - 2}}},
		"stride 2^32-2, extent 2":   {Input: slice1.TensorDesc{DataType: 1, Sizes: []int{1, 2}, Strides: []int{0, 1<<32 - 2}}},
		"window stride -2^31":       {Input: slice1.TensorDesc{DataType: 1, Sizes: []int{1<<31 + 1, 1}}, WindowStrides: []int{-1 << 31, 1}},
		"window stride 2^31-1":      {Input: slice1.TensorDesc{DataType: 1, Sizes: []int{1 << 31, 1}}, WindowStrides: []int{1<<31 - 1, 1}},
		"window stride past extent": {Input: slice1.TensorDesc{DataType: 1, Sizes: []int{8, 1}}, WindowStrides: []int{-1 << 31, 1}},
	} {
		if d.WindowSizes == nil {
			d.WindowOffsets, d.WindowSizes = []int{0, 0}, d.Input.Sizes
			out := make([]int, 2)
			if d.WindowStrides == nil {
				d.WindowStrides = []int{1, 1}
			}
			for i, n := range d.Input.Sizes {
				out[i] = 1 + (n-1)/max(d.WindowStrides[i], -d.WindowStrides[i])
			}
			d.Output = slice1.TensorDesc{DataType: 1, Sizes: out}
		}
		require.NoError(t, d.ValidateFor(slice1.FeatureLevel6_4), name)
		for _, level := range []slice1.FeatureLevel{slice1.FeatureLevel2_1, slice1.FeatureLevel6_4} {
			if d.Input.DataType.Size() == 8 && level == slice1.FeatureLevel2_1 {
				continue
			}
			op, err := translate(d, capability{level, allTypes})
			require.NoError(t, err, name)
			require.NoError(t, op.desc().ValidateFor(level), "%s: %v", name, &op)
		}
	}
}
