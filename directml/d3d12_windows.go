//go:build amd64 || arm64

package directml

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// Slots from d3d12.h and d3d12sdklayers.h.

type d3dDevice struct{ object }

func createD3DDevice(a dxgiAdapter) (d d3dDevice, err error) {
	create, err := systemProc("d3d12.dll", "D3D12CreateDevice")
	if err != nil {
		return d, err
	}
	err = d.made(invoke("D3D12CreateDevice", create, a.word(), featureLevel11_0,
		uintptr(unsafe.Pointer(iidD3D12Device)), uintptr(unsafe.Pointer(&d.p))))
	return d, err
}

func enableDebugLayer() error {
	get, err := systemProc("d3d12.dll", "D3D12GetDebugInterface")
	if err != nil {
		return err
	}
	var debug object
	if err := debug.made(invoke("D3D12GetDebugInterface", get, uintptr(unsafe.Pointer(iidD3D12Debug)), uintptr(unsafe.Pointer(&debug.p)))); err != nil {
		return err
	}
	debug.call(3) // EnableDebugLayer
	debug.release()
	return nil
}

func (d d3dDevice) createQueue() (q commandQueue, err error) {
	// As Microsoft's own users of DirectML have it: on slow adapters work that takes
	// seconds would have Windows take the device away.
	desc := commandQueueDesc{kind: listCompute, flags: queueNoTimeout}
	err = q.made(d.try("ID3D12Device.CreateCommandQueue", 8, uintptr(unsafe.Pointer(&desc)),
		uintptr(unsafe.Pointer(iidD3D12CommandQueue)), uintptr(unsafe.Pointer(&q.p))))
	return q, err
}

func (d d3dDevice) createAllocator() (a commandAllocator, err error) {
	err = a.made(d.try("ID3D12Device.CreateCommandAllocator", 9, listCompute,
		uintptr(unsafe.Pointer(iidD3D12CommandAllocator)), uintptr(unsafe.Pointer(&a.p))))
	return a, err
}

// createList returns a list that is open.
func (d d3dDevice) createList(a commandAllocator) (l commandList, err error) {
	err = l.made(d.try("ID3D12Device.CreateCommandList", 12, 0, listCompute, a.word(), 0,
		uintptr(unsafe.Pointer(iidD3D12GraphicsList)), uintptr(unsafe.Pointer(&l.p))))
	return l, err
}

func (d d3dDevice) createDescriptorHeap(count uint32) (h descriptorHeap, err error) {
	desc := descriptorHeapDesc{kind: heapDescriptors, count: count, flags: heapVisibleToShaders}
	err = h.made(d.try("ID3D12Device.CreateDescriptorHeap", 14, uintptr(unsafe.Pointer(&desc)),
		uintptr(unsafe.Pointer(iidD3D12DescriptorHeap)), uintptr(unsafe.Pointer(&h.p))))
	return h, err
}

// createBuffer returns a buffer in a heap of its own, in the state its heap
// asks for. Those of heapDefault may be bound to operators.
func (d d3dDevice) createBuffer(heap uint32, size int64) (r resource, err error) {
	properties := heapProperties{kind: heap, creationNodes: 1, visibleNodes: 1}
	desc := resourceDesc{
		dimension: resourceBuffer, width: uint64(size), height: 1, depth: 1, mipLevels: 1,
		samples: 1, layout: layoutRowMajor,
	}
	state := uintptr(stateCommon)
	switch heap {
	case heapDefault:
		desc.flags = allowUnorderedAccess
	case heapUpload:
		state = stateGenericRead
	case heapReadback:
		state = stateCopyDest
	}
	err = r.made(d.try("ID3D12Device.CreateCommittedResource", 27, uintptr(unsafe.Pointer(&properties)), 0,
		uintptr(unsafe.Pointer(&desc)), state, 0, uintptr(unsafe.Pointer(iidD3D12Resource)), uintptr(unsafe.Pointer(&r.p))))
	return r, err
}

