package d3d

import (
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// Structures and values in the layout of 64-bit Windows. Their source is DirectML.h, d3d12.h,
// d3dcommon.h, dxgi.h and dxgi1_6.h of the Windows SDK 10.0.26100. On 64-bit systems the fields of
// Go's structs have the same offsets. The tests assert that. Pointers in these structures are Go
// pointers and not uintptr, so that the garbage collector sees them.

// COM is the memory of a COM object. The memory belongs to a DLL. It starts with the pointer to the
// table of the object's methods. The table may have fewer slots than Go's type says.
type COM struct{ Methods *[64]uintptr }

// GUID names an interface.
type GUID struct {
	data1        uint32
	data2, data3 uint16
	data4        [8]byte
}

// NewGUID parses the usual text form, "6dbd6437-96fd-423f-a98c-ae5e7c2a573f". It does not check it.
func NewGUID(text string) *GUID {
	b, _ := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	return &GUID{binary.BigEndian.Uint32(b), binary.BigEndian.Uint16(b[4:]), binary.BigEndian.Uint16(b[6:]), [8]byte(b[8:])}
}

// Numbers of DirectML.h.
const (
	OperatorSlice1 = 111 // DML_OPERATOR_SLICE1

	TensorBuffer = 1 // DML_TENSOR_TYPE_BUFFER

	featureDataType = 0 // DML_FEATURE_TENSOR_DATA_TYPE_SUPPORT
	featureLevels   = 1 // DML_FEATURE_FEATURE_LEVELS

	createDeviceDebug = 1 // DML_CREATE_DEVICE_FLAG_DEBUG

	bindingBuffer = 1 // DML_BINDING_TYPE_BUFFER
)

// BufferTensorDesc is DML_BUFFER_TENSOR_DESC. Sizes and Strides point to DimensionCount
// numbers each, in elements. TotalSize and BaseAlignment are in bytes.
type BufferTensorDesc struct {
	DataType       slice1.DataType
	Flags          uint32
	DimensionCount uint32
	Sizes, Strides *uint32
	TotalSize      uint64
	BaseAlignment  uint32
}

// TensorDesc is DML_TENSOR_DESC of a TensorBuffer.
type TensorDesc struct {
	Kind uint32
	Desc *BufferTensorDesc
}

// Slice1Desc is DML_SLICE1_OPERATOR_DESC.
type Slice1Desc struct {
	Input, Output  *TensorDesc
	DimensionCount uint32
	Offsets, Sizes *uint32
	Strides        *int32
}

// OperatorDesc is DML_OPERATOR_DESC of an OperatorSlice1.
type OperatorDesc struct {
	Kind uint32
	Desc *Slice1Desc
}

// BindingTableDesc is DML_BINDING_TABLE_DESC.
type BindingTableDesc struct {
	Dispatchable *COM
	CPUHandle    uintptr
	GPUHandle    uint64
	Size         uint32 // descriptors
}

type bufferBinding struct {
	buffer       *COM
	offset, size uint64
}

type bindingDesc struct {
	kind uint32
	desc *bufferBinding
}

// BindingProperties is DML_BINDING_PROPERTIES: the number of descriptors that a dispatch
// needs, and the bytes of temporary and persistent memory.
type BindingProperties struct {
	Descriptors         uint32
	Temporary, Persists uint64
}

type featureLevelsQuery struct {
	count  uint32
	levels *slice1.FeatureLevel
}

// Numbers of d3d12.h and d3dcommon.h.
const (
	featureLevel11_0 = 0xB000 // D3D_FEATURE_LEVEL_11_0, the least that a graphics adapter has in Direct3D 12

	ListCompute = 2 // D3D12_COMMAND_LIST_TYPE_COMPUTE

	QueueNoTimeout = 1 // D3D12_COMMAND_QUEUE_FLAG_DISABLE_GPU_TIMEOUT

	HeapDefault  = 1 // D3D12_HEAP_TYPE_DEFAULT
	HeapUpload   = 2 // D3D12_HEAP_TYPE_UPLOAD
	HeapReadback = 3 // D3D12_HEAP_TYPE_READBACK

	heapNotZeroed = 0x1000 // D3D12_HEAP_FLAG_CREATE_NOT_ZEROED

	resourceBuffer       = 1   // D3D12_RESOURCE_DIMENSION_BUFFER
	layoutRowMajor       = 1   // D3D12_TEXTURE_LAYOUT_ROW_MAJOR
	allowUnorderedAccess = 0x4 // D3D12_RESOURCE_FLAG_ALLOW_UNORDERED_ACCESS

	StateCommon          = 0     // D3D12_RESOURCE_STATE_COMMON
	StateUnorderedAccess = 0x8   // D3D12_RESOURCE_STATE_UNORDERED_ACCESS
	StateCopyDest        = 0x400 // D3D12_RESOURCE_STATE_COPY_DEST
	StateCopySource      = 0x800 // D3D12_RESOURCE_STATE_COPY_SOURCE
	stateGenericRead     = 0xAC3 // D3D12_RESOURCE_STATE_GENERIC_READ

	BarrierTransition      = 0          // D3D12_RESOURCE_BARRIER_TYPE_TRANSITION
	barrierUnorderedAccess = 2          // D3D12_RESOURCE_BARRIER_TYPE_UAV, which reads only the buffer of the structure
	allSubresources        = 0xFFFFFFFF // D3D12_RESOURCE_BARRIER_ALL_SUBRESOURCES

	heapDescriptors      = 0 // D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV
	heapVisibleToShaders = 1 // D3D12_DESCRIPTOR_HEAP_FLAG_SHADER_VISIBLE
)

// QueueDesc is D3D12_COMMAND_QUEUE_DESC.
type QueueDesc struct {
	Kind     uint32
	Priority int32
	Flags    uint32
	NodeMask uint32
}

// HeapProperties is D3D12_HEAP_PROPERTIES.
type HeapProperties struct {
	Kind, CPUPageProperty, MemoryPool uint32
	CreationNodes, VisibleNodes       uint32
}

// ResourceDesc is D3D12_RESOURCE_DESC.
type ResourceDesc struct {
	Dimension        uint32
	Alignment, Width uint64
	Height           uint32
	Depth, MipLevels uint16
	Format           uint32
	Samples, Quality uint32
	Layout, Flags    uint32
}

// TransitionBarrier is D3D12_RESOURCE_BARRIER of the kind BarrierTransition.
type TransitionBarrier struct {
	Kind, Flags   uint32
	Resource      *COM
	Subresource   uint32
	Before, After uint32
}

type descriptorHeapDesc struct {
	kind, count, flags, nodeMask uint32
}

type byteRange struct{ begin, end uintptr }

// message is D3D12_MESSAGE of d3d12sdklayers.h.
type message struct {
	category, severity, id uint32
	description            *byte   // behind the structure
	length                 uintptr // of the description, including its final 0
}

// Numbers of dxgi.h and dxgi1_6.h.
const (
	createFactoryDebug = 1 // DXGI_CREATE_FACTORY_DEBUG

	adapterSoftware = 2 // DXGI_ADAPTER_FLAG_SOFTWARE

	// Microsoft's Basic Render Driver. It may be listed without adapterSoftware.
	vendorMicrosoft   = 0x1414
	deviceBasicRender = 0x8C
)

// AdapterDesc is DXGI_ADAPTER_DESC1.
type AdapterDesc struct {
	Description                             [128]uint16
	Vendor, Device, Subsystem, Revision     uint32
	DedicatedVideo, DedicatedSystem, Shared uintptr
	LUIDLow, LUIDHigh                       uint32
	Flags                                   uint32
}

// LUID returns the adapter's LUID as one number.
func (d *AdapterDesc) LUID() uint64 { return uint64(d.LUIDHigh)<<32 | uint64(d.LUIDLow) }

// IsSoftware reports whether the adapter has the flag of software adapters or is Microsoft's
// Basic Render Driver.
func (d *AdapterDesc) IsSoftware() bool {
	return d.Flags&adapterSoftware != 0 || d.Vendor == vendorMicrosoft && d.Device == deviceBasicRender
}

// Interface identifiers, from the headers' MIDL_INTERFACE lines.
var (
	iidDMLDevice           = NewGUID("6dbd6437-96fd-423f-a98c-ae5e7c2a573f")
	iidDMLOperator         = NewGUID("26caae7a-3081-4633-9581-226fbe57695d")
	iidDMLCompiledOperator = NewGUID("6b15e56a-bf5c-4902-92d8-da3a650afea4")
	iidDMLInitializer      = NewGUID("427c1113-435c-469c-8676-4d5dd072f813")
	iidDMLBindingTable     = NewGUID("29c687dc-de74-4e3b-ab00-1168f2fc3cfc")
	iidDMLRecorder         = NewGUID("e6857a76-2e3e-4fdd-bff4-5d2ba10fb453")

	iidD3D12Device           = NewGUID("189819f1-1db6-4b57-be54-1821339b85f7")
	iidD3D12CommandQueue     = NewGUID("0ec870a6-5d7e-4c22-8cfc-5baae07616ed")
	iidD3D12CommandAllocator = NewGUID("6102dee4-af59-4b09-b999-b44d73f09b24")
	iidD3D12GraphicsList     = NewGUID("5b160d0f-ac1b-4185-8ba8-b3ae42a5a455")
	iidD3D12Resource         = NewGUID("696442be-a72e-4059-bc79-5b5c98040fad")
	iidD3D12DescriptorHeap   = NewGUID("8efb471d-616c-4f49-90f7-127bb763fa51")
	iidD3D12Fence            = NewGUID("0a753dcf-c4d8-4b91-adf6-be5a60d95a76")
	iidD3D12Debug            = NewGUID("344488b7-6846-474b-b989-f027448245e0")
	iidD3D12InfoQueue        = NewGUID("0742a90b-c387-483f-b946-30a7e4e61458")

	iidDXGIFactory6 = NewGUID("c1b6694f-ff09-44a9-b03c-77900a0a1d17")
	iidDXGIAdapter1 = NewGUID("29038f61-3839-4626-91fd-086879011a05")
	iidDXGIDevice   = NewGUID("54ec77fa-1377-44e6-8c32-88fd5f44c84c")
)
