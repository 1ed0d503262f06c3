package main

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// The batch: its pictures, the pixels of a side of one, the pixels of a side that are taken, from
// pixel `from` on, and the channels.
const (
	batch, side, crop, channels = 256, 256, 224, 3
	from                        = (side - crop) / 2
)

// peer is the program of NumPy's side. For each line that it reads, it does the batch once, on the
// same bytes, and prints the milliseconds, the result's CRC-32 and NumPy's version.
const peer = `
import sys, time, zlib
import numpy as np
n, side, crop, ch = 256, 256, 224, 3
a = ((np.arange(n * side * side * ch, dtype=np.uint64) * 2654435761) >> 13).astype(np.uint8).reshape(n, side, side, ch)
lo = (side - crop) // 2
for line in sys.stdin:
    start = time.perf_counter()
    cut = np.ascontiguousarray(a[:, lo:lo + crop, lo:lo + crop][:, :, ::-1])
    out = np.ascontiguousarray(cut.transpose(0, 3, 1, 2))
    print((time.perf_counter() - start) * 1000, zlib.crc32(out), np.__version__, flush=True)
`

// batches prints how long the batch takes by a plan and by NumPy in the given Python. It returns an
// error if their results differ.
func batches(w io.Writer, python string, rounds int) error {
	plan, err := batchPlan()
	if err != nil {
		return err
	}
	src := make([]byte, plan.SrcSize())
	for i := range src {
		src[i] = byte(uint64(i) * 2654435761 >> 13)
	}
	var sum uint32
	own := clocked(func() {
		dst := make([]byte, plan.DstSize()) // NumPy makes a new array each time, too.
		if e := plan.Run(dst, src); e != nil {
			err = e
		}
		if sum == 0 {
			sum = crc32.ChecksumIEEE(dst)
		}
	})
	numpy, err := startNumPy(python)
	if err != nil {
		return err
	}
	a, b, x := race(rounds, own, func() float64 {
		took, e := numpy.turn(sum)
		if e != nil {
			err = e
		}
		return took
	})
	if failed := numpy.end(); err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d x %d x %d x %d of uint8, cropped, mirrored, NHWC to NCHW, ms\n", batch, crop, crop, channels)
	fmt.Fprintf(w, "dml %.1f, NumPy %s %.1f: %.1f times as fast\n", a, numpy.version, b, x)
	return nil
}

// batchPlan returns the plan of the batch.
func batchPlan() (*slice1.Plan, error) {
	shape := []int{batch, side, side, channels}
	window, err := slice1.Crop(shape, []int{0, from, from, 0}, []int{batch, crop, crop, channels})
	if err != nil {
		return nil, err
	}
	if window, err = window.Step(1, 1, -1, 1); err != nil {
		return nil, err
	}
	desc, err := slice1.NewDesc(slice1.Uint8, shape, window).Permute(0, 3, 1, 2)
	if err != nil {
		return nil, err
	}
	return slice1.NewPlan(desc)
}

// numpy is a running process of Python with the program peer.
type numpy struct {
	process *exec.Cmd
	in      io.WriteCloser
	lines   *bufio.Scanner
	version string // of NumPy; "" before the first turn
}

func startNumPy(python string) (*numpy, error) {
	p := exec.Command(python, "-c", peer)
	p.Stderr = os.Stderr
	in, err := p.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &numpy{process: p, in: in, lines: bufio.NewScanner(out)}, p.Start()
}

// turn has NumPy do the batch once and returns the milliseconds, or an error if the result's
// CRC-32 is not sum.
func (n *numpy) turn(sum uint32) (float64, error) {
	fmt.Fprintln(n.in)
	n.lines.Scan()
	words := strings.Fields(n.lines.Text())
	if len(words) < 3 || words[1] != strconv.FormatUint(uint64(sum), 10) {
		return 0, fmt.Errorf("NumPy says %q, the sum here is %d", n.lines.Text(), sum)
	}
	n.version = words[2]
	return strconv.ParseFloat(words[0], 64)
}

func (n *numpy) end() error {
	return errors.Join(n.in.Close(), n.process.Wait())
}
