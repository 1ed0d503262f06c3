//go:build amd64 || arm64

package d3d

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The slots of this file's methods are defined in d3d12.h and d3d12sdklayers.h.

// Device is an ID3D12Device.
type Device struct{ Object }

// CreateDevice opens an adapter of Direct3D's feature level 11.0 or later.
func CreateDevice(adapter Adapter) (d Device, err error) {
	create, err := systemProc("d3d12.dll", "D3D12CreateDevice")
	if err != nil {
		return d, err
	}
	err = d.made(invoke("D3D12CreateDevice", create, adapter.word(), featureLevel11_0,
		uintptr(unsafe.Pointer(iidD3D12Device)), uintptr(unsafe.Pointer(&d.P))))
	return d, err
}

// GetDebugInterface returns the ID3D12Debug of the process, which the caller releases. It
// fails unless Windows has its optional feature Graphics Tools.
func GetDebugInterface() (debug Object, err error) {
	get, err := systemProc("d3d12.dll", "D3D12GetDebugInterface")
	if err != nil {
		return debug, err
	}
	err = debug.made(invoke("D3D12GetDebugInterface", get, uintptr(unsafe.Pointer(iidD3D12Debug)), uintptr(unsafe.Pointer(&debug.P))))
	return debug, err
}

// EnableDebugLayer makes Direct3D 12 check all later calls of the process, and removes the devices
// that the process has. Later calls do nothing. It fails where GetDebugInterface fails.
var EnableDebugLayer = sync.OnceValue(func() error {
	debug, err := GetDebugInterface()
	if err == nil {
		debug.Call(3) // EnableDebugLayer
		debug.Release()
	}
	return err
})

// CreateQueue returns a queue for lists of compute work.
func (d Device) CreateQueue() (q Queue, err error) {
	// Without QueueNoTimeout, Windows would remove the device if work took seconds on a slow
	// adapter. Microsoft's own programs that use DirectML set the flag too.
	desc := QueueDesc{Kind: ListCompute, Flags: QueueNoTimeout}
	err = q.made(d.Try("ID3D12Device.CreateCommandQueue", 8, uintptr(unsafe.Pointer(&desc)),
		uintptr(unsafe.Pointer(iidD3D12CommandQueue)), uintptr(unsafe.Pointer(&q.P))))
	return q, err
}

// CreateAllocator returns an allocator of memory for the commands of a list of compute work.
func (d Device) CreateAllocator() (alloc Allocator, err error) {
	err = alloc.made(d.Try("ID3D12Device.CreateCommandAllocator", 9, ListCompute,
		uintptr(unsafe.Pointer(iidD3D12CommandAllocator)), uintptr(unsafe.Pointer(&alloc.P))))
	return alloc, err
}

// CreateList returns a list of compute work that is open and takes its memory from the allocator.
func (d Device) CreateList(allocator Allocator) (l List, err error) {
	err = l.made(d.Try("ID3D12Device.CreateCommandList", 12, 0, ListCompute, allocator.word(), 0,
		uintptr(unsafe.Pointer(iidD3D12GraphicsList)), uintptr(unsafe.Pointer(&l.P))))
	return l, err
}

// CreateDescriptorHeap returns a heap, visible to shaders, of count descriptors. count must
// be at least 1.
func (d Device) CreateDescriptorHeap(count uint32) (h DescriptorHeap, err error) {
	desc := descriptorHeapDesc{kind: heapDescriptors, count: count, flags: heapVisibleToShaders}
	err = h.made(d.Try("ID3D12Device.CreateDescriptorHeap", 14, uintptr(unsafe.Pointer(&desc)),
		uintptr(unsafe.Pointer(iidD3D12DescriptorHeap)), uintptr(unsafe.Pointer(&h.P))))
	return h, err
}

// DescriptorIncrement returns the distance from one descriptor of a heap to the next, in units of
// handles.
func (d Device) DescriptorIncrement() uint32 {
	return uint32(d.Call(15, heapDescriptors)) // GetDescriptorHandleIncrementSize
}

