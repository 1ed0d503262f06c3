package directml

import (
	"github.com/seed2e45c115/dml/slice1"
)

// Structures and values as 64-bit Windows lays them out, from DirectML.h,
// d3d12.h, dxgi.h and dxgi1_6.h of the Windows SDK 10.0.26100 (the same files
// are in microsoft/DirectX-Headers). Fields of Go's structs fall on the same
// offsets there, which the tests assert. Pointers that these structures hold
// are Go pointers, never uintptr, so that the garbage collector sees them.

// A comObject is a COM object's memory, which belongs to a DLL. It starts with
// the pointer to the table of its methods.
type comObject struct{ methods *[64]uintptr }

type guid struct {
	data1        uint32
	data2, data3 uint16
	data4        [8]byte
}

// newGUID parses the usual text form, "6dbd6437-96fd-423f-a98c-ae5e7c2a573f".
func newGUID(text string) *guid {
	var b [16]byte
	digits := 0
	for _, c := range []byte(text) {
		v := c - '0'
		switch {
		case c == '-':
			continue
		case c >= 'a':
			v = c - 'a' + 10
		}
		b[digits/2] = b[digits/2]<<4 | v
		digits++
	}
	return &guid{
		data1: uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3]),
		data2: uint16(b[4])<<8 | uint16(b[5]),
		data3: uint16(b[6])<<8 | uint16(b[7]),
		data4: [8]byte(b[8:]),
	}
}

// DirectML.h.

const (
	operatorSlice1 = 111 // DML_OPERATOR_SLICE1

	tensorBuffer = 1 // DML_TENSOR_TYPE_BUFFER

	featureDataType = 0 // DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT
	featureLevels   = 1 // DML_FEATURE_FEATURE_LEVELS

	createDeviceDebug = 1 // DML_CREATE_DEVICE_FLAG_DEBUG

	bindingBuffer = 1 // DML_BINDING_TYPE_BUFFER

	// baseAlignment is what every tensor's GuaranteedBaseOffsetAlignment
	// promises. All are bound at offset 0 of buffers that start at multiples of
	// 64 KiB; DirectML asks for 16 and recommends 32 or more.
	baseAlignment = 256
)

type bufferTensorDesc struct {
	dataType       slice1.DataType
	flags          uint32
	dimensionCount uint32
	sizes, strides *uint32
	totalSize      uint64
	baseAlignment  uint32
}

type tensorDesc struct {
	kind uint32
	desc *bufferTensorDesc
}

type slice1OperatorDesc struct {
	input, output  *tensorDesc
	dimensionCount uint32
	offsets, sizes *uint32
	strides        *int32
}

type operatorDesc struct {
	kind uint32
	desc *slice1OperatorDesc
}

type bindingTableDesc struct {
	dispatchable *comObject
	cpuHandle    uintptr
	gpuHandle    uint64
	size         uint32 // descriptors
}

type bufferBinding struct {
	buffer       *comObject
	offset, size uint64
}

type bindingDesc struct {
	kind uint32
	desc *bufferBinding
}

type bindingProperties struct {
	descriptors         uint32
	temporary, persists uint64
}

type featureLevelsQuery struct {
	count  uint32
	levels *slice1.FeatureLevel
}

// operatorCall is all that CreateOperator reads, in one piece of memory.
type operatorCall struct {
	desc      operatorDesc
	slice     slice1OperatorDesc
	in, out   tensorDesc
	inBuffer  bufferTensorDesc
	outBuffer bufferTensorDesc
	op        operator
}

func newOperatorCall(op *operator) *operatorCall {
	c := &operatorCall{op: *op}
	tensor := func(desc *tensorDesc, buffer *bufferTensorDesc, t *tensor) {
		*buffer = bufferTensorDesc{
			dataType: op.dataType, dimensionCount: op.rank,
			sizes: &t.sizes[0], strides: &t.strides[0],
			totalSize: t.total, baseAlignment: baseAlignment,
		}
		*desc = tensorDesc{tensorBuffer, buffer}
	}
	tensor(&c.in, &c.inBuffer, &c.op.in)
	tensor(&c.out, &c.outBuffer, &c.op.out)
	c.slice = slice1OperatorDesc{
		input: &c.in, output: &c.out, dimensionCount: op.rank,
		offsets: &c.op.offsets[0], sizes: &c.op.windows[0], strides: &c.op.steps[0],
	}
	c.desc = operatorDesc{operatorSlice1, &c.slice}
	return c
}

// d3d12.h and d3dcommon.h.

