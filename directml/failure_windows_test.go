//go:build amd64 || arm64

package directml

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

// footprint returns the bytes that this process has committed, and the number of a new handle. It
// closes the handle. The number stays low if the process closes its handles.
func footprint(t *testing.T) (bytes int64, handle int) {
	runtime.GC()
	var memory struct { // PROCESS_MEMORY_COUNTERS of psapi.h
		size, faults                                             uint32
		peakWorkingSet, workingSet                               uintptr
		peakPaged, paged, peakNonPaged, nonPaged, pagefile, peak uintptr
	}
	memory.size = uint32(unsafe.Sizeof(memory))
	ok, _, err := windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo").Call(uintptr(windows.CurrentProcess()), uintptr(unsafe.Pointer(&memory)), uintptr(memory.size))
	require.NotZero(t, ok, err)
	event, err := windows.CreateEvent(nil, 0, 0, nil)
	require.NoError(t, err)
	require.NoError(t, windows.CloseHandle(event))
	return int64(memory.pagefile), int(event)
}

func TestOpenRunCloseLeavesNothing(t *testing.T) {
	// Drivers fill caches of their own, mostly in the first rounds. A buffer of size large,
	// leaked in each round, would be many times larger.
	const warm, rounds, large = 50, 100, 64 << 20
	desc := slice1.Whole(slice1.Uint8, 1000, 1000)
	desc.WindowStrides = []int{-1, 1}
	desc.Output.Strides = []int{1001, 1} // gaps, so that the output is copied back by scatter
	g := translate.GeometryOf(desc)
	src, dst := bytes.Repeat([]byte{3}, int(g.SrcSize)), make([]byte, g.DstSize)
	live := d3d.Live()
	start := time.Now()
	var bytes int64
	var handle int
	for i := range rounds {
		if i == warm {
			bytes, handle = footprint(t)
		}
		d := openDevice(t)
		p, err := d.NewPlan(desc)
		require.NoError(t, err)
		require.NoError(t, p.Run(dst, src))
		require.Equal(t, byte(3), dst[g.DstSize-1])
		clear(dst)
		b, err := d.NewBuffer(large)
		require.NoError(t, err)
		require.NoError(t, b.Upload(src))
		require.Positive(t, d3d.Live()-live)
		require.NoError(t, d.Close())
		require.Equal(t, live, d3d.Live(), "after round %d", i)
	}
	bytes2, handle2 := footprint(t)
	t.Logf("%d rounds of open, run, close: %d COM objects left; from round %d on memory %+d KiB, next handle %d then %d; %v",
		rounds, d3d.Live()-live, warm, (bytes2-bytes)>>10, handle, handle2, time.Since(start).Round(time.Millisecond))
	if !isWine() {
		t.Log("memory and handles are not compared: on Windows, drivers keep some for each device that is created")
		return
	}
	assert.Less(t, bytes2-bytes, int64(rounds-warm)*large/4)
	assert.Less(t, handle2-handle, 4*(rounds-warm), "handles are 4 apart")
}

