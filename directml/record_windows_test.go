//go:build amd64 || arm64

package directml

import (
	"fmt"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
)

// recorder records some of the calls of Direct3D that this package and DirectML make, and
// compares them with what the documentation allows.
type recorder struct {
	buffers    map[uintptr]recorded
	lists      map[uintptr]*list // the open ones
	views      []view            // since a test last emptied it; each dispatch counts as use of all of them
	all        []view            // every view
	dispatches int               // Direct3D's; an operator may need several
	compiled   int               // operators
	lent, sent int64             // bytes of buffers created in the default heap, bytes copied from upload heaps
	faults     []string
}

// recorded is the kind of heap and the size of a buffer.
type recorded struct {
	heap  uint32
	bytes uint64
}

// maxGroups is D3D12_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION.
const maxGroups = 65535

// record returns a recorder that sees the calls on all devices until the test ends. The test
// must use one goroutine. Outside Wine it skips the test: under Wine DirectML calls the objects
// that this package gives it, but on Windows it may ask these for other objects.
func record(t *testing.T, d *Device) *recorder {
	t.Helper()
	if !isWine() {
		t.Skip("this is not Wine: what DirectML calls cannot be seen")
	}
	r := &recorder{buffers: map[uintptr]recorded{}, lists: map[uintptr]*list{}}
	l, err := d.lane()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.slots[0].open(d.d3d); err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	r.seeDevice(t, d)
	r.seeLists(t, l.slots[0].list.Object)
	var execute uintptr
	execute = hook(t, d.queue.Object, 10, func(this, count uintptr, lists *uintptr) uintptr { // ExecuteCommandLists
		if uint32(count) != 1 {
			r.fault("%d lists at once", uint32(count))
		}
		delete(r.lists, *lists)
		syscall.SyscallN(execute, this, count, uintptr(unsafe.Pointer(lists)))
		return 0
	})
	return r
}

// isWine reports whether Windows is Wine.
func isWine() bool {
	return windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil
}

func (r *recorder) fault(format string, args ...any) {
	r.faults = append(r.faults, fmt.Sprintf(format, args...))
}

// seeDevice hooks the calls of the two devices.
func (r *recorder) seeDevice(t *testing.T, d *Device) {
	var create, see, compile uintptr
	create = hook(t, d.d3d.Object, 27, func(this uintptr, properties *d3d.HeapProperties, flags uintptr, desc *d3d.ResourceDesc, state, value, iid uintptr, out *uintptr) uintptr { // CreateCommittedResource
		result, _, _ := syscall.SyscallN(create, this, uintptr(unsafe.Pointer(properties)), flags, uintptr(unsafe.Pointer(desc)), state, value, iid, uintptr(unsafe.Pointer(out)))
		if int32(result) >= 0 {
			r.buffers[*out] = recorded{properties.Kind, desc.Width}
			if properties.Kind == d3d.HeapDefault {
				r.lent += int64(desc.Width)
			}
		}
		return result
	})
	see = hook(t, d.d3d.Object, 19, func(this, buffer, counter uintptr, desc *viewDesc, handle uintptr) uintptr { // CreateUnorderedAccessView
		v := view{buffer, desc.format, desc.dimension, desc.first, desc.elements, desc.stride, desc.counterOffset, desc.flags}
		b := r.buffers[buffer]
		if fault := v.fault(b.bytes); fault != "" || b.heap != d3d.HeapDefault {
			r.fault("view of heap %d: %s", b.heap, fault)
		}
		r.views, r.all = append(r.views, v), append(r.all, v)
		syscall.SyscallN(see, this, buffer, counter, uintptr(unsafe.Pointer(desc)), handle)
		return 0
	})
	compile = hook(t, d.dml.Object, 9, func(this, operator, flags, iid, out uintptr) uintptr { // CompileOperator
		r.compiled++
		result, _, _ := syscall.SyscallN(compile, this, operator, flags, iid, out)
		return result
	})
}

// viewDesc is D3D12_UNORDERED_ACCESS_VIEW_DESC of a buffer.
type viewDesc struct {
	format, dimension uint32
	first             uint64
	elements, stride  uint32
	counterOffset     uint64
	flags             uint32
}

// list returns the states of the open list at an address.
func (r *recorder) list(at uintptr) *list {
	if r.lists[at] == nil {
		r.lists[at] = &list{states: map[uintptr]uint32{}}
	}
	return r.lists[at]
}

// do calls f with the list at an address and a buffer's kind of heap, and moves the list's
// faults to r.
func (r *recorder) do(at, buffer uintptr, f func(l *list, heap uint32)) {
	l := r.list(at)
	f(l, r.buffers[buffer].heap)
	r.faults = append(r.faults, l.faults...)
	l.faults = nil
}

// seeLists hooks the calls of all command lists. It gets one of them.
func (r *recorder) seeLists(t *testing.T, any d3d.Object) {
	var dispatch, copies, barrier uintptr
	dispatch = hook(t, any, 14, func(this, x, y, z uintptr) uintptr { // Dispatch
		r.dispatches++
		if groups := uint32(x); groups < 1 || groups > maxGroups || uint32(y) != 1 || uint32(z) != 1 {
			r.fault("%d by %d by %d groups", groups, uint32(y), uint32(z))
		}
		for _, v := range r.views {
			r.do(this, v.buffer, func(l *list, heap uint32) { l.use(v.buffer, heap, d3d.StateUnorderedAccess) })
		}
		syscall.SyscallN(dispatch, this, x, y, z)
		return 0
	})
	copies = hook(t, any, 15, func(this, dst, dstAt, src, srcAt, size uintptr) uintptr { // CopyBufferRegion
		if to, from := r.buffers[dst], r.buffers[src]; size == 0 || uint64(dstAt+size) > to.bytes || uint64(srcAt+size) > from.bytes {
			r.fault("copy of %d bytes from %d to %d of %v to %v", size, srcAt, dstAt, from, to)
		} else if from.heap == d3d.HeapUpload {
			r.sent += int64(size)
		}
		r.do(this, src, func(l *list, heap uint32) { l.use(src, heap, d3d.StateCopySource) })
		r.do(this, dst, func(l *list, heap uint32) { l.use(dst, heap, d3d.StateCopyDest) })
		syscall.SyscallN(copies, this, dst, dstAt, src, srcAt, size)
		return 0
	})
	barrier = hook(t, any, 26, func(this, count uintptr, b *d3d.TransitionBarrier) uintptr { // ResourceBarrier
		if uint32(count) == 1 && b.Kind == d3d.BarrierTransition {
			buffer := uintptr(unsafe.Pointer(b.Resource))
			r.do(this, buffer, func(l *list, heap uint32) { l.transition(buffer, heap, b.Before, b.After) })
		}
		syscall.SyscallN(barrier, this, count, uintptr(unsafe.Pointer(b)))
		return 0
	})
}
