package directml

import (
	"errors"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
)

// Sentinels of this package. Test for them with [errors.Is]. The sentinels for a wrong descriptor
// and for a buffer of the wrong length are in package slice1.
var (
	// ErrRemoved: the device is lost, for instance by a fault of a driver, a reset, or the removal
	// of an adapter. Later calls that need the device give the same error. Close the device and
	// open another. Windows has one Direct3D 12 device for each adapter and process. Therefore Open
	// fails on that adapter until all Devices on it are closed and all other users of Direct3D 12
	// in the process have released it. Without WithAdapter or WithLUID it may then open another,
	// slower adapter. With WithDebugLayer the text has the layers' last messages. It is safest to
	// start a new process: in the old one drivers and DirectML may fail after a removal.
	ErrRemoved = errors.New("directml: device removed")
	// ErrClosed: the device, plan or buffer is closed, or nil, or belongs to a closed device.
	ErrClosed = errors.New("directml: closed")
	// ErrForeign: Dispatch got a buffer of a device that is not the plan's.
	ErrForeign = errors.New("directml: buffer of another device")
	// ErrMemory: a call of Direct3D or DirectML ran out of the memory of the adapter or of the
	// system. The device still works. For want of a buffer, the call has already released what the
	// device keeps for later calls ([Device.Trim]) and tried once more. The error is also an
	// [*Error], and the name of its Result is E_OUTOFMEMORY or D3DERR_OUTOFVIDEOMEMORY.
	ErrMemory = d3d.ErrMemory
)

// Error is a call of DirectML, Direct3D 12 or DXGI that failed:
//
//	type Error struct {
//		Call   string  // interface and method, or function: "IDMLDevice.CreateOperator"
//		Result HRESULT // what the call returned; Unwrap returns it, too
//	}
type Error = d3d.Error

// HRESULT is the result of a COM method or of a function that makes a COM object, a uint32. Its
// highest bit is set if the call failed. Error returns its name in winerror.h, for example
// E_INVALIDARG. If this package does not know the name, Error returns its eight hexadecimal digits.
type HRESULT = d3d.HRESULT

// removedError is ErrRemoved to errors.Is. Its cause is the failed call that showed that the device
// is removed.
type removedError struct {
	cause    *Error
	messages string // the last messages of the debug layers, if they are on
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
