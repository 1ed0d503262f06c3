//go:build amd64 || arm64

package directml

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/slice1"
)

// layerVariable names an environment variable. Its value is "" or a layer. With directMLsLayer,
// openDevice opens devices WithDebugLayer. With direct3DsLayer, only Direct3D's debug layer checks
// the tests of the process. With onTheGPU it also makes the adapter check the descriptors that
// shaders use and the states of their buffers. With any of these values, each device that
// openDevice opens is asked for complaints at the end of its test.
const (
	layerVariable  = "DIRECTML_TEST_LAYER"
	direct3DsLayer = "Direct3D"
	directMLsLayer = "DirectML"
	onTheGPU       = "GPU"
)

func TestMain(m *testing.M) {
	flag.Parse()
	err := enableLayer(os.Getenv(layerVariable))
	if *report != "" && os.Getenv(adapterVariable) == "" {
		err = reportAll(*report)
	} else if err == nil {
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func enableLayer(layer string) error {
	switch layer {
	case onTheGPU:
		debug, err := d3d.GetDebugInterface()
		if err != nil {
			return err
		}
		defer debug.Release()
		if err := validateOnGPU(debug); err != nil {
			return err
		}
		fallthrough
	case direct3DsLayer:
		return d3d.EnableDebugLayer()
	}
	return nil
}

var iidDebug1 = d3d.NewGUID("affaa4ca-63fe-4d8e-b8ad-159000af4304") // ID3D12Debug1

// validateOnGPU turns on Direct3D's GPU-based validation for devices that are created later. debug
// is an ID3D12Debug.
func validateOnGPU(debug d3d.Object) error {
	var debug1 d3d.Object
	err := debug.Try("ID3D12Debug.QueryInterface", 0, uintptr(unsafe.Pointer(iidDebug1)), uintptr(unsafe.Pointer(&debug1.P)))
	if err == nil {
		debug1.Call(4, 1) // SetEnableGPUBasedValidation
		debug1.Call(2)    // Release
	}
	return err
}

// child runs the tests that match a pattern in another process of this program, since a debug
// layer stays on until its process ends. It returns their output, and fails t if one fails.
func child(t *testing.T, tests string, env ...string) string {
	c := exec.Command(os.Args[0], "-test.v", "-test.count=1", "-test.run="+tests)
	c.Env = append(os.Environ(), env...)
	output, err := c.CombinedOutput()
	require.NoError(t, err, string(output))
	return string(output)
}

// Tests of results that run under debug layers. The adapter checks only a few of them, since it may
// take a hundred times as long for that.
const (
	layerTests = "KnownAnswer|Results|Chain|Chunks|RunAt|Shared|Partial|AtALimit|Slices|Native"
	gpuTests   = "KnownAnswer|DispatchesChain|AtALimit"
)

// requireNoComplaint runs tests of results in a process with a debug layer. The layer must not
// complain about them.
func requireNoComplaint(t *testing.T, layer, tests string) {
	output := child(t, tests, layerVariable+"="+layer)
	for _, test := range []string{"TestKnownAnswer", "TestDispatchesChain", "TestSlicesAreCutAtALimit"} {
		require.Contains(t, output, "--- PASS: "+test)
	}
	t.Logf("%s's debug layer: no complaint", layer)
}

// Neither Direct3D's debug layer nor its validation on the GPU complains about tests of results.
// The layer exists if Windows has its optional feature Graphics Tools. Without it the test only
// logs that it is missing.
func TestDirect3DsDebugLayerHasNoComplaint(t *testing.T) {
	debug, err := d3d.GetDebugInterface()
	if err != nil {
		t.Logf("Direct3D's debug layer: not on this machine: %v", err)
		return
	}
	debug.Release() // this leaves the layer off
	requireNoComplaint(t, direct3DsLayer, layerTests)
	requireNoComplaint(t, onTheGPU, gpuTests)
}

// The test makes the interface, with its methods at the header's slots.
func TestValidationOnTheGPUIsTurnedOn(t *testing.T) {
	var methods [64]uintptr
	object := &d3d.COM{Methods: &methods}
	on, references := uintptr(0), 0
	methods[0] = windows.NewCallback(func(this uintptr, iid *d3d.GUID, out **d3d.COM) uintptr { // QueryInterface
		if *iid != *iidDebug1 {
			return uintptr(d3d.NoInterface)
		}
		references++
		*out = object
		return 0
	})
	methods[2] = windows.NewCallback(func(this uintptr) uintptr { references--; return 1 })        // Release
	methods[4] = windows.NewCallback(func(this, enable uintptr) uintptr { on = enable; return 0 }) // SetEnableGPUBasedValidation
	require.NoError(t, validateOnGPU(d3d.Object{P: object}))
	assert.EqualValues(t, 1, on)
	assert.Zero(t, references)
}

// DirectML's debug layer does not complain about tests of results. It stores its messages with
// Direct3D's. Without the layer the test only logs why Open fails.
func TestDirectMLsDebugLayerHasNoComplaint(t *testing.T) {
	output := child(t, "^TestDebugLayersAreThereOrNamed$", layersVariable+"=1")
	if !strings.Contains(output, layersOpened) {
		_, why, _ := strings.Cut(output, layersMissing)
		require.NotEmpty(t, why)
		why, _, _ = strings.Cut(why, "\n")
		t.Logf("DirectML's debug layer: not on this machine: %s", why)
		return
	}
	requireNoComplaint(t, directMLsLayer, layerTests)
}

// The variable that TestDebugLayersAreThereOrNamed reads, and the texts that it logs.
const (
	layersVariable = "DIRECTML_TEST_LAYERS"
	layersOpened   = "layers: open"
	layersMissing  = "layers: missing: "
)

// WithDebugLayer opens a device, or its error names the missing part and other devices stay as they
// were. Direct3D's layer is turned on once, and only if nothing is missing. The debug layers are
// optional parts of Windows and of the redistributable.
func TestDebugLayersAreThereOrNamed(t *testing.T) {
	if os.Getenv(layersVariable) == "" {
		require.Contains(t, child(t, "^"+t.Name()+"$", layersVariable+"=1"), "--- PASS: "+t.Name())
		return
	}
	enabled := 0
	if debug, err := d3d.GetDebugInterface(); err == nil {
		t.Cleanup(debug.Release) // after the hook is gone, so that its DLL stays loaded
		var enable uintptr
		enable = hook(t, debug, 3, func(this uintptr) uintptr { // EnableDebugLayer
			enabled++
			syscall.SyscallN(enable, this)
			return 0
		})
	}
	other := openDevice(t)
	p, err := other.NewPlan(samples.Flipped(slice1.Uint8, 100))
	require.NoError(t, err)
	if err := openWithLayers(t); err != nil && !strings.Contains(err.Error(), stillRemoved) {
		if !strings.Contains(err.Error(), "DMLCreateDevice1") { // DMLCreateDevice1 needs Direct3D's layer and the developer mode
			assert.Zero(t, enabled)
			require.NoError(t, p.Run(make([]byte, 100), make([]byte, 100)))
		}
		t.Log(layersMissing + err.Error())
		return
	}
	other.Close() // it is removed: Direct3D's layer came after it
	require.NoError(t, openWithLayers(t))
	assert.Equal(t, 1, enabled)
	t.Log(layersOpened)
}

// stillRemoved is in the error of an Open that finds only one adapter, on which a removed device is
// not released. Direct3D's layer removes the device of an adapter when it is turned on.
const stillRemoved = "D3D12CreateDevice: "

// openWithLayers opens a device with the debug layers and closes it. It returns an error that names
// a missing layer or has stillRemoved in it. Any other error fails t.
func openWithLayers(t *testing.T) error {
	d, err := Open(append(machine(t), WithDebugLayer())...)
	if err == nil {
		return d.Close()
	}
	// The error of an adapter is one of several in the text.
	for _, missing := range []string{"CreateDXGIFactory2: ", "no DirectML.Debug.dll in ", "D3D12GetDebugInterface: ", "DMLCreateDevice1: DXGI_ERROR_SDK_COMPONENT_MISSING", stillRemoved} {
		if strings.Contains(err.Error(), missing) {
			return err
		}
	}
	require.NoError(t, err)
	return nil
}

// collectComplaints fails t at its end if the debug layers from now on have messages about d of
// severity warning or worse. It makes the queue keep all messages. By default unimportant messages
// could push out others.
func collectComplaints(t testing.TB, d *Device) {
	queue, err := d.d3d.InfoQueue()
	require.NoError(t, err)
	require.NoError(t, queue.Try("ID3D12InfoQueue.SetMessageCountLimit", 3, math.MaxUint64))
	queue.Call(4) // ClearStoredMessages: older DLLs do not know all levels that Open asks for
	t.Cleanup(func() {
		for _, m := range queue.Messages() {
			assert.Greater(t, m.Severity, uint32(d3d.SeverityWarning), m.Text)
		}
		queue.Release()
	})
}

// storedQueue makes an ID3D12InfoQueue, with its methods at the header's slots. It has one message
// of each severity. released counts calls of Release.
func storedQueue(released *int) d3d.InfoQueue {
	type stored struct {
		_, severity, id uint32 // the first is the category
		description     *byte
		length          uintptr
		text            [32]byte
	}
	var log []*stored
	for severity, text := range []string{"a loss", "a fault", "a doubt", "a fact", "a word"} {
		s := &stored{severity: uint32(severity), id: uint32(100 + severity), length: uintptr(len(text) + 1)}
		copy(s.text[:], text)
		log = append(log, s)
	}
	var methods [64]uintptr
	methods[1] = windows.NewCallback(func(this uintptr) uintptr { return 2 })                       // AddRef
	methods[2] = windows.NewCallback(func(this uintptr) uintptr { *released++; return 1 })          // Release
	methods[5] = windows.NewCallback(func(this, index uintptr, to *stored, size *uintptr) uintptr { // GetMessage
		if to != nil {
			*to = *log[index]
			to.description = &to.text[0]
		}
		*size = unsafe.Sizeof(stored{})
		return 0
	})
	methods[8] = windows.NewCallback(func(this uintptr) uintptr { return uintptr(len(log)) }) // GetNumStoredMessages
	return d3d.InfoQueue{Object: d3d.Object{P: &d3d.COM{Methods: &methods}}.Clone()}
}

// Messages of the debug layers are read whole. The error of a removed device has the last messages
// of severity warning or worse.
func TestMessagesAreRead(t *testing.T) {
	d, err := Open(machine(t)...)
	require.NoError(t, err)
	assert.Nil(t, d.Messages(), "there is no debug layer")
	released := 0
	d.log = storedQueue(&released)
	assert.Equal(t, []string{"corruption 100: a loss", "error 101: a fault", "warning 102: a doubt", "information 103: a fact", "message 104: a word"}, d.Messages())
	hook(t, d.d3d.Object, 37, func(this uintptr) uintptr { return 0x887A0006 }) // GetDeviceRemovedReason
	b, err := d.NewBuffer(4)
	assert.Nil(t, b)
	const want = "directml: device removed: ID3D12Device.GetDeviceRemovedReason: DXGI_ERROR_DEVICE_HUNG; the debug layers: corruption 100: a loss; error 101: a fault; warning 102: a doubt"
	assert.EqualError(t, err, want)
	assert.EqualError(t, d.Close(), want)
	assert.NotZero(t, released)
	assert.Nil(t, d.Messages())
}