// If the DLL, a function of it, the adapter or the level is missing, Open's error names it. A path
// of the DLL that is not absolute is also an error.
func TestMissingPartsAreNamed(t *testing.T) {
	d := openDevice(t) // so that no error below comes from a machine without a device
	require.NoError(t, d.Close())
	live := d3d.Live()
	path := os.Getenv("DIRECTML_DLL")
	text := filepath.Join(os.TempDir(), "not-a-dll-"+filepath.Base(os.Args[0])+".dll")
	require.NoError(t, os.WriteFile(text, []byte("no DLL"), 0o666))
	defer os.Remove(text)
	system, err := windows.GetSystemDirectory()
	require.NoError(t, err)

	for name, c := range map[string]struct {
		opts []Option
		want []string
		is   error
	}{
		"no such DLL":     {[]Option{WithDLL(text + "x")}, []string{text + "x: "}, windows.ERROR_MOD_NOT_FOUND},
		"slashes":         {[]Option{WithDLL(filepath.ToSlash(text) + "/../x.dll")}, []string{filepath.Join(os.TempDir(), "x.dll") + ": "}, windows.ERROR_MOD_NOT_FOUND},
		"not a DLL":       {[]Option{WithDLL(text)}, []string{text + ": "}, windows.ERROR_BAD_EXE_FORMAT},
		"another DLL":     {[]Option{WithDLL(filepath.Join(system, "d3d12.dll"))}, []string{"d3d12.dll: DMLCreateDevice1"}, windows.ERROR_PROC_NOT_FOUND},
		"no such adapter": {[]Option{WithDLL(path), WithAdapter(1000)}, []string{"directml: no adapter 1000"}, nil},
		"no such LUID":    {[]Option{WithDLL(path), WithLUID(math.MaxUint64)}, []string{"directml: no adapter of LUID 0xffffffffffffffff"}, nil},
		"neither":         {[]Option{WithDLL(path), WithLUID(math.MaxUint64), WithAdapter(0)}, []string{"directml: no adapter 0 of LUID 0xffffffffffffffff"}, nil},
		"a level to come": {[]Option{WithDLL(path), WithSoftware(), WithFeatureLevel(0x7100)}, []string{"directml: no device: ", d.Info().Adapter + ": DirectML ", " has feature level ", "not 7.1"}, nil},
	} {
		d, err := Open(c.opts...)
		assert.Nil(t, d, name)
		assert.ErrorIs(t, err, errors.ErrUnsupported, name)
		for _, want := range c.want {
			assert.ErrorContains(t, err, want, name)
		}
		if c.is != nil {
			assert.ErrorIs(t, err, c.is, name)
		}
		assert.Equal(t, 1, strings.Count(err.Error(), "directml: "), err.Error())
		t.Logf("%s: %v", name, err)
	}
	for _, relative := range []string{"DirectML.dll", `.\DirectML.dll`, `\DirectML.dll`, "C:DirectML.dll"} {
		_, err := Open(WithDLL(relative))
		assert.ErrorContains(t, err, "is not absolute", relative)
	}
	assert.Equal(t, live, d3d.Live())
}

// WithLUID opens the adapter that Adapters lists with that LUID.
func TestLUIDNamesAnAdapter(t *testing.T) {
	d := openDevice(t)
	other, err := Open(WithDLL(os.Getenv("DIRECTML_DLL")), WithLUID(d.Info().LUID))
	require.NoError(t, err)
	defer other.Close()
	assert.NotZero(t, d.Info().LUID)
	assert.Equal(t, d.Info(), other.Info())
}

// Open's error is ErrUnsupported only if it would be the same again.
func TestWhatMayPassIsNotUnsupported(t *testing.T) {
	software := errors.New("WARP is software, which needs WithSoftware")
	passing := fmt.Errorf("card: %w", &Error{Call: "D3D12CreateDevice", Result: d3d.DeviceRemoved})
	lasting := fmt.Errorf("card: %w", &Error{Call: "D3D12CreateDevice", Result: d3d.NotSupported})
	assert.ErrorIs(t, noDeviceError{software, lasting}, errors.ErrUnsupported)
	assert.NotErrorIs(t, noDeviceError{passing, software}, errors.ErrUnsupported)
	assert.NotErrorIs(t, noDeviceError{lasting, passing}, errors.ErrUnsupported)
	assert.EqualError(t, noDeviceError{passing, software}, "directml: no device: card: D3D12CreateDevice: DXGI_ERROR_DEVICE_REMOVED; WARP is software, which needs WithSoftware")
}

// DIRECTML_EXPECT is the text that Open's error must contain. Without it the test is skipped. It is
// set for runs that lack something that only Wine's host can take away, for example the display or
// the Vulkan driver.
func TestOpenFailsAsExpected(t *testing.T) {
	expect := os.Getenv("DIRECTML_EXPECT")
	if expect == "" {
		t.Skip("DIRECTML_EXPECT is not set: nothing is missing on purpose")
	}
	d, err := Open(WithSoftware(), WithDLL(os.Getenv("DIRECTML_DLL")))
	require.Nil(t, d)
	t.Log(err)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorContains(t, err, expect)
	assert.Equal(t, 1, strings.Count(err.Error(), "directml: "), err.Error())
	assert.Zero(t, d3d.Live())
}
