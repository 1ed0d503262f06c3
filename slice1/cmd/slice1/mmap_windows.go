package main

import (
	"errors"
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapFile maps the first size bytes of f to be read.
func mapFile(f *os.File, size int64) (data []byte, unmap func() error, err error) {
	if size > math.MaxInt {
		return nil, nil, windows.ERROR_FILE_TOO_LARGE
	}
	mapping, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, uint32(size>>32), uint32(size), nil)
	if err != nil {
		return nil, nil, err
	}
	address, err := windows.MapViewOfFile(mapping, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	// The view keeps the mapping alive.
	if err = errors.Join(err, windows.CloseHandle(mapping)); err != nil {
		return nil, nil, err
	}
	// The address is no Go pointer, so the conversion go vet asks for does not apply.
	data = unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size)
	return data, func() error { return windows.UnmapViewOfFile(address) }, nil
}

// Windows takes pages back by itself, and knows no advice.

func adviseSequential([]byte) {}

func adviseRandom([]byte) {}

func releasePages([]byte) {}
