//go:build amd64 || arm64

package directml

import (
	"sync/atomic"
	"syscall"
	"unsafe"
)

// An object is one counted reference to a COM object, or none. Its methods are
// called by their slot in the interface's table; the files of this package
// that name an interface give the header its slots come from. Numbers smaller
// than a word are passed as a whole one, 64-bit numbers are a word, and
// structures larger than a word are passed by pointer: that is the calling
// convention of 64-bit Windows on amd64 and arm64. No method used here takes
// or returns a floating-point number.
type object struct{ p *comObject }

// liveObjects counts the references held.
var liveObjects atomic.Int64

// call calls a method and returns the result's word, of which results of 32
// bits are the low half. Methods that return a structure take the pointer to it
// as their first argument, whatever its size.
//
// The directive keeps what args point to alive, and where it is, until call
// returns; it holds for conversions to uintptr in the list of arguments.
//
//go:uintptrescapes
func (o object) call(slot int, args ...uintptr) uintptr {
	var words [9]uintptr
	words[0] = o.word()
	n := 1 + copy(words[1:], args)
	r, _, _ := syscall.SyscallN(o.p.methods[slot], words[:n]...)
	return r
}

// try calls a method that returns an HRESULT.
//
//go:uintptrescapes
func (o object) try(name string, slot int, args ...uintptr) error {
	return check(name, o.call(slot, args...))
}

// word returns the object as an argument. Its memory is not Go's.
func (o object) word() uintptr { return uintptr(unsafe.Pointer(o.p)) }

// made takes over the reference that a call has stored in o, if it went well.
func (o *object) made(err error) error {
	if err == nil {
		liveObjects.Add(1)
	}
	return err
}

// release gives the reference back. It may be called again, and on none.
func (o *object) release() {
	if o.p != nil {
		o.call(2) // IUnknown.Release
		o.p = nil
		liveObjects.Add(-1)
	}
}

// invoke calls an exported function that returns an HRESULT.
//
//go:uintptrescapes
func invoke(name string, function uintptr, args ...uintptr) error {
	r, _, _ := syscall.SyscallN(function, args...)
	return check(name, r)
}
