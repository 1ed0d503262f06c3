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

// HRESULT is the result of a COM method or of a function that makes a COM object. Its highest
// bit is set if the call failed.
type HRESULT uint32

// Results that this package, directml or its tests look at. The comments give their names in
// winerror.h.
const (
	NotSupported     HRESULT = 0x887A0004 // DXGI_ERROR_UNSUPPORTED
	NotFound         HRESULT = 0x887A0002 // DXGI_ERROR_NOT_FOUND
	NoInterface      HRESULT = 0x80004002 // E_NOINTERFACE
	OutOfMemory      HRESULT = 0x8007000E // E_OUTOFMEMORY
	InvalidArgument  HRESULT = 0x80070057 // E_INVALIDARG
	DeviceRemoved    HRESULT = 0x887A0005 // DXGI_ERROR_DEVICE_REMOVED
	OutOfVideoMemory HRESULT = 0x8876017C // D3DERR_OUTOFVIDEOMEMORY, of some drivers
)

// ErrMemory is what OutOfMemory and OutOfVideoMemory are to errors.Is.
var ErrMemory = errors.New("directml: out of memory")

// Is reports whether target is ErrMemory and r says that memory was short.
func (r HRESULT) Is(target error) bool {
	return target == ErrMemory && (r == OutOfMemory || r == OutOfVideoMemory)
}

// Passes reports whether a call that failed with err may succeed later: memory was short, or
// the adapter was removed, reset or in use.
func Passes(err error) bool {
	if errors.Is(err, ErrMemory) {
		return true
	}
	switch r, _ := errors.AsType[HRESULT](err); r {
	case DeviceRemoved, 0x887A0006, 0x887A0007, 0x887A0020, 0x887A0022:
		return true
	}
	return false
}

// resultNames are the names, by winerror.h, of results that the calls of this package may give.
var resultNames = map[HRESULT]string{
	0x80004001:       "E_NOTIMPL",
	NoInterface:      "E_NOINTERFACE",
	0x80004003:       "E_POINTER",
	0x80004004:       "E_ABORT",
	0x80004005:       "E_FAIL",
	0x8000FFFF:       "E_UNEXPECTED",
	0x80070005:       "E_ACCESSDENIED",
	OutOfMemory:      "E_OUTOFMEMORY",
	InvalidArgument:  "E_INVALIDARG",
	0x887A0001:       "DXGI_ERROR_INVALID_CALL",
	NotFound:         "DXGI_ERROR_NOT_FOUND",
	NotSupported:     "DXGI_ERROR_UNSUPPORTED",
	DeviceRemoved:    "DXGI_ERROR_DEVICE_REMOVED",
	0x887A0006:       "DXGI_ERROR_DEVICE_HUNG",
	0x887A0007:       "DXGI_ERROR_DEVICE_RESET",
	0x887A0020:       "DXGI_ERROR_DRIVER_INTERNAL_ERROR",
	0x887A0022:       "DXGI_ERROR_NOT_CURRENTLY_AVAILABLE",
	0x887A002B:       "DXGI_ERROR_ACCESS_DENIED",
	0x887A002D:       "DXGI_ERROR_SDK_COMPONENT_MISSING",
	0x887E0001:       "D3D12_ERROR_ADAPTER_NOT_FOUND",
	0x887E0002:       "D3D12_ERROR_DRIVER_VERSION_MISMATCH",
	0x887E0003:       "D3D12_ERROR_INVALID_REDIST",
	OutOfVideoMemory: "D3DERR_OUTOFVIDEOMEMORY",
}

// Error returns the result's name if resultNames has it, and otherwise its eight hexadecimal
// digits.
func (r HRESULT) Error() string {
	if name := resultNames[r]; name != "" {
		return name
	}
	return fmt.Sprintf("HRESULT %#08x", uint32(r))
}

// check returns an *Error if the word that a call returned is a failure, and otherwise nil.
// The low 32 bits of the word are the HRESULT; the others are undefined.
func check(call string, word uintptr) error {
	if r := HRESULT(word); int32(r) < 0 {
		return &Error{call, r}
	}
	return nil
}

// Unsupported returns an error that is [errors.ErrUnsupported] to errors.Is. Its text is
// "directml: " and what fmt.Errorf makes of the arguments.
func Unsupported(format string, args ...any) error {
	return unsupportedError{fmt.Errorf("directml: "+format, args...)}
}

type unsupportedError struct{ error }

func (e unsupportedError) Is(target error) bool { return target == errors.ErrUnsupported }

func (e unsupportedError) Unwrap() error { return e.error }
