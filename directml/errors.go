package directml

import (
	"errors"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
)

// Sentinels of this package; test for them with [errors.Is]. A wrong descriptor, and a
// buffer of the wrong length, give the sentinels of package slice1.
var (
	// ErrRemoved: the device is lost, for instance through a fault of a driver, a reset, or an
	// adapter taken away. Later calls that need the device give the same error. Close the device
	// and open another. Windows has one Direct3D 12 device for each adapter and process. Therefore
	// Open fails on that adapter until all other Devices on the adapter are closed and whatever
	// else in the process uses Direct3D 12 on the adapter has released it. Without WithAdapter or
	// WithLUID it may then open another, slower adapter. With WithDebugLayer the text has the
	// layers' last messages. A new process is safest: drivers and DirectML may fail after a removal
	// in the old one.
	ErrRemoved = errors.New("directml: device removed")
	// ErrClosed: a device, plan or buffer is used that is closed or belongs to a closed
	// device, or a method of a nil one is called.
	ErrClosed = errors.New("directml: closed")
	// ErrForeign: Dispatch got a buffer of another device than the plan's.
	ErrForeign = errors.New("directml: buffer of another device")
)

// Error is a call of DirectML, Direct3D 12 or DXGI that failed:
//
//	type Error struct {
//		Call   string  // interface and method, or function: "IDMLDevice.CreateOperator"
//		Result HRESULT // what the call returned; Unwrap returns it, too
//	}
type Error = d3d.Error

// HRESULT is the result of a COM method or of a function that makes a COM object, a uint32.
// Its highest bit is set if the call failed. Error returns its name in winerror.h, such as
// E_INVALIDARG, if this package knows that, and otherwise its eight hexadecimal digits.
type HRESULT = d3d.HRESULT

// removedError is ErrRemoved to errors.Is. Its cause is the failed call for which the device
// counts as removed.
type removedError struct {
	cause    *Error
	messages string // the last ones of the debug layers, if those are on
}

func (e removedError) Error() string {
	text := ErrRemoved.Error() + ": " + e.cause.Call + ": " + e.cause.Result.Error()
	if e.messages != "" {
		text += "; the debug layers: " + e.messages
	}
	return text
}

func (e removedError) Is(target error) bool { return target == ErrRemoved }

func (e removedError) Unwrap() error { return e.cause }
