//go:build amd64 || arm64

package d3d

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// An Object is one counted reference to a COM object, or none. Its methods are
// called by their slot in the interface's table; the files of this package
// that name an interface give the header its slots come from. Numbers smaller
// than a word are passed as a whole one, 64-bit numbers are a word, and
// structures larger than a word are passed by pointer: that is the calling
// convention of 64-bit Windows on amd64 and arm64. No method used here takes
// or returns a floating-point number.
type Object struct{ P *COM }

// live counts all references held.
var live atomic.Int64

// Live returns the number of references to COM objects that this package holds.
func Live() int64 { return live.Load() }

// Call calls a method and returns the result's word, of which results of 32
// bits are the low half. Methods that return a structure take the pointer to it
// as their first argument, whatever its size.
//
// The directive keeps what args point to alive, and where it is, until call
// returns; it holds for conversions to uintptr in the list of arguments.
//
//go:uintptrescapes
func (o Object) Call(slot int, args ...uintptr) uintptr {
	var words [9]uintptr
	words[0] = o.Word()
	n := 1 + copy(words[1:], args)
	r, _, _ := syscall.SyscallN(o.P.Methods[slot], words[:n]...)
	return r
}

// Try calls a method that returns an HRESULT.
//
//go:uintptrescapes
func (o Object) Try(name string, slot int, args ...uintptr) error {
	return check(name, o.Call(slot, args...))
}

// Word returns the object as an argument. Its memory is not Go's.
func (o Object) Word() uintptr { return uintptr(unsafe.Pointer(o.P)) }

// Made records the reference that a successful call has stored in o.
func (o *Object) Made(err error) error {
	if err == nil {
		live.Add(1)
	}
	return err
}

// Release releases the reference. It may be called again, and on an empty Object.
func (o *Object) Release() {
	if o.P != nil {
		o.Call(2) // IUnknown.Release
		o.P = nil
		live.Add(-1)
	}
}

// Invoke calls an exported function that returns an HRESULT.
//
//go:uintptrescapes
func Invoke(name string, function uintptr, args ...uintptr) error {
	r, _, _ := syscall.SyscallN(function, args...)
	return check(name, r)
}
