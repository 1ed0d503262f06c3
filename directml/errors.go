package directml

import (
	"errors"
	"fmt"
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

// Error is a call of DirectML, Direct3D 12 or DXGI that failed.
type Error struct {
	Call   string // interface and method, or function: "IDMLDevice.CreateOperator"
	Result HRESULT
}

// Error gives the call and the result's name.
func (e *Error) Error() string { return "directml: " + e.Call + ": " + e.Result.Error() }

// Unwrap returns the result.
func (e *Error) Unwrap() error { return e.Result }

// HRESULT is what COM methods return; those that fail have the highest bit set.
type HRESULT uint32

// The results this package looks at, with the names of winerror.h.
const (
	notSupported  HRESULT = 0x887A0004 // DXGI_ERROR_UNSUPPORTED
	notFound      HRESULT = 0x887A0002 // DXGI_ERROR_NOT_FOUND
	noInterface   HRESULT = 0x80004002 // E_NOINTERFACE
	outOfMemory   HRESULT = 0x8007000E // E_OUTOFMEMORY
	deviceRemoved HRESULT = 0x887A0005 // DXGI_ERROR_DEVICE_REMOVED
)

var resultNames = map[HRESULT]string{
	0x80004001:    "E_NOTIMPL",
	noInterface:   "E_NOINTERFACE",
	0x80004003:    "E_POINTER",
	0x80004004:    "E_ABORT",
	0x80004005:    "E_FAIL",
	0x8000FFFF:    "E_UNEXPECTED",
	0x80070005:    "E_ACCESSDENIED",
	outOfMemory:   "E_OUTOFMEMORY",
	0x80070057:    "E_INVALIDARG",
	0x887A0001:    "DXGI_ERROR_INVALID_CALL",
	notFound:      "DXGI_ERROR_NOT_FOUND",
	notSupported:  "DXGI_ERROR_UNSUPPORTED",
	deviceRemoved: "DXGI_ERROR_DEVICE_REMOVED",
	0x887A0006:    "DXGI_ERROR_DEVICE_HUNG",
	0x887A0007:    "DXGI_ERROR_DEVICE_RESET",
	0x887A0020:    "DXGI_ERROR_DRIVER_INTERNAL_ERROR",
	0x887A002B:    "DXGI_ERROR_ACCESS_DENIED",
	0x887A002D:    "DXGI_ERROR_SDK_COMPONENT_MISSING",
	0x887E0001:    "D3D12_ERROR_ADAPTER_NOT_FOUND",
	0x887E0002:    "D3D12_ERROR_DRIVER_VERSION_MISMATCH",
}

// Error returns the name winerror.h gives the result, or its eight digits.
func (r HRESULT) Error() string {
	if name := resultNames[r]; name != "" {
		return name
	}
	return fmt.Sprintf("HRESULT %#08x", uint32(r))
}

// check turns the word a COM method returned, of which an HRESULT is the low
// half and the rest undefined, into an error.
func check(call string, word uintptr) error {
	if r := HRESULT(word); int32(r) < 0 {
		return &Error{call, r}
	}
	return nil
}

// removedError is ErrRemoved with the call that told the reason.
type removedError struct{ cause *Error }

func (e removedError) Error() string {
	return ErrRemoved.Error() + ": " + e.cause.Call + ": " + e.cause.Result.Error()
}

func (e removedError) Is(target error) bool { return target == ErrRemoved }

func (e removedError) Unwrap() error { return e.cause }
