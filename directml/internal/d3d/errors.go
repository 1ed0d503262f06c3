package d3d

import (
	"errors"
	"fmt"
)

// Error is a call of DirectML, Direct3D 12 or DXGI that failed.
type Error struct {
	Call   string // interface and method, or function: "IDMLDevice.CreateOperator"
	Result HRESULT
}

// Error returns the call and the name of its result.
func (e *Error) Error() string { return "directml: " + e.Call + ": " + e.Result.Error() }

// Unwrap returns the result.
func (e *Error) Unwrap() error { return e.Result }

// HRESULT is the result of a COM method. Its highest bit is set if the method failed.
type HRESULT uint32

// Results that callers look at, with the names of winerror.h.
const (
	NotSupported  HRESULT = 0x887A0004 // DXGI_ERROR_UNSUPPORTED
	NotFound      HRESULT = 0x887A0002 // DXGI_ERROR_NOT_FOUND
	NoInterface   HRESULT = 0x80004002 // E_NOINTERFACE
	OutOfMemory   HRESULT = 0x8007000E // E_OUTOFMEMORY
	DeviceRemoved HRESULT = 0x887A0005 // DXGI_ERROR_DEVICE_REMOVED
)

var resultNames = map[HRESULT]string{
	0x80004001:    "E_NOTIMPL",
	NoInterface:   "E_NOINTERFACE",
	0x80004003:    "E_POINTER",
	0x80004004:    "E_ABORT",
	0x80004005:    "E_FAIL",
	0x8000FFFF:    "E_UNEXPECTED",
	0x80070005:    "E_ACCESSDENIED",
	OutOfMemory:   "E_OUTOFMEMORY",
	0x80070057:    "E_INVALIDARG",
	0x887A0001:    "DXGI_ERROR_INVALID_CALL",
	NotFound:      "DXGI_ERROR_NOT_FOUND",
	NotSupported:  "DXGI_ERROR_UNSUPPORTED",
	DeviceRemoved: "DXGI_ERROR_DEVICE_REMOVED",
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

// check turns the word that a COM method returned into an error. The low half of the word
// is the HRESULT; the rest is undefined.
func check(call string, word uintptr) error {
	if r := HRESULT(word); int32(r) < 0 {
		return &Error{call, r}
	}
	return nil
}

// Unsupported returns an error that is also [errors.ErrUnsupported].
func Unsupported(format string, args ...any) error {
	return unsupportedError{fmt.Errorf("directml: "+format, args...)}
}

type unsupportedError struct{ error }

func (e unsupportedError) Is(target error) bool { return target == errors.ErrUnsupported }

func (e unsupportedError) Unwrap() error { return e.error }
