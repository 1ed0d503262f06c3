//go:build amd64 || arm64

package d3d

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	dllName   = "DirectML.dll"
	layerName = "DirectML.Debug.dll"
)

// Library is DirectML.dll, loaded. This package does not unload the DLL, since others in the
// process may use it.
type Library struct {
	create  uintptr // the address of DMLCreateDevice1
	dir     string  // where the DLL is
	Version string  // for example "1.15.4", or "" if the file has none
}

// LoadDirectML loads DirectML from the path, which must be absolute. If the path is "", it loads
// the DirectML.dll that findDirectML finds. It passes a full path to Windows in both cases, since a
// bare name would mean any DirectML.dll that the process has already loaded. The error is
// [errors.ErrUnsupported] if the DLL is missing, has no DMLCreateDevice1, or cannot be loaded. A
// lack of memory gives another error.
func LoadDirectML(path string) (l Library, err error) {
	if path == "" {
		if path, err = findDirectML(); err != nil {
			return l, err
		}
	} else if !filepath.IsAbs(path) {
		return l, fmt.Errorf("directml: path of the DLL: %q is not absolute", path)
	}
	path = filepath.Clean(path) // if it had slashes, Windows would not find the DLLs that this one needs
	module, err := windows.LoadLibraryEx(path, 0, windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR|windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	if err != nil {
		return l, missing(path, err)
	}
	if l.create, err = windows.GetProcAddress(module, "DMLCreateDevice1"); err != nil {
		return l, missing(path+": DMLCreateDevice1, which DirectML has from 1.1 on", err)
	}
	l.Version = fileVersion(path)
	l.dir = filepath.Dir(path)
	return l, nil
}

// missing returns the error for a DLL or a function that Windows does not give. It is
// [errors.ErrUnsupported], unless memory is short: that may pass.
func missing(name string, err error) error {
	switch err {
	case windows.ERROR_NOT_ENOUGH_MEMORY, windows.ERROR_OUTOFMEMORY, windows.ERROR_NO_SYSTEM_RESOURCES, windows.ERROR_COMMITMENT_LIMIT:
		return fmt.Errorf("directml: %s: %w", name, err)
	}
	return Unsupported("%s: %w", name, err)
}

// FindDebugLayers returns an error if DirectML's debug layer is not beside the DLL, or if
// Direct3D's is missing. DirectML refuses a debug layer of another version than its own.
func (l Library) FindDebugLayers() error {
	if _, err := os.Stat(filepath.Join(l.dir, layerName)); err != nil {
		return fmt.Errorf("directml: no %s in %s", layerName, l.dir)
	}
	debug, err := GetDebugInterface()
	debug.Release()
	return err
}

// findDirectML returns the path of the DirectML.dll beside the executable, where the
// redistributable one belongs. If it is missing, findDirectML returns the path of the one in the
// system directory. If both are missing, the error is [errors.ErrUnsupported].
func findDirectML() (string, error) {
	executable, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("directml: %w", err)
	}
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return "", fmt.Errorf("directml: %w", err)
	}
	for _, dir := range []string{filepath.Dir(executable), system} {
		path := filepath.Join(dir, dllName)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("directml: %w", err)
		}
	}
	return "", Unsupported("no %s beside %s nor in %s", dllName, executable, system)
}

// fileVersion returns the first three numbers of a DLL's version, for example "1.15.4", or "" if
// the file has no version or cannot be read.
func fileVersion(path string) string {
	size, err := windows.GetFileVersionInfoSize(path, nil)
	if err != nil || size == 0 {
		return ""
	}
	block := make([]byte, size)
	if err := windows.GetFileVersionInfo(path, 0, size, unsafe.Pointer(&block[0])); err != nil {
		return ""
	}
	var info *windows.VS_FIXEDFILEINFO // in block
	var length uint32
	if err := windows.VerQueryValue(unsafe.Pointer(&block[0]), `\`, unsafe.Pointer(&info), &length); err != nil || uintptr(length) < unsafe.Sizeof(*info) {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", info.FileVersionMS>>16, info.FileVersionMS&0xFFFF, info.FileVersionLS>>16)
}

// systemProc returns the address of a function of a DLL in System32. The error is
// [errors.ErrUnsupported] if there is no such DLL or function.
func systemProc(dll, name string) (uintptr, error) {
	module, err := windows.LoadLibraryEx(dll, 0, windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	if err != nil {
		return 0, missing(dll, err)
	}
	function, err := windows.GetProcAddress(module, name)
	if err != nil {
		return 0, missing(dll+": "+name, err)
	}
	return function, nil
}