const (
	featureLevel11_0 = 0xB000 // D3D_FEATURE_LEVEL_11_0, the least Direct3D 12 knows

	listCompute = 2 // D3D12_COMMAND_LIST_TYPE_COMPUTE

	queueNoTimeout = 1 // D3D12_COMMAND_QUEUE_FLAG_DISABLE_GPU_TIMEOUT

	heapDefault  = 1 // D3D12_HEAP_TYPE_DEFAULT
	heapUpload   = 2 // D3D12_HEAP_TYPE_UPLOAD
	heapReadback = 3 // D3D12_HEAP_TYPE_READBACK

	resourceBuffer       = 1   // D3D12_RESOURCE_DIMENSION_BUFFER
	layoutRowMajor       = 1   // D3D12_TEXTURE_LAYOUT_ROW_MAJOR
	allowUnorderedAccess = 0x4 // D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS

	stateCommon          = 0     // D3D12_RESOURCE_STATE_COMMON
	stateUnorderedAccess = 0x8   // D3D12_RESOURCE_STATE_UNORDERED_ACCESS
	stateCopyDest        = 0x400 // D3D12_RESOURCE_STATE_COPY_DEST
	stateCopySource      = 0x800 // D3D12_RESOURCE_STATE_COPY_SOURCE
	stateGenericRead     = 0xAC3 // D3D12_RESOURCE_STATE_GENERIC_READ

	barrierTransition = 0          // D3D12_RESOURCE_BARRIER_TYPE_TRANSITION
	allSubresources   = 0xFFFFFFFF // D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES

	heapDescriptors      = 0 // D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV
	heapVisibleToShaders = 1 // D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE
)

type commandQueueDesc struct {
	kind     uint32
	priority int32
	flags    uint32
	nodeMask uint32
}

type heapProperties struct {
	kind, cpuPageProperty, memoryPool uint32
	creationNodes, visibleNodes       uint32
}

type resourceDesc struct {
	dimension        uint32
	alignment, width uint64
	height           uint32
	depth, mipLevels uint16
	format           uint32
	samples, quality uint32
	layout, flags    uint32
}

type transitionBarrier struct {
	kind, flags   uint32
	resource      *comObject
	subresource   uint32
	before, after uint32
}

type descriptorHeapDesc struct {
	kind, count, flags, nodeMask uint32
}

type byteRange struct{ begin, end uintptr }

// dxgi.h and dxgi1_6.h.

const (
	createFactoryDebug = 1 // DXGI_CREATE_FACTORY_DEBUG

	adapterSoftware = 2 // DXGI_ADAPTER_FLAG_SOFTWARE

	// Microsoft's Basic Render Driver, at times listed without that flag.
	vendorMicrosoft   = 0x1414
	deviceBasicRender = 0x8C
)

type adapterDesc struct {
	description                             [128]uint16
	vendor, device, subsystem, revision     uint32
	dedicatedVideo, dedicatedSystem, shared uintptr
	luidLow                                 uint32
	luidHigh                                int32
	flags                                   uint32
}

func (d *adapterDesc) software() bool {
	return d.flags&adapterSoftware != 0 || d.vendor == vendorMicrosoft && d.device == deviceBasicRender
}

// Interface identifiers, from the headers' MIDL_INTERFACE lines.
var (
	iidDMLDevice           = newGUID("6dbd6437-96fd-423f-a98c-ae5e7c2a573f")
	iidDMLOperator         = newGUID("26caae7a-3081-4633-9581-226fbe57695d")
	iidDMLCompiledOperator = newGUID("6b15e56a-bf5c-4902-92d8-da3a650afea4")
	iidDMLInitializer      = newGUID("427c1113-435c-469c-8676-4d5dd072f813")
	iidDMLBindingTable     = newGUID("29c687dc-de74-4e3b-ab00-1168f2fc3cfc")
	iidDMLRecorder         = newGUID("e6857a76-2e3e-4fdd-bff4-5d2ba10fb453")

	iidD3D12Device           = newGUID("189819f1-1db6-4b57-be54-1821339b85f7")
	iidD3D12CommandQueue     = newGUID("0ec870a6-5d7e-4c22-8cfc-5baae07616ed")
	iidD3D12CommandAllocator = newGUID("6102dee4-af59-4b09-b999-b44d73f09b24")
	iidD3D12GraphicsList     = newGUID("5b160d0f-ac1b-4185-8ba8-b3ae42a5a455")
	iidD3D12Resource         = newGUID("696442be-a72e-4059-bc79-5b5c98040fad")
	iidD3D12DescriptorHeap   = newGUID("8efb471d-616c-4f49-90f7-127bb763fa51")
	iidD3D12Fence            = newGUID("0a753dcf-c4d8-4b91-adf6-be5a60d95a76")
	iidD3D12Debug            = newGUID("344488b7-6846-474b-b989-f027448245e0")

	iidDXGIFactory4 = newGUID("1bc6ea02-ef36-464f-bf0c-21ca39e5168a")
	iidDXGIFactory6 = newGUID("c1b6694f-ff09-44a9-b03c-77900a0a1d17")
	iidDXGIAdapter1 = newGUID("29038f61-3839-4626-91fd-086879011a05")
)
