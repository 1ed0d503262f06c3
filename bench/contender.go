package main

import (
	"hash/crc32"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
)

// A turn is how often a contender slices at a time: Warm times only to warm the caches, then Reps
// times with the clock running. Another process gets both in one order. If it waited between the
// two, it would lose its caches.
type turn struct {
	Warm int `json:"warm,omitempty"`
	Reps int `json:"reps,omitempty"`
}

// A contender is what does a row's slice: a loop, a plan or another library.
type contender struct {
	name   string
	chosen func() string // returns the kernel that dml's plan has chosen; else nil
	run    func(t turn) (time.Duration, error)
	sum    func() (uint32, error) // slices once into bytes of the value gap, and returns the destination's CRC-32
	home   *process               // the process where it runs and has its buffers; nil: this one
}

// The contenders of this process that are no kernels of the library, and the contenders of peer.py
// by the names that it gives them.
const (
	naive   = "naive"
	dml     = "dml"
	oneShot = "oneshot"

	numpy       = "numpy"
	onnxRuntime = "onnxruntime"
)

// ownContenders returns the names of the contenders of this process, without peers in C, in the
// order of the tables.
func ownContenders() []string {
	names := []string{naive}
	for _, k := range slice1.Kernels() {
		names = append(names, k.Name)
	}
	return append(names, dml, oneShot)
}

// allContenders returns the names of ownContenders, then the names of the peers.
func allContenders() []string { return append(ownContenders(), peerNames()...) }

// A slicing is a slice that contenders have to do, and the buffers of the contenders of this
// process.
type slicing struct {
	desc     *slice1.Desc
	width    int    // bytes of an element
	dst, src []byte // exactly the tensors' memory
	cold     rotating
}

func newSlicing(d *slice1.Desc, b *buffers) (*slicing, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	srcBytes, _ := d.Input.MinSize()
	dstBytes, _ := d.Output.MinSize()
	b.reach(int(dstBytes), int(srcBytes))
	return &slicing{desc: d, width: d.Input.DataType.Size(), dst: b.dst[:dstBytes:dstBytes], src: b.src[:srcBytes:srcBytes]}, nil
}

// bytes returns the bytes of all output elements.
func (s *slicing) bytes() int { return s.width * elementsOf(s.desc) }

// want slices by a Go loop for each axis and returns the destination's CRC-32.
func (s *slicing) want() uint32 {
	clearTo(s.dst, gap)
	axes, start := axesOf(s.desc)
	naiveLoop(s.dst, s.src, axes, start, s.width)()
	return crc32.ChecksumIEEE(s.dst)
}

