//go:build amd64 || arm64

package d3d

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Slots from dxgi.h, dxgi1_4.h and dxgi1_6.h.

// Factory is an IDXGIFactory4 or an IDXGIFactory6, which lists adapters.
type Factory struct {
	Object
	version int // 4 or 6, of the interface
}

// CreateFactory opens DXGI, with its debug layer or without.
func CreateFactory(debug bool) (f Factory, err error) {
	create, err := SystemProc("dxgi.dll", "CreateDXGIFactory2")
	if err != nil {
		return f, err
	}
	var flags uintptr
	if debug {
		flags = createFactoryDebug
	}
	f.version = 6
	err = Invoke("CreateDXGIFactory2", create, flags, uintptr(unsafe.Pointer(iidDXGIFactory6)), uintptr(unsafe.Pointer(&f.P)))
	if errors.Is(err, NoInterface) { // before Windows 10 1803
		f.version = 4
		err = Invoke("CreateDXGIFactory2", create, flags, uintptr(unsafe.Pointer(iidDXGIFactory4)), uintptr(unsafe.Pointer(&f.P)))
	}
	if errors.Is(err, NotSupported) {
		err = unsupportedError{err}
	}
	err = f.Made(err)
	return f, err
}

// Adapter returns the adapter of the given index, or the error NotFound. The preference is
// a DXGI_GPU_PREFERENCE; versions of Windows 10 before 1803 ignore it.
func (f Factory) Adapter(index int, preference uint32) (a Adapter, err error) {
	if f.version < 6 {
		err = f.Try("IDXGIFactory4.EnumAdapters1", 12, uintptr(index), uintptr(unsafe.Pointer(&a.P)))
	} else {
		err = f.Try("IDXGIFactory6.EnumAdapterByGpuPreference", 29, uintptr(index), uintptr(preference),
			uintptr(unsafe.Pointer(iidDXGIAdapter1)), uintptr(unsafe.Pointer(&a.P)))
	}
	err = a.Made(err)
	return a, err
}

// Adapter is an IDXGIAdapter1.
type Adapter struct{ Object }

// Describe returns what the adapter is.
func (a Adapter) Describe() (d AdapterDesc, err error) {
	err = a.Try("IDXGIAdapter1.GetDesc1", 10, uintptr(unsafe.Pointer(&d)))
	return d, err
}

// Name returns the adapter's own name.
func (d *AdapterDesc) Name() string { return windows.UTF16ToString(d.Description[:]) }