func (d d3dDevice) createFence() (f fence, err error) {
	err = f.made(d.try("ID3D12Device.CreateFence", 36, 0, 0, uintptr(unsafe.Pointer(iidD3D12Fence)), uintptr(unsafe.Pointer(&f.p))))
	return f, err
}

func (d d3dDevice) removedReason() error {
	return d.try("ID3D12Device.GetDeviceRemovedReason", 37)
}

type commandQueue struct{ object }

func (q commandQueue) execute(l commandList) {
	list := l.p
	q.call(10, 1, uintptr(unsafe.Pointer(&list))) // ExecuteCommandLists
}

func (q commandQueue) signal(f fence, value uint64) error {
	return q.try("ID3D12CommandQueue.Signal", 14, f.word(), uintptr(value))
}

type commandAllocator struct{ object }

func (a commandAllocator) reset() error { return a.try("ID3D12CommandAllocator.Reset", 8) }

type commandList struct{ object }

func (l commandList) close() error { return l.try("ID3D12GraphicsCommandList.Close", 9) }

func (l commandList) reset(a commandAllocator) error {
	return l.try("ID3D12GraphicsCommandList.Reset", 10, a.word(), 0)
}

func (l commandList) copyBuffer(dst resource, dstAt int64, src resource, srcAt, size int64) {
	l.call(15, dst.word(), uintptr(dstAt), src.word(), uintptr(srcAt), uintptr(size)) // CopyBufferRegion
}

func (l commandList) transition(r resource, before, after uint32) {
	b := transitionBarrier{kind: barrierTransition, resource: r.p, subresource: allSubresources, before: before, after: after}
	l.call(26, 1, uintptr(unsafe.Pointer(&b))) // ResourceBarrier
}

func (l commandList) setDescriptorHeap(h descriptorHeap) {
	heap := h.p
	l.call(28, 1, uintptr(unsafe.Pointer(&heap))) // SetDescriptorHeaps
}

type descriptorHeap struct{ object }

// start returns the handles of the first descriptor.
func (h descriptorHeap) start() (cpu uintptr, gpu uint64) {
	h.call(9, uintptr(unsafe.Pointer(&cpu)))  // GetCPUDescriptorHandleForHeapStart
	h.call(10, uintptr(unsafe.Pointer(&gpu))) // GetGPUDescriptorHandleForHeapStart
	return cpu, gpu
}

type fence struct{ object }

// completed returns the value reached, or the largest there is once the device
// is removed.
func (f fence) completed() uint64 { return uint64(f.call(8)) }

// notify signals the event once the value is reached.
func (f fence) notify(value uint64, event windows.Handle) error {
	return f.try("ID3D12Fence.SetEventOnCompletion", 9, uintptr(value), uintptr(event))
}

type resource struct{ object }

// fill copies data to the start of an upload buffer.
func (r resource) fill(data []byte) error {
	return r.mapped(0, len(data), func(memory []byte) error {
		copy(memory, data)
		return nil
	})
}

// read shows the first size bytes of a readback buffer to a function.
func (r resource) read(size int, see func([]byte) error) error {
	return r.mapped(size, 0, func(memory []byte) error { return see(memory[:size]) })
}

// mapped maps a buffer of which the processor is going to read and to write so
// many bytes from the start on.
func (r resource) mapped(reads, writes int, use func([]byte) error) error {
	var start *byte
	before, after := byteRange{0, uintptr(reads)}, byteRange{0, uintptr(writes)}
	if err := r.try("ID3D12Resource.Map", 8, 0, uintptr(unsafe.Pointer(&before)), uintptr(unsafe.Pointer(&start))); err != nil {
		return err
	}
	// unsafe: callers ask for no more than the buffer's size.
	err := use(unsafe.Slice(start, max(reads, writes)))
	r.call(9, 0, uintptr(unsafe.Pointer(&after))) // Unmap
	return err
}
