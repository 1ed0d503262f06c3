//go:build amd64 || arm64

package directml

import (
	"errors"
	"unsafe"
)

// Slots from dxgi.h, dxgi1_4.h and dxgi1_6.h.

type dxgiFactory struct {
	object
	version int // 4 or 6, of the interface
}

func createFactory(debug bool) (f dxgiFactory, err error) {
	create, err := systemProc("dxgi.dll", "CreateDXGIFactory2")
	if err != nil {
		return f, err
	}
	var flags uintptr
	if debug {
		flags = createFactoryDebug
	}
	f.version = 6
	err = invoke("CreateDXGIFactory2", create, flags, uintptr(unsafe.Pointer(iidDXGIFactory6)), uintptr(unsafe.Pointer(&f.p)))
	if errors.Is(err, noInterface) { // before Windows 10 1803
		f.version = 4
		err = invoke("CreateDXGIFactory2", create, flags, uintptr(unsafe.Pointer(iidDXGIFactory4)), uintptr(unsafe.Pointer(&f.p)))
	}
	err = f.made(err)
	return f, err
}

// adapter returns the adapter of that index, or notFound.
func (f dxgiFactory) adapter(index int, p Preference) (a dxgiAdapter, err error) {
	if f.version < 6 {
		err = f.try("IDXGIFactory4.EnumAdapters1", 12, uintptr(index), uintptr(unsafe.Pointer(&a.p)))
	} else {
		err = f.try("IDXGIFactory6.EnumAdapterByGpuPreference", 29, uintptr(index), uintptr(p),
			uintptr(unsafe.Pointer(iidDXGIAdapter1)), uintptr(unsafe.Pointer(&a.p)))
	}
	err = a.made(err)
	return a, err
}

type dxgiAdapter struct{ object }

func (a dxgiAdapter) describe() (d adapterDesc, err error) {
	err = a.try("IDXGIAdapter1.GetDesc1", 10, uintptr(unsafe.Pointer(&d)))
	return d, err
}
