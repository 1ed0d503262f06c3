package main

import (
	"errors"
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapFile maps the first size bytes of f, which may be closed thereafter.
func mapFile(f *os.File, size int64, writable bool) (data []byte, unmap func() error, err error) {
	if size > math.MaxInt {
		return nil, nil, windows.ERROR_FILE_TOO_LARGE
	}
	protection, access := uint32(windows.PAGE_READONLY), uint32(windows.FILE_MAP_READ)
	if writable {
		protection, access = windows.PAGE_READWRITE, windows.FILE_MAP_WRITE
	}
	mapping, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, protection, uint32(size>>32), uint32(size), nil)
	if err != nil {
		return nil, nil, err
	}
	address, err := windows.MapViewOfFile(mapping, access, 0, 0, uintptr(size))
	// The view keeps the mapping alive.
	if err = errors.Join(err, windows.CloseHandle(mapping)); err != nil {
		return nil, nil, err
	}
	// The address is no Go pointer, so the conversion go vet asks for does not apply.
	data = unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size)
	return data, func() error { return windows.UnmapViewOfFile(address) }, nil
}
