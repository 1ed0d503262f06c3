//go:build amd64 || arm64

package directml

import (
	"encoding/base64"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/slice1"
)

// runtimeVariable names an environment variable with the path of an onnxruntime.dll that has the
// DirectML provider. The provider loads the DirectML.dll in the same folder, which must be the one
// of all tests, since a process that has two of them can mix their objects up.
const runtimeVariable = "DIRECTML_ONNXRUNTIME"

// sliced is a model in ONNX: z = x[:, :, 1:15, 2:18], by Slice of opset 9, for a float32 x of shape
// [1, 3, 16, 20].
const sliced = "CAg6fgo/CgF4EgF6GgFhIgVTbGljZSoNCgRheGVzQAJAA6ABByoPCgZzdGFydHNAAUACoAEHKg0KBGVuZHNAD0ASoAEHEgFnWhsKAXgSFgoUCAESEAoCCAEKAggDCgIIEAoCCBRiGwoBehIWChQIARIQCgIIAQoCCAMKAggOCgIIEEICEAk="

// Functions of OrtApi and OrtDmlApi, by their places in the tables of onnxruntime_c_api.h and
// dml_provider_factory.h.
const (
	ortGetErrorMessage                = 2
	ortCreateEnv                      = 3
	ortCreateSessionFromArray         = 8
	ortCreateSessionOptions           = 10
	ortSetSessionExecutionMode        = 13
	ortDisableMemPattern              = 17
	ortCreateTensorWithDataAsOrtValue = 49
	ortCreateMemoryInfo               = 68
	ortCreateCPUMemoryInfo            = 69
	ortReleaseEnv                     = 92
	ortReleaseMemoryInfo              = 94
	ortReleaseSession                 = 95
	ortReleaseValue                   = 96
	ortReleaseSessionOptions          = 100
	ortRunWithBinding                 = 133
	ortCreateIoBinding                = 134
	ortReleaseIoBinding               = 135
	ortBindInput                      = 136
	ortBindOutput                     = 137
	ortGetExecutionProviderAPI        = 195

	dmlAppendExecutionProvider1 = 1
	dmlCreateGPUAllocation      = 2
	dmlFreeGPUAllocation        = 3

	ortVersion = 17 // of the API; later DLLs have it too
	ortFloat32 = 1  // ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT
)

// table is the address of a table of functions. The table is not in Go's memory.
type table *[256]uintptr

// ort calls the functions of ONNX Runtime's C API.
type ort struct {
	t        *testing.T
	api, dml table
	pin      runtime.Pinner
}

// text returns the address of a string that ends with 0.
func (o *ort) text(s string) uintptr { return address(o, append([]byte(s), 0)) }

// address returns the address of memory, and keeps the memory in place until the test ends.
func address[T any](o *ort, memory []T) uintptr {
	o.pin.Pin(&memory[0])
	return uintptr(unsafe.Pointer(&memory[0]))
}

// call calls a function that returns an OrtStatus, which must be nil. It adds a last argument, the
// address of the result, and returns the result.
func (o *ort) call(t table, function int, args ...uintptr) uintptr {
	o.t.Helper()
	result := make([]uintptr, 1)
	o.do(t, function, append(args, address(o, result))...)
	return result[0]
}

// do calls a function that has no result and returns an OrtStatus, which must be nil.
func (o *ort) do(t table, function int, args ...uintptr) {
	o.t.Helper()
	status, _, _ := syscall.SyscallN(t[function], args...)
	if status != 0 {
		message, _, _ := syscall.SyscallN(o.api[ortGetErrorMessage], status)
		require.FailNow(o.t, windows.BytePtrToString(*(**byte)(unsafe.Pointer(&message))))
	}
}

// loaded returns the paths of the modules of this process that have a name.
func loaded(t *testing.T, name string) (paths []string) {
	modules, size, needed := make([]windows.Handle, 1024), uint32(unsafe.Sizeof(windows.Handle(0))), uint32(0)
	require.NoError(t, windows.EnumProcessModules(windows.CurrentProcess(), &modules[0], size*uint32(len(modules)), &needed))
	for _, m := range modules[:needed/size] {
		path := make([]uint16, 1024)
		n, err := windows.GetModuleFileName(m, &path[0], uint32(len(path)))
		require.NoError(t, err)
		if p := windows.UTF16ToString(path[:n]); strings.EqualFold(filepath.Base(p), name) {
			paths = append(paths, p)
		}
	}
	return paths
}

