package main

import (
	"encoding/json"
	"hash/crc32"
	"os"
	"os/exec"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If BENCH_TEST_PEER is set, the test binary takes the place of another process. With "right" it is
// a Python with a NumPy that slices right, and with "wrong" one that slices wrong. With "none" it
// is a Python without NumPy, and with "serve" the program for -against.
func TestMain(m *testing.M) {
	switch mode := os.Getenv("BENCH_TEST_PEER"); mode {
	case "":
		os.Exit(m.Run())
	case "serve":
		if err := serve(os.Stdin, os.Stdout); err != nil {
			panic(err)
		}
	default:
		standIn(mode)
	}
}

func standIn(mode string) {
	say := json.NewEncoder(os.Stdout)
	if mode == "none" {
		say.Encode(map[string]string{"error": "no numpy"})
		return
	}
	say.Encode(map[string]any{"versions": map[string]string{"numpy": "0"}})
	var src, dst []byte
	var axes []axis
	var first int
	for in := json.NewDecoder(os.Stdin); ; {
		var o order
		if in.Decode(&o) != nil {
			return
		}
		switch o.Op {
		case "setup":
			src, dst = make([]byte, o.SrcBytes), make([]byte, o.DstBytes)
			fill(src)
			axes, first = axesOf(o.Desc)
			say.Encode(map[string]any{"names": []string{"numpy"}})
		case "sum":
			clearTo(dst, gap)
			if mode == "right" {
				naiveLoop(dst, src, axes, first, 1)()
			}
			say.Encode(map[string]any{"sum": crc32.ChecksumIEEE(dst)})
		case "run":
			say.Encode(map[string]any{"ns": 1000 * o.Reps})
		}
	}
}

// withPeer returns a meter with the NumPy of TestMain as its peer. outputs is "right" or "wrong".
func withPeer(t *testing.T, outputs string, rounds int) *meter {
	t.Setenv("BENCH_TEST_PEER", outputs)
	p, err := startPython(os.Args[0])
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, p.Close()) })
	m := fast(rounds)
	m.peers = p
	return m
}

func TestPeersTakePartInRows(t *testing.T) {
	m := withPeer(t, "right", 2)
	for _, w := range works {
		r, err := m.measure(cellOf(t, w, 1, "S"))
		require.NoError(t, err, w.name)
		require.NotNil(t, r.best(), w.name)
		assert.Equal(t, "numpy", r.best().name, w.name)
		assert.Equal(t, []float64{1000, 1000}, r.best().ns, w.name)
	}
}

func TestAWrongPeerIsAnError(t *testing.T) {
	_, err := withPeer(t, "wrong", 1).measure(cellOf(t, stride(2), 1, "S"))
	assert.EqualError(t, err, "numpy: the output is wrong")
}

func TestAbsentPeersAreAnErrorThatSaysWhy(t *testing.T) {
	t.Setenv("BENCH_TEST_PEER", "none")
	_, err := startPython(os.Args[0])
	assert.EqualError(t, err, "no numpy")
	_, err = startPython("no-such-python")
	assert.Error(t, err)
}

func TestFillDependsOnPositionAlone(t *testing.T) {
	b := make([]byte, 6)
	fill(b)
	// fill of peer.py makes the same bytes.
	assert.Equal(t, []byte{0, 178, 191, 143, 133, 129}, b)
	var bufs buffers
	bufs.reach(8, 8)
	assert.Equal(t, b, bufs.src[:6])
}

func TestArenasBeginWhereThoseOfOtherProcessesDo(t *testing.T) {
	var b buffers
	for _, n := range []int{8, 3 << 20} {
		b.reach(n, n)
		assert.GreaterOrEqual(t, len(b.src), n)
		assert.GreaterOrEqual(t, len(b.dst), n)
		assert.Zero(t, uintptr(unsafe.Pointer(&b.src[0]))%(2<<20))
		assert.Equal(t, uintptr(516<<10), uintptr(unsafe.Pointer(&b.dst[0]))%(2<<20))
	}
}

// served starts the test binary as the program for -against, with this library.
func served(t *testing.T) *process {
	t.Helper()
	t.Setenv("BENCH_TEST_PEER", "serve")
	p, err := start(exec.Command(os.Args[0]))
	require.NoError(t, err)
	return p
}

func TestAnotherCheckoutTakesPartInRows(t *testing.T) {
	m := fast(2)
	m.wanted, m.home, m.baseline = []string{}, served(t), served(t)
	for _, w := range works {
		for width := range types {
			r, err := m.measure(cellOf(t, w, width, "S"))
			require.NoError(t, err, w.name)
			require.Len(t, r.results, 2, w.name)
			for i, name := range []string{dml, baseline} {
				assert.Equal(t, name, r.results[i].name)
				assert.Len(t, r.results[i].ns, 2, w.name)
			}
			assert.Nil(t, r.best(), "%s: another checkout is no peer", w.name)
		}
	}
	assert.NoError(t, m.Close())
}

func TestAServedProcessReportsWhatItCannotDo(t *testing.T) {
	p := served(t)
	_, err := p.send(order{Op: "sing"})
	assert.EqualError(t, err, `no order "sing"`)
	d, err := stride(2).desc(1, 64)
	require.NoError(t, err)
	d.WindowStrides[0] = 0
	_, err = p.contenders(order{Desc: d})
	assert.EqualError(t, err, d.Validate().Error())
	d.WindowStrides[0] = 2
	cs, err := p.contenders(order{Desc: d})
	require.NoError(t, err, "it goes on after an error")
	s, err := newSlicing(d, new(buffers))
	require.NoError(t, err)
	assert.NoError(t, checkOutputs(cs, s.want()))
	_, err = p.contender("none").sum()
	assert.ErrorContains(t, err, `no candidate "none"`)
	assert.NoError(t, p.Close())
	_, err = cs[0].sum()
	assert.Error(t, err, "it has ended")
}