// contender returns a contender that slices once for each call of f.
func (s *slicing) contender(name string, f func() error) contender {
	return s.repeated(name, func(reps int) error {
		for range reps {
			s.advance()
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	})
}

// repeated returns a contender that slices reps times for each call of f.
func (s *slicing) repeated(name string, f func(reps int) error) contender {
	return contender{
		name: name,
		run: func(t turn) (time.Duration, error) {
			if err := f(t.Warm); err != nil {
				return 0, err
			}
			return timed(func() error { return f(t.Reps) })
		},
		sum: func() (uint32, error) {
			clearTo(s.dst, gap)
			places := s.cold.places
			s.cold.places = 0 // stay at this place, so that all contenders slice the same bytes
			err := f(1)
			s.cold.places = places
			return crc32.ChecksumIEEE(s.dst), err
		},
	}
}

// timed returns how long f takes, by the clock of now.
func timed(f func() error) (time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := cpuTime()
	err := f()
	return cpuTime() - start, err
}

// contenders returns the wanted contenders of this process that can do the slicing, without peers
// in C.
func (s *slicing) contenders(want func(name string) bool) (cs []contender, err error) {
	if want(naive) {
		axes, start := axesOf(s.desc)
		loop := naiveLoop(s.dst, s.src, join(axes), start, s.width)
		cs = append(cs, s.contender(naive, func() error { loop(); return nil }))
	}
	for _, k := range append(kernelNames(), dml) {
		if !want(k) {
			continue
		}
		c, err := s.plan(k, slice1.WithKernel(strings.TrimPrefix(k, dml))) // "" leaves the choice to the library
		if err != nil {
			return nil, err
		}
		cs = append(cs, c)
	}
	if want(oneShot) {
		cs = append(cs, s.contender(oneShot, s.copy))
	}
	return cs, nil
}

// kernelNames returns the kernels that can run here.
func kernelNames() (names []string) {
	for _, k := range slice1.Kernels() {
		if k.Usable {
			names = append(names, k.Name)
		}
	}
	return names
}

// plan returns a contender that runs a plan on one goroutine.
func (s *slicing) plan(name string, o slice1.Option) (contender, error) {
	p, err := slice1.NewPlan(s.desc, o, slice1.WithParallelism(1))
	if err != nil {
		return contender{}, err
	}
	return s.running(name, p), nil
}

// running returns a contender that runs p.
func (s *slicing) running(name string, p *slice1.Plan) contender {
	c := s.contender(name, func() error { return p.Run(s.dst, s.src) })
	if name == dml {
		c.chosen = p.Kernel
	}
	return c
}

func (s *slicing) copy() error {
	return slice1.CopyBytes(s.dst, s.src, s.desc, slice1.WithParallelism(1))
}

// buffers are two arenas that rows share. The source of a row is at the beginning of one arena, and
// the destination at the beginning of the other.
type buffers struct{ dst, src []byte }

// Times depend on addresses. So in every process the arena of sources begins at a multiple of
// aligned, and the arena of destinations begins behindForDst bytes after such a multiple. On some
// processors times are longer if the two are near each other modulo 1 MiB.
const (
	aligned      = 2 << 20
	behindForDst = 516 << 10
)

// reach makes the arenas at least dst and src bytes long. An arena that has to grow moves.
func (b *buffers) reach(dst, src int) {
	const smallest = 1 << 20
	const limit = 64 << 20 // arenas of up to this many bytes are twice as long as the one before
	if n := len(b.src); n < src {
		b.src = nil // so that arena can free it
		b.src = arena(max(src, min(2*n, limit), smallest), 0)
		fill(b.src)
	}
	if n := len(b.dst); n < dst {
		b.dst = nil
		b.dst = arena(max(dst, min(2*n, limit), smallest), behindForDst)
		clearTo(b.dst, gap) // so that the system has given all its pages
	}
}

// arena returns n bytes that begin `padding` bytes after a multiple of aligned, in large pages if
// the system has them. Before that it returns unused memory to the system.
func arena(n, padding int) []byte {
	debug.FreeOSMemory()
	b := make([]byte, n+3*aligned)
	skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (aligned - 1)
	b = b[skip:]
	huge(b[:len(b)&^(aligned-1)])
	return b[padding:][:n:n]
}

// fill writes bytes that depend only on their position, so that a peer in another process has the
// same source. Floats of these bytes are never NaN, since a library may change the bits of a NaN.
func fill(b []byte) {
	for i := range b {
		x := uint32(i) * 0x9e3779b1
		x ^= x >> 15
		b[i] = byte(x*0x85ebca6b>>24) & 0xbf
	}
}

// gap is the byte that fills a destination before a slice if its output is checked.
const gap = 0xee

func clearTo(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}

// rotation is how many bytes buffers in rotation take, much more than the caches hold. If two
// places of a large slice take more, the buffers take as much as these.
const rotation = 256 << 20

// rotating has places in an arena, for a slicing that runs each time at another place. The zero
// value is one place.
type rotating struct {
	arena              []byte
	places, slot       int
	srcStep, dstStep   int // bytes from one place to the next
	destinations       int // bytes before the destinations
	srcBytes, dstBytes int
}

// steps returns how many bytes lie from one copy of the source in the arena to the next one, and
// from one copy of the destination to the next one: what each has, in whole lines of the cache.
func (s *slicing) steps() (src, dst int) {
	return (len(s.src) + line - 1) / line * line, (len(s.dst) + line - 1) / line * line
}

// rotate gives s as many places in the arena as there is room for.
func (s *slicing) rotate(arena []byte) {
	r := rotating{arena: arena, srcBytes: len(s.src), dstBytes: len(s.dst)}
	r.srcStep, r.dstStep = s.steps()
	r.places = len(arena) / (r.srcStep + r.dstStep)
	r.destinations = r.places * r.srcStep
	s.cold = r
	s.advance()
}

// advance moves s to its next place.
func (s *slicing) advance() {
	r := &s.cold
	if r.places == 0 {
		return
	}
	const hop = 1_000_003 // a prime, so that all places are visited, and far, so that no prefetch serves the next
	r.slot = (r.slot + hop) % r.places
	s.src = r.arena[r.slot*r.srcStep:][:r.srcBytes:r.srcBytes]
	s.dst = r.arena[r.destinations+r.slot*r.dstStep:][:r.dstBytes:r.dstBytes]
}
