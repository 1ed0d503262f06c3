//go:build amd64 || arm64

package d3d

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// Without a path LoadDirectML finds the DLL beside the executable, or else the one in System32. It
// never finds the one in the current directory.
func TestDLLIsNotSearchedForInTheCurrentDirectory(t *testing.T) {
	path := os.Getenv("DIRECTML_DLL")
	if path == "" {
		t.Skip("DIRECTML_DLL is not set: no directory is known that has the DLL")
	}
	here, err := os.Getwd()
	require.NoError(t, err)
	require.NoError(t, os.Chdir(filepath.Dir(path)))
	defer func() { require.NoError(t, os.Chdir(here)) }()
	_, err = os.Stat(dllName)
	require.NoError(t, err)
	executable, err := os.Executable()
	require.NoError(t, err)
	system, err := windows.GetSystemDirectory()
	require.NoError(t, err)
	_, err = os.Stat(filepath.Join(filepath.Dir(executable), dllName))
	require.ErrorIs(t, err, os.ErrNotExist, "someone has put a DLL beside the test")
	found, err := findDirectML()
	if _, missing := os.Stat(filepath.Join(system, dllName)); missing == nil {
		require.NoError(t, err)
		assert.Equal(t, filepath.Join(system, dllName), found)
	} else {
		assert.ErrorIs(t, err, errors.ErrUnsupported)
		assert.EqualError(t, err, "directml: no DirectML.dll beside "+executable+" nor in "+system)
		_, same := LoadDirectML("")
		assert.Equal(t, err, same)
	}

	beside := filepath.Join(filepath.Dir(executable), dllName)
	dll, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(beside, dll, 0o666))
	defer os.Remove(beside)
	found, err = findDirectML()
	require.NoError(t, err)
	assert.Equal(t, beside, found)
}

// FindDebugLayers looks for DirectML's debug layer before Direct3D's. It looks only beside the DLL,
// since the layer in System32 belongs to another DLL.
func TestDebugLayersAreLookedFor(t *testing.T) {
	dir, err := os.MkdirTemp("", "layer") // not t.TempDir, which Wine 8 cannot remove
	require.NoError(t, err)
	defer os.Remove(dir)
	l := Library{dir: dir}
	system, err := windows.GetSystemDirectory()
	require.NoError(t, err)
	if windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil { // not in a system that others use
		layer := filepath.Join(system, layerName)
		require.NoError(t, os.WriteFile(layer, nil, 0o666))
		defer os.Remove(layer)
	}
	assert.EqualError(t, l.FindDebugLayers(), "directml: no DirectML.Debug.dll in "+l.dir)
	layer := filepath.Join(l.dir, layerName)
	require.NoError(t, os.WriteFile(layer, nil, 0o666))
	defer os.Remove(layer)
	debug, want := GetDebugInterface()
	debug.Release()
	assert.Equal(t, want, l.FindDebugLayers())
}