// ONNX Runtime's DirectML provider runs a model on the Device's queue. The model takes the output
// of a Dispatch from a Buffer, by the calls that the README names, without a wait. Its output is in
// host memory or in another Buffer. The provider has no DirectML.dll but the Device's. The model is
// a Slice, since DirectML has shaders of model 6 for arithmetic and Wine 8 does not know these.
func TestONNXRuntimeTakesABuffer(t *testing.T) {
	path := os.Getenv(runtimeVariable)
	if path == "" {
		t.Skip(runtimeVariable, " is not set")
	}
	dll := filepath.Join(filepath.Dir(path), "DirectML.dll")
	d := openDevice(t, WithDLL(dll), WithFeatureLevel(slice1.FeatureLevel5_0))
	module, err := windows.LoadLibraryEx(path, 0, windows.LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR|windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	require.NoError(t, err)
	base, err := windows.GetProcAddress(module, "OrtGetApiBase")
	require.NoError(t, err)
	at, _, _ := syscall.SyscallN(base)
	at, _, _ = syscall.SyscallN((*(*table)(unsafe.Pointer(&at)))[0], ortVersion) // GetApi
	require.NotZero(t, at)
	o := &ort{t: t, api: *(*table)(unsafe.Pointer(&at))}
	defer o.pin.Unpin()

	env := o.call(o.api, ortCreateEnv, 2, o.text("directml")) // ORT_LOGGING_LEVEL_WARNING
	at = o.call(o.api, ortGetExecutionProviderAPI, o.text("DML"), ortVersion)
	o.dml = *(*table)(unsafe.Pointer(&at))
	options := o.call(o.api, ortCreateSessionOptions)
	o.do(o.api, ortDisableMemPattern, options)
	o.do(o.api, ortSetSessionExecutionMode, options, 0) // ORT_SEQUENTIAL
	native := d.Native()
	o.do(o.dml, dmlAppendExecutionProvider1, options, uintptr(native.DirectML), uintptr(native.Queue))
	model, err := base64.StdEncoding.DecodeString(sliced)
	require.NoError(t, err)
	session := o.call(o.api, ortCreateSessionFromArray, env, address(o, model), uintptr(len(model)), options)
	all := loaded(t, "DirectML.dll")
	require.Len(t, all, 1, "DIRECTML_DLL must name %s", dll)
	library, err := d3d.LoadDirectML(all[0])
	require.NoError(t, err)
	assert.Equal(t, library.Version, d.Info().Version)

	// Dispatch makes planes of interleaved channels, and the model takes a window of them.
	planes, err := slice1.Whole(slice1.Float32, 16, 20, 3).Permute(2, 0, 1)
	require.NoError(t, err)
	p, err := d.NewPlan(planes)
	require.NoError(t, err)
	const size = 3 * 16 * 20 * 4
	picture, err := d.NewBuffer(size)
	require.NoError(t, err)
	input, err := d.NewBuffer(size)
	require.NoError(t, err)
	output := make([]byte, 3*14*16*4)
	result, err := d.NewBuffer(int64(len(output)))
	require.NoError(t, err)
	resource, _ := input.Native()
	allocation := o.call(o.dml, dmlCreateGPUAllocation, uintptr(resource))
	resource, _ = result.Native()
	filled := o.call(o.dml, dmlCreateGPUAllocation, uintptr(resource))
	gpu := o.call(o.api, ortCreateMemoryInfo, o.text("DML"), 0, 0, 0) // OrtDeviceAllocator, device 0, OrtMemTypeDefault
	cpu := o.call(o.api, ortCreateCPUMemoryInfo, 0, 0)
	x := o.call(o.api, ortCreateTensorWithDataAsOrtValue, gpu, allocation, size, address(o, []int64{1, 3, 16, 20}), 4, ortFloat32)
	shape := address(o, []int64{1, 3, 14, 16})
	z := o.call(o.api, ortCreateTensorWithDataAsOrtValue, cpu, address(o, output), uintptr(len(output)), shape, 4, ortFloat32)
	kept := o.call(o.api, ortCreateTensorWithDataAsOrtValue, gpu, filled, uintptr(len(output)), shape, 4, ortFloat32)
	binding := o.call(o.api, ortCreateIoBinding, session)
	o.do(o.api, ortBindInput, binding, o.text("x"), x)

	window := slice1.Whole(slice1.Float32, 3, 16, 20)
	window.WindowOffsets, window.WindowSizes, window.Output.Sizes = []int{0, 1, 2}, []int{3, 14, 16}, []int{3, 14, 16}
	rng := rand.New(rand.NewPCG(29, 29))
	for i := range 6 {
		value := z
		if i%2 == 1 {
			value = kept
		}
		o.do(o.api, ortBindOutput, binding, o.text("z"), value)
		src := randomBytes(rng, size)
		require.NoError(t, picture.Upload(src))
		require.NoError(t, p.Dispatch(input, picture))
		o.do(o.api, ortRunWithBinding, session, 0, binding)
		if value == kept {
			clear(output)
			require.NoError(t, result.Download(output))
		}
		require.Equal(t, onCPU(t, window, output, onCPU(t, planes, src, src)), output)
	}
	t.Logf("ONNX Runtime: 6 runs of a model on the device's queue and buffers, equal to the CPU's")

	for _, r := range []struct {
		function int
		object   uintptr
	}{
		{ortReleaseIoBinding, binding}, {ortReleaseValue, x}, {ortReleaseValue, z}, {ortReleaseValue, kept},
		{ortReleaseMemoryInfo, gpu}, {ortReleaseMemoryInfo, cpu},
		{ortReleaseSession, session}, {ortReleaseSessionOptions, options}, {ortReleaseEnv, env},
	} {
		syscall.SyscallN(o.api[r.function], r.object)
	}
	o.do(o.dml, dmlFreeGPUAllocation, allocation)
	o.do(o.dml, dmlFreeGPUAllocation, filled)
	require.NoError(t, d.alive())
}
