package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

//go:embed peer.py
var peerScript string

// startPeers starts or loads the peers that are to take part. It returns a text with the names and
// versions of those that are there and the names of those that are missing. It writes to stderr why
// they are missing. It returns an error if a peer is missing that the flag -peers needs.
func (m *meter) startPeers(python string, stderr io.Writer) (peers string, err error) {
	var failed error
	if slices.ContainsFunc(peersInPython, m.which.wants) {
		m.peers, failed = startPython(python)
	}
	var there, missing []string
	for _, name := range peerNames() {
		if !m.which.wants(name) {
			continue
		}
		version, err := "", failed
		if slices.Contains(peersInC, name) {
			version, err = m.load(name)
		} else if err == nil {
			version, err = m.inPython(name, python)
		}
		switch {
		case err == nil:
			there = append(there, name+" "+version)
		case m.which.needs(name):
			return "", fmt.Errorf("no peer %s: %w", name, err)
		default:
			missing = append(missing, name)
			fmt.Fprintf(stderr, "bench: no peer %s: %v\n", name, err)
		}
	}
	peers = or(strings.Join(there, ", "), "none")
	if missing != nil {
		peers += "; missing: " + strings.Join(missing, ", ")
	}
	return peers, nil
}

// inPython returns the version of a peer in Python, or an error if the running Python has no
// such peer.
func (m *meter) inPython(name, python string) (version string, err error) {
	if version = m.peers.versions[name]; version == "" {
		err = fmt.Errorf("%s has none", python)
	}
	return version, err
}

// load loads a peer in C and returns its version.
func (m *meter) load(name string) (version string, err error) {
	l, err := loadLibrary(name)
	if err != nil {
		return "", err
	}
	m.inC = append(m.inC, l)
	return l.version, nil
}

// startPython starts Python with NumPy and, if it is there, ONNX Runtime. The error says
// why Python or NumPy is not there.
func startPython(python string) (*process, error) {
	cmd := exec.Command(python, "-c", peerScript)
	// All contenders run on one thread, so that NumPy's libraries must not start more.
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	return start(cmd)
}

// task returns the slicing in the form in which Python takes it.
func (s *slicing) task() *task {
	t := &task{
		Width: s.width, Shape: s.desc.Input.Sizes, Step: s.desc.WindowStrides, Out: s.desc.Output.Sizes,
		InStrides: strides(s.desc.Input), OutStrides: strides(s.desc.Output),
		Packed:   s.desc.Input.Strides == nil && s.desc.Output.Strides == nil,
		SrcBytes: len(s.src), DstBytes: len(s.dst),
	}
	for i := range t.Step {
		t.Start = append(t.Start, firstOf(s.desc, i))
	}
	return t
}
