package directml

import (
	"errors"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
)

// Sentinels of a device's state; test for them with [errors.Is]. Descriptors
// and buffers that are wrong give the sentinels of package slice1.
var (
	// ErrRemoved: the device is lost, through a fault of a driver, a reset, or
	// an adapter taken away. Every later call on it gives the same error; close
	// it and open another. Windows has one Direct3D 12 device for each adapter and
	// process, so that opening fails until every other Device on that adapter is
	// closed, and whatever else in the process uses Direct3D 12 on it has let go.
	ErrRemoved = errors.New("directml: device removed")
	// ErrClosed: use of what was closed, or of what belonged to a closed device.
	ErrClosed = errors.New("directml: closed")
	// ErrForeign: a buffer of another device.
	ErrForeign = errors.New("directml: buffer of another device")
)

// Error is a call of DirectML, Direct3D 12 or DXGI that failed:
//
//	type Error struct {
//		Call   string  // interface and method, or function: "IDMLDevice.CreateOperator"
//		Result HRESULT // what it returned, and what Unwrap returns
//	}
type Error = d3d.Error

// HRESULT is the result of a COM method, a uint32. Its highest bit is set if the method
// failed. Its text is its name in winerror.h, such as E_INVALIDARG, or its eight digits.
type HRESULT = d3d.HRESULT

// removedError is ErrRemoved with the failed call that gave the reason.
type removedError struct{ cause *Error }

func (e removedError) Error() string {
	return ErrRemoved.Error() + ": " + e.cause.Call + ": " + e.cause.Result.Error()
}

func (e removedError) Is(target error) bool { return target == ErrRemoved }

func (e removedError) Unwrap() error { return e.cause }
