//go:build amd64 || arm64

package directml

import (
	"fmt"
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

// layerVariable names an environment variable, which is "" or a layer. With directMLsLayer,
// openDevice opens devices WithDebugLayer; with direct3DsLayer, Direct3D's debug layer alone
// checks everything that the tests of the process do. With either, each device that openDevice
// opens is asked for complaints at the end of its test.
const (
	layerVariable  = "DIRECTML_TEST_LAYER"
	direct3DsLayer = "Direct3D"
	directMLsLayer = "DirectML"
)

func TestMain(m *testing.M) {
	if os.Getenv(layerVariable) == direct3DsLayer {
		if err := d3d.EnableDebugLayer(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
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

// requireNoComplaint runs tests of results in a process with a debug layer, which must have no
// complaint about them.
func requireNoComplaint(t *testing.T, layer string) {
	output := child(t, "KnownAnswer|Results|Chain|Chunks|RunAt|Shared|Partial|AtALimit", layerVariable+"="+layer)
	for _, test := range []string{"TestKnownAnswer", "TestResultsAreTheCPUs", "TestDispatchesChain"} {
		require.Contains(t, output, "--- PASS: "+test)
	}
	t.Logf("%s's debug layer: no complaint", layer)
}

// Direct3D's debug layer has no complaint about tests of results. The layer exists if Windows
// has its optional feature Graphics Tools; without the layer the test only logs that.
func TestDirect3DsDebugLayerHasNoComplaint(t *testing.T) {
	debug, err := d3d.GetDebugInterface()
	if err != nil {
		t.Logf("Direct3D's debug layer: not on this machine: %v", err)
		return
	}
	debug.Release() // which leaves the layer off
	requireNoComplaint(t, direct3DsLayer)
}

// DirectML's debug layer, which stores its messages with Direct3D's, has no complaint about
// tests of results. Without the layer the test only logs why Open fails.
func TestDirectMLsDebugLayerHasNoComplaint(t *testing.T) {
	output := child(t, "^TestDebugLayersAreThereOrNamed$", layersVariable+"=1")
	if !strings.Contains(output, layersOpened) {
		_, why, _ := strings.Cut(output, layersMissing)
		require.NotEmpty(t, why)
		why, _, _ = strings.Cut(why, "\n")
		t.Logf("DirectML's debug layer: not on this machine: %s", why)
		return
	}
	requireNoComplaint(t, directMLsLayer)
}

// What TestDebugLayersAreThereOrNamed reads and logs.
const (
	layersVariable = "DIRECTML_TEST_LAYERS"
	layersOpened   = "layers: open"
	layersMissing  = "layers: missing: "
)

// WithDebugLayer either opens devices, or gives an error that names what is missing and leaves
// other devices as they were. Direct3D's layer is turned on once, and only if nothing is
// missing. The debug layers are optional parts of Windows and of the redistributable.
func TestDebugLayersAreThereOrNamed(t *testing.T) {
	if os.Getenv(layersVariable) == "" {
		require.Contains(t, child(t, "^"+t.Name()+"$", layersVariable+"=1"), "--- PASS: "+t.Name())
		return
	}
	enabled := 0
	if debug, err := d3d.GetDebugInterface(); err == nil {
		var enable uintptr
		enable = hook(t, debug, 3, func(this uintptr) uintptr { // EnableDebugLayer
			enabled++
			syscall.SyscallN(enable, this)
			return 0
		})
		debug.Release()
	}
	other := openDevice(t)
	p, err := other.NewPlan(samples.Flipped(slice1.Uint8, 100))
	require.NoError(t, err)
	if err := openWithLayers(t, os.Getenv("DIRECTML_DLL")); err != nil {
		if !strings.Contains(err.Error(), "DMLCreateDevice1") { // which needs Direct3D's layer, and the developer mode
			assert.Zero(t, enabled)
			require.NoError(t, p.Run(make([]byte, 100), make([]byte, 100)))
		}
		t.Log(layersMissing + err.Error())
		return
	}
	other.Close() // it is removed: Direct3D's layer came after it
	require.NoError(t, openWithLayers(t, os.Getenv("DIRECTML_DLL")))
	assert.Equal(t, 1, enabled)
	t.Log(layersOpened)
}

// openWithLayers opens a device with the debug layers and closes it. It returns an error that
// says that a layer is missing; any other error fails t.
func openWithLayers(t *testing.T, dll string) error {
	d, err := Open(WithDLL(dll), WithSoftware(), WithDebugLayer())
	if err == nil {
		return d.Close()
	}
	// An error about an adapter is one of several.
	for _, missing := range []string{"CreateDXGIFactory2: ", "no DirectML.Debug.dll in ", "D3D12GetDebugInterface: ", "DMLCreateDevice1: DXGI_ERROR_SDK_COMPONENT_MISSING"} {
		if strings.Contains(err.Error(), missing) {
			return err
		}
	}
	require.NoError(t, err)
	return nil
}

// message is D3D12_MESSAGE of d3d12sdklayers.h.
type message struct {
	category, severity, id uint32
	description            *byte
	length                 uintptr // of the description, its final 0 included
}

const severityWarning = 2 // D3D12_MESSAGE_SEVERITY_WARNING; lower numbers are corruption and errors, higher ones information

var iidInfoQueue = d3d.NewGUID("0742a90b-c387-483f-b946-30a7e4e61458") // ID3D12InfoQueue

// complaints returns what the debug layer has stored for a device of severity warning or
// worse. It returns nil for a device that is released.
func complaints(t testing.TB, device d3d.Object) (all []string) {
	if device.P == nil {
		return nil // the test has closed it
	}
	var queue d3d.Object
	require.NoError(t, device.Try("ID3D12Device.QueryInterface", 0, uintptr(unsafe.Pointer(iidInfoQueue)), uintptr(unsafe.Pointer(&queue.P))))
	defer queue.Call(2)                 // Release
	for i := range int(queue.Call(8)) { // GetNumStoredMessages
		var size uintptr
		require.NoError(t, queue.Try("ID3D12InfoQueue.GetMessage", 5, uintptr(i), 0, uintptr(unsafe.Pointer(&size))))
		words := make([]uint64, (size+7)/8)
		require.NoError(t, queue.Try("ID3D12InfoQueue.GetMessage", 5, uintptr(i), uintptr(unsafe.Pointer(&words[0])), uintptr(unsafe.Pointer(&size))))
		m := (*message)(unsafe.Pointer(&words[0]))
		if m.severity <= severityWarning {
			all = append(all, fmt.Sprintf("%d: %s", m.id, windows.BytePtrToString(m.description)))
		}
	}
	return all
}

// The queue of messages is made by the test and has its methods at the header's slots.
// Information and plain messages are left out, and each complaint is read whole.
func TestComplaintsAreRead(t *testing.T) {
	type stored struct {
		message
		text [32]byte
	}
	var log []*stored
	for severity, text := range []string{"corruption", "an error", "a warning", "information", "a message"} {
		s := &stored{message: message{severity: uint32(severity), id: uint32(100 + severity), length: uintptr(len(text) + 1)}}
		copy(s.text[:], text)
		log = append(log, s)
	}
	var methods [64]uintptr
	queue := &d3d.COM{Methods: &methods}
	methods[0] = windows.NewCallback(func(this uintptr, iid *d3d.GUID, out **d3d.COM) uintptr { // QueryInterface
		if *iid != *iidInfoQueue {
			return uintptr(d3d.NoInterface)
		}
		*out = queue
		return 0
	})
	methods[2] = windows.NewCallback(func(this uintptr) uintptr { return 1 })                       // Release
	methods[5] = windows.NewCallback(func(this, index uintptr, to *stored, size *uintptr) uintptr { // GetMessage
		if to != nil {
			*to = *log[index]
			to.description = &to.text[0]
		}
		*size = unsafe.Sizeof(stored{})
		return 0
	})
	methods[8] = windows.NewCallback(func(this uintptr) uintptr { return uintptr(len(log)) }) // GetNumStoredMessages
	assert.Equal(t, []string{"100: corruption", "101: an error", "102: a warning"}, complaints(t, d3d.Object{P: queue}))
}