// CreateBuffer returns a buffer of size bytes in a heap of its own. heap is HeapDefault,
// HeapUpload or HeapReadback. The buffer starts in the state that Direct3D asks of that kind
// of heap. Its contents are undefined. Only a buffer of HeapDefault may be bound to operators.
func (d Device) CreateBuffer(heap uint32, size int64) (r Resource, err error) {
	properties := HeapProperties{Kind: heap, CreationNodes: 1, VisibleNodes: 1}
	desc := ResourceDesc{
		Dimension: resourceBuffer, Width: uint64(size), Height: 1, Depth: 1, MipLevels: 1,
		Samples: 1, Layout: layoutRowMajor,
	}
	state := uintptr(StateCommon)
	switch heap {
	case HeapDefault:
		desc.Flags = allowUnorderedAccess
	case HeapUpload:
		state = stateGenericRead
	case HeapReadback:
		state = StateCopyDest
	}
	// Windows 10 before 2004 zeroes all memory, and refuses a flag that asks it not to.
	for _, flags := range [...]uintptr{heapNotZeroed, 0} {
		err = r.made(d.Try("ID3D12Device.CreateCommittedResource", 27, uintptr(unsafe.Pointer(&properties)), flags,
			uintptr(unsafe.Pointer(&desc)), state, 0, uintptr(unsafe.Pointer(iidD3D12Resource)), uintptr(unsafe.Pointer(&r.P))))
		if !errors.Is(err, InvalidArgument) {
			break
		}
	}
	return r, err
}

// CreateFence returns a fence with the value 0.
func (d Device) CreateFence() (f Fence, err error) {
	err = f.made(d.Try("ID3D12Device.CreateFence", 36, 0, 0, uintptr(unsafe.Pointer(iidD3D12Fence)), uintptr(unsafe.Pointer(&f.P))))
	return f, err
}

// RemovedReason returns the reason as an *Error if the device was removed, and otherwise nil.
func (d Device) RemovedReason() error {
	return d.Try("ID3D12Device.GetDeviceRemovedReason", 37)
}

// InfoQueue returns the queue of the debug layers' messages about the device. It fails unless
// Direct3D's debug layer is on.
func (d Device) InfoQueue() (q InfoQueue, err error) {
	err = q.made(d.Try("ID3D12Device.QueryInterface", 0, uintptr(unsafe.Pointer(iidD3D12InfoQueue)), uintptr(unsafe.Pointer(&q.P))))
	return q, err
}

// InfoQueue is an ID3D12InfoQueue. It stores messages, by default the last 1,024.
type InfoQueue struct{ Object }

// Message is what a debug layer reports.
type Message struct {
	Severity uint32 // SeverityWarning or a lower number is worth a look; higher ones are information
	Text     string // "error 613: ..." with the message's number
}

// SeverityWarning is D3D12_MESSAGE_SEVERITY_WARNING.
const SeverityWarning = 2

// Messages returns the messages that the queue has stored, the oldest first. It leaves out a
// message that is dropped from the queue meanwhile.
func (q InfoQueue) Messages() (list []Message) {
	severities := [...]string{"corruption", "error", "warning", "information", "message"}
	for i := range q.Call(8) { // GetNumStoredMessages
		var size uintptr
		if q.Try("ID3D12InfoQueue.GetMessage", 5, i, 0, uintptr(unsafe.Pointer(&size))) != nil {
			continue
		}
		words := make([]uint64, (size+7)/8+1)
		m := (*message)(unsafe.Pointer(&words[0]))
		if q.Try("ID3D12InfoQueue.GetMessage", 5, i, uintptr(unsafe.Pointer(m)), uintptr(unsafe.Pointer(&size))) != nil {
			continue
		}
		severity := severities[min(m.severity, 4)]
		list = append(list, Message{m.severity, fmt.Sprintf("%s %d: %s", severity, m.id, windows.BytePtrToString(m.description))})
	}
	return list
}

// Queue is an ID3D12CommandQueue.
type Queue struct{ Object }

// Execute hands a closed list to the adapter.
func (q Queue) Execute(l List) {
	list := l.P
	q.Call(10, 1, uintptr(unsafe.Pointer(&list))) // ExecuteCommandLists
}

// Signal makes the fence reach the value once all earlier work of the queue is done.
func (q Queue) Signal(f Fence, value uint64) error {
	return q.Try("ID3D12CommandQueue.Signal", 14, f.word(), uintptr(value))
}

// Allocator is an ID3D12CommandAllocator.
type Allocator struct{ Object }

// Reset takes back the memory of all lists that were recorded in it. The adapter must have
// finished these lists.
func (alloc Allocator) Reset() error { return alloc.Try("ID3D12CommandAllocator.Reset", 8) }

