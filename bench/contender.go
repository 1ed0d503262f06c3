package main

import (
	"fmt"
	"hash/crc32"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// A turn is how often a contender slices at a time: Warm times only to warm the caches, then Reps
// times, which are timed. Both are one order to another process: if it waited between the two,
// it would lose its caches.
type turn struct {
	Warm int `json:"warm,omitempty"`
	Reps int `json:"reps,omitempty"`
}

// A contender is one way to do a row's slice.
type contender struct {
	name   string
	chosen string // the kernel that its plan chose, if it is dml, else ""
	run    func(t turn) (time.Duration, error)
	sum    func() (uint32, error) // slices once into gap bytes, returns the destination's CRC-32
	home   *process               // where it runs and has its buffers; nil: here
}

// The contenders of this process that are no kernels of the library, and those of peer.py by the
// names that it gives them.
const (
	naive   = "naive"
	cc      = "cc"
	dml     = "dml"
	oneShot = "oneshot"

	numpy       = "numpy"
	onnxRuntime = "onnxruntime"
)

// ownContenders returns the names of the contenders of this process, peers in C excepted, in the
// order that they have in tables.
func ownContenders() []string {
	names := []string{naive, cc}
	for _, k := range slice1.Kernels() {
		names = append(names, k.Name)
	}
	return append(names, dml, oneShot)
}

// allContenders returns the names that ownContenders returns, then those of the peers.
func allContenders() []string { return append(ownContenders(), peerNames()...) }

// A slicing is a slice that contenders are to do, and the buffers of those of this process.
type slicing struct {
	desc     *slice1.Desc
	width    int           // bytes of an element
	dst, src []byte        // exactly the tensors' memory
	own      slice1.Option // of dml's plans
}

func newSlicing(d *slice1.Desc, b *buffers) (*slicing, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	in, _ := d.Input.MinSize()
	out, _ := d.Output.MinSize()
	b.reach(int(out), int(in))
	return &slicing{desc: d, width: d.Input.DataType.Size(), dst: b.dst[:out:out], src: b.src[:in:in]}, nil
}

// bytes returns the bytes of all output elements.
func (s *slicing) bytes() int { return s.width * elementsOf(s.desc) }

// want slices by the operator's formula and returns the destination's CRC-32.
func (s *slicing) want() uint32 {
	clearTo(s.dst, gap)
	reference(s.desc, s.dst, s.src)
	return crc32.ChecksumIEEE(s.dst)
}

// contender returns a contender that slices once for each call of f.
func (s *slicing) contender(name string, f func() error) contender {
	return s.repeated(name, func(reps int) error {
		for range reps {
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
			err := f(1)
			return crc32.ChecksumIEEE(s.dst), err
		},
	}
}

// timed returns how long f takes, by the clock that now has.
func timed(f func() error) (time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := now()
	err := f()
	return now() - start, err
}

// contenders returns the contenders of this process that are wanted and can do the slicing, peers
// in C excepted. A nil list wants all of them.
func (s *slicing) contenders(wanted []string) (cs []contender, err error) {
	want := func(name string) bool { return wanted == nil || slices.Contains(wanted, name) }
	axes, first := axesOf(s.desc)
	axes = join(axes)
	if want(naive) {
		loop := naiveLoop(s.dst, s.src, axes, first, s.width)
		cs = append(cs, s.contender(naive, func() error { loop(); return nil }))
	}
	if want(cc) && len(axes) == 1 {
		if loop := ccLoop(s.dst, s.src, axes[0], first, s.width); loop != nil {
			cs = append(cs, s.contender(cc, func() error { loop(); return nil }))
		}
	}
	for _, k := range kernelChoices() {
		if want(k.name) {
			c, err := s.plan(k.name, k.option, slice1.WithParallelism(1))
			if err != nil {
				return nil, err
			}
			cs = append(cs, c)
		}
	}
	if want(dml) {
		c, err := s.plan(dml, slice1.WithParallelism(1), s.own)
		if err != nil {
			return nil, err
		}
		cs = append(cs, c)
	}
	if want(oneShot) {
		cs = append(cs, s.contender(oneShot, s.copy()))
	}
	return cs, nil
}

// A choice is an option that decides what a plan runs, and its name.
type choice struct {
	name   string
	option slice1.Option
}

// kernelChoices returns a choice for each kernel that can run here. If SLICE1_KERNEL names a
// kernel, others are left out.
func kernelChoices() (choices []choice) {
	forced := os.Getenv("SLICE1_KERNEL")
	for _, k := range slice1.Kernels() {
		if k.Usable && (forced == "" || k.Name == forced) {
			choices = append(choices, choice{k.Name, slice1.WithKernel(k.Name)})
		}
	}
	return choices
}

func (s *slicing) plan(name string, opts ...slice1.Option) (contender, error) {
	p, err := slice1.NewPlan(s.desc, opts...)
	if err != nil {
		return contender{}, err
	}
	c := s.contender(name, func() error { return p.Run(s.dst, s.src) })
	if name == dml {
		c.chosen = p.Kernel()
	}
	return c, nil
}

// scaled returns a contender for dml with each of these limits of goroutines, timed by the wall
// clock.
func (s *slicing) scaled(limits []int) (cs []contender, err error) {
	for _, n := range limits {
		c, err := s.plan(fmt.Sprintf("%s/parallel=%d", dml, n), slice1.WithParallelism(n), s.own)
		if err != nil {
			return nil, err
		}
		onThread := c.run
		c.run = func(t turn) (time.Duration, error) {
			if _, err := onThread(turn{Reps: t.Warm}); err != nil {
				return 0, err
			}
			start := time.Now()
			_, err := onThread(turn{Reps: t.Reps})
			return time.Since(start), err
		}
		cs = append(cs, c)
	}
	return cs, nil
}

func (s *slicing) copy() func() error {
	switch s.width {
	case 1:
		return copyOf(s.desc, s.dst, s.src)
	case 2:
		return copyOf(s.desc, elements[uint16](s.dst), elements[uint16](s.src))
	case 4:
		return copyOf(s.desc, elements[uint32](s.dst), elements[uint32](s.src))
	default:
		return copyOf(s.desc, elements[uint64](s.dst), elements[uint64](s.src))
	}
}

func copyOf[T slice1.Element](d *slice1.Desc, dst, src []T) func() error {
	return func() error { return slice1.Copy(dst, src, d, slice1.WithParallelism(1)) }
}
