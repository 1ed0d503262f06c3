//go:build amd64 || arm64

package d3d

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// An Object is one counted reference to a COM object, or none if P is nil. A copy of an Object is
// the same reference. A method is called by its slot in the interface's table. Each file of this
// package that calls methods names the headers that define its slots. On 64-bit Windows, amd64 and
// arm64, every number and pointer is passed as one word. All methods used here take structures by
// pointer, and none takes or returns a floating-point number.
type Object struct{ P *COM }

// live counts the references that this package made and did not release.
var live atomic.Int64

// Live returns the number of references to COM objects that this package made and did not release.
func Live() int64 { return live.Load() }

// Call calls a method with at most 8 arguments and returns the word of the result. A result of 32
// bits is the low half of the word. A method that returns a structure takes a pointer to that
// structure as its first argument, whatever the structure's size.
//
// If an argument is converted from a pointer to uintptr in the list of arguments itself, the
// directive puts the pointer's target on the heap and keeps it alive until Call returns.
//
//go:uintptrescapes
func (o Object) Call(slot int, args ...uintptr) uintptr {
	var words [9]uintptr
	words[0] = o.word()
	n := 1 + copy(words[1:], args)
	r, _, _ := syscall.SyscallN(o.P.Methods[slot], words[:n]...)
	return r
}

// Try calls a method that returns an HRESULT, like Call. If the HRESULT is a failure, it returns an
// *Error with that name.
//
//go:uintptrescapes
func (o Object) Try(name string, slot int, args ...uintptr) error {
	return check(name, o.Call(slot, args...))
}

// word returns the object's address as an argument of Call. Nothing needs to keep the object's
// memory in place, since it is not Go's memory.
func (o Object) word() uintptr { return uintptr(unsafe.Pointer(o.P)) }

// Address returns the object's address, or nil if there is none, for users outside this module.
func (o Object) Address() unsafe.Pointer { return unsafe.Pointer(o.P) }

// made counts the reference that a call has stored in o, if the call's error is nil. It returns the
// error.
func (o *Object) made(err error) error {
	if err == nil {
		live.Add(1)
	}
	return err
}

// Clone returns another reference to the same COM object.
func (o Object) Clone() Object {
	o.Call(1) // IUnknown.AddRef
	live.Add(1)
	return o
}

// Release releases the reference and empties o. On an empty Object it does nothing.
func (o *Object) Release() {
	if o.P != nil {
		o.Call(2) // IUnknown.Release
		o.P = nil
		live.Add(-1)
	}
}

// invoke calls a DLL's function, given by its address, that returns an HRESULT. If the HRESULT
// is a failure, it returns an *Error with that name.
//
//go:uintptrescapes
func invoke(name string, function uintptr, args ...uintptr) error {
	r, _, _ := syscall.SyscallN(function, args...)
	return check(name, r)
}