// List is an ID3D12GraphicsCommandList.
type List struct{ Object }

// Close ends the recording.
func (l List) Close() error { return l.Try("ID3D12GraphicsCommandList.Close", 9) }

// Reset opens a closed list again, empty. It takes its memory from the allocator.
func (l List) Reset(allocator Allocator) error {
	return l.Try("ID3D12GraphicsCommandList.Reset", 10, allocator.word(), 0)
}

// CopyBuffer records a copy of size bytes, from src, starting at byte srcAt, to dst, starting at
// byte dstAt.
func (l List) CopyBuffer(dst Resource, dstAt int64, src Resource, srcAt, size int64) {
	l.Call(15, dst.word(), uintptr(dstAt), src.word(), uintptr(srcAt), uintptr(size)) // CopyBufferRegion
}

// Transition records a barrier that takes a buffer from one state to another.
func (l List) Transition(r Resource, old, state uint32) {
	b := TransitionBarrier{Kind: BarrierTransition, Resource: r.P, Subresource: allSubresources, Before: old, After: state}
	l.Call(26, 1, uintptr(unsafe.Pointer(&b))) // ResourceBarrier
}

// WaitForWrites records a barrier. A later dispatch that uses the buffer does not begin before the
// earlier dispatches that use it have ended.
func (l List) WaitForWrites(r Resource) {
	b := TransitionBarrier{Kind: barrierUnorderedAccess, Resource: r.P}
	l.Call(26, 1, uintptr(unsafe.Pointer(&b))) // ResourceBarrier
}

// SetDescriptorHeap records that the descriptors of later dispatches are in h.
func (l List) SetDescriptorHeap(h DescriptorHeap) {
	heap := h.P
	l.Call(28, 1, uintptr(unsafe.Pointer(&heap))) // SetDescriptorHeaps
}

// DescriptorHeap is an ID3D12DescriptorHeap.
type DescriptorHeap struct{ Object }

// Start returns the handles of the first descriptor, for the processor and the adapter.
func (h DescriptorHeap) Start() (cpu uintptr, gpu uint64) {
	h.Call(9, uintptr(unsafe.Pointer(&cpu)))  // GetCPUDescriptorHandleForHeapStart
	h.Call(10, uintptr(unsafe.Pointer(&gpu))) // GetGPUDescriptorHandleForHeapStart
	return cpu, gpu
}

// Fence is an ID3D12Fence, a number that grows.
type Fence struct{ Object }

// Completed returns the value that the fence has reached. Once the device is removed, the value is
// the largest uint64.
func (f Fence) Completed() uint64 { return uint64(f.Call(8)) }

// Notify makes Windows set the event once the fence reaches the value, and does not wait. With the
// zero Event, Notify waits until then.
func (f Fence) Notify(value uint64, e Event) error {
	return f.Try("ID3D12Fence.SetEventOnCompletion", 9, uintptr(value), uintptr(e.handle))
}

// Resource is an ID3D12Resource, here a buffer.
type Resource struct{ Object }

// Fill copies data to the start of an upload buffer.
func (r Resource) Fill(data []byte) error {
	return r.mapped(0, len(data), func(memory []byte) error {
		copy(memory, data)
		return nil
	})
}

// Read calls see with the first size bytes of a readback buffer, which are valid until see returns.
// It returns see's error, or the error of the mapping.
func (r Resource) Read(size int, see func([]byte) error) error {
	return r.mapped(size, 0, func(memory []byte) error { return see(memory[:size]) })
}

// mapped maps a buffer, calls use with the larger of reads and writes bytes at its start, and
// unmaps it. use reads no more than the first reads bytes, and writes no more than the first writes
// bytes. mapped returns use's error, or the error of the mapping.
func (r Resource) mapped(reads, writes int, use func([]byte) error) error {
	var start *byte
	readRange, writeRange := byteRange{0, uintptr(reads)}, byteRange{0, uintptr(writes)}
	if err := r.Try("ID3D12Resource.Map", 8, 0, uintptr(unsafe.Pointer(&readRange)), uintptr(unsafe.Pointer(&start))); err != nil {
		return err
	}
	// unsafe: reads and writes are at most the buffer's size.
	err := use(unsafe.Slice(start, max(reads, writes)))
	r.Call(9, 0, uintptr(unsafe.Pointer(&writeRange))) // Unmap
	return err
}
