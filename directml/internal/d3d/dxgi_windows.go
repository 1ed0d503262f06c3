//go:build amd64 || arm64

package d3d

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The slots of this file's methods are defined in dxgi.h and dxgi1_6.h.

// Factory is an IDXGIFactory6, which lists adapters.
type Factory struct{ Object }

// CreateFactory opens DXGI, with its debug layer if debug is true. The error is
// [errors.ErrUnsupported] if Windows has no CreateDXGIFactory2 or no IDXGIFactory6, which came with
// Windows 10 1803, or if DXGI is unsupported.
func CreateFactory(debug bool) (f Factory, err error) {
	create, err := systemProc("dxgi.dll", "CreateDXGIFactory2")
	if err != nil {
		return f, err
	}
	var flags uintptr
	if debug {
		flags = createFactoryDebug
	}
	err = f.made(invoke("CreateDXGIFactory2", create, flags, uintptr(unsafe.Pointer(iidDXGIFactory6)), uintptr(unsafe.Pointer(&f.P))))
	if errors.Is(err, NotSupported) || errors.Is(err, NoInterface) {
		err = unsupportedError{err}
	}
	return f, err
}

// Adapter returns the adapter of the given index in the order of the preference, a
// DXGI_GPU_PREFERENCE. The error is NotFound if no adapter has that index.
func (f Factory) Adapter(index int, preference uint32) (adapter Adapter, err error) {
	err = adapter.made(f.Try("IDXGIFactory6.EnumAdapterByGpuPreference", 29, uintptr(index), uintptr(preference),
		uintptr(unsafe.Pointer(iidDXGIAdapter1)), uintptr(unsafe.Pointer(&adapter.P))))
	return adapter, err
}

// Adapter is an IDXGIAdapter1.
type Adapter struct{ Object }

// Describe returns the adapter's description.
func (adapter Adapter) Describe() (d AdapterDesc, err error) {
	err = adapter.Try("IDXGIAdapter1.GetDesc1", 10, uintptr(unsafe.Pointer(&d)))
	return d, err
}

// Driver returns the version of the adapter's driver, for example "31.0.15.3623", or "" if DXGI
// does not say.
func (adapter Adapter) Driver() string {
	var v uint64
	if adapter.Try("IDXGIAdapter.CheckInterfaceSupport", 9, uintptr(unsafe.Pointer(iidDXGIDevice)), uintptr(unsafe.Pointer(&v))) != nil {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d.%d", v>>48, v>>32&0xFFFF, v>>16&0xFFFF, v&0xFFFF)
}

// Name returns the adapter's name.
func (d *AdapterDesc) Name() string { return windows.UTF16ToString(d.Description[:]) }
