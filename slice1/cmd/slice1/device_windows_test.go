package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml"
	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// The command takes the DirectML.dll beside its executable. So if DIRECTML_DLL names a DLL, the
// test copies its own executable and that DLL to a folder, and runs there again. Without
// DIRECTML_DLL the test uses the machine's device, and is skipped if there is none.
func TestGPUSlicesAsTheCPU(t *testing.T) {
	dll := os.Getenv("DIRECTML_DLL")
	if dll == "" {
		if device, err := directml.Open(); errors.Is(err, errors.ErrUnsupported) {
			t.Skip("DIRECTML_DLL is not set and the machine has no device: ", err)
		} else {
			require.NoError(t, err)
			require.NoError(t, device.Close())
		}
		checkGPU(t)
		return
	}
	if os.Getenv("SLICE1_CHILD") != "" {
		checkGPU(t)
		return
	}
	d := newDir(t)
	for name, path := range map[string]string{"slice1.exe": os.Args[0], "DirectML.dll": dll} {
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		d.write(name, file)
	}
	child := exec.Command(d.at("slice1.exe"), "-test.v", "-test.run=^TestGPUSlicesAsTheCPU$")
	child.Env = append(os.Environ(), "SLICE1_CHILD=1")
	output, err := child.CombinedOutput()
	require.NoError(t, err, string(output))
	require.Contains(t, string(output), "--- PASS: TestGPUSlicesAsTheCPU")
}

func checkGPU(t *testing.T) {
	d := newDir(t)
	// The test takes the first adapter that can be opened, hardware or software.
	adapters, err := directml.Adapters()
	require.NoError(t, err)
	gpu := ""
	for _, a := range adapters {
		device, err := directml.Open(directml.WithAdapter(a.Index))
		if err != nil {
			continue
		}
		require.NoError(t, device.Close())
		if gpu = fmt.Sprintf("gpu:%d", a.Index); !a.Software {
			gpu = "gpu" // gpu means the first hardware adapter that can be opened: this one
		}
		break
	}
	require.NotEmpty(t, gpu)

	for _, dtype := range []slice1.DataType{slice1.Int16, slice1.Uint64} {
		h := npy.Header{Type: dtype, Shape: []int{30, 40, 3}}
		d.write("in.npy", npyFile(h, counting(3600*dtype.Size())))
		for _, index := range []string{"[::-2, 3:30:4]", "[5, ..., ::-1]", "[None, 7, 8, 1]", "[3:3]"} {
			d.works("-force", index, "./in.npy", "./cpu.npy")
			d.works("-force", "-device", gpu, index, "./in.npy", "./gpu.npy")
			require.Equal(t, d.read("cpu.npy"), d.read("gpu.npy"), "%v %s", dtype, index)
		}
	}

	code, _, stderr := d.run("-force", "-v", "-device", gpu, "[::2]", "./in.npy", "./gpu.npy")
	assert.Equal(t, exitOK, code)
	assert.Regexp(t, `, kernel directml on .*, \d+ bytes in `, stderr)
	code, stdout, _ := d.run("-explain", "-device", gpu, "[::-1, 0]", "./in.npy")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, stdout, "\nplan    DirectML uint64 [30 40 3] window 0+30/-1,0+1/1,0+3/1 out [30 1 3]")
	code, stdout, _ = d.run("-explain", "-device", gpu, "[7, 8:]", "./in.npy")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, stdout, "\nplan    Direct3D copies 768 bytes each from 6912 to 0\n")
	d.refuses(exitError, "directml: no adapter 99", "-force", "-device", "gpu:99", "[::2]", "./in.npy", "./gpu.npy")
}
