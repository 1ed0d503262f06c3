// Command folder measures the command slice1 on a folder of small pictures beside another
// process that does the same by package imageslice:
//
//	go build -o bin/ ./slice1/cmd/slice1
//	go -C bench run ./folder -command ../bin/slice1
//
// The pictures are PNGs, which both crop and mirror. The other process reads a whole file,
// decodes it, slices it by package imageslice, encodes the result into memory and writes it as a
// whole, on as many goroutines as there are processors. Both are started anew in each
// round, in turns, and write into an empty folder. Times are medians over rounds, by the clock
// and of the processors. A ratio is the median of the ratios of slice1's time to the other's within
// each round. Both must make the same pictures.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed2e45c115/dml/slice1/imageslice"
)

const margin = 8 // pixels that are cut off at each edge

func main() {
	command := flag.String("command", "slice1", "`path` of the command")
	pictures := flag.Int("n", 1000, "pictures")
	side := flag.Int("side", 128, "pixels of each side")
	rounds := flag.Int("rounds", 11, "rounds")
	alone := flag.String("alone", "", "be the other process, from this `folder` into that of the argument")
	flag.Parse()
	err := error(nil)
	if *alone != "" {
		err = inMemory(*alone, flag.Arg(0))
	} else {
		err = compare(os.Stdout, *command, *pictures, *side, *rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "folder:", err)
		os.Exit(1)
	}
}

// inMemory crops and mirrors the PNGs of folder `from` and writes them to folder `to`.
func inMemory(from, to string) error {
	names, err := filepath.Glob(filepath.Join(from, "*.png"))
	if err != nil {
		return err
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make([]error, len(names))
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := next.Add(1) - 1; i < int64(len(names)); i = next.Add(1) - 1 {
				failed[i] = one(names[i], filepath.Join(to, filepath.Base(names[i])))
			}
		}()
	}
	wg.Wait()
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

func one(from, to string) error {
	file, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	m, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	m, err = imageslice.Slice(m, m.Bounds().Inset(margin), -1, 1)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := png.Encode(&out, m); err != nil {
		return err
	}
	return os.WriteFile(to, out.Bytes(), 0o666)
}

// compare draws pictures, measures both processes on them, checks that their results are the same,
// and prints how long they take.
func compare(w io.Writer, command string, pictures, side, rounds int) error {
	folder, err := os.MkdirTemp("", "folder")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	in := filepath.Join(folder, "in")
	names, err := draw(in, pictures, side)
	if err != nil {
		return err
	}
	args := append([]string{"-q", fmt.Sprintf("[%d:-%d, -%d:%d:-1]", margin, margin, margin+1, margin-1)}, names...)
	ours, theirs := filepath.Join(folder, "ours"), filepath.Join(folder, "theirs")
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var clock, processors turns
	for round := range rounds + 1 {
		x, err := timed(ours, command, append(args, ours)...)
		if err != nil {
			return err
		}
		y, err := timed(theirs, self, "-alone", in, theirs)
		if err != nil {
			return err
		}
		if round > 0 { // The first round only warms the caches.
			clock.add(x[0], y[0])
			processors.add(x[1], y[1])
		}
	}
	if err := same(ours, theirs, names); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d pictures of %d x %d, ms\nclock       %s\nprocessors  %s\n", pictures, side, side, &clock, &processors)
	return nil
}

// turns are the times of both sides in each round, in milliseconds, and the ratios of ours to theirs.
type turns struct{ ours, theirs, ratios []float64 }

func (t *turns) add(ours, theirs float64) {
	t.ours, t.theirs, t.ratios = append(t.ours, ours), append(t.theirs, theirs), append(t.ratios, ours/theirs)
}

func (t *turns) String() string {
	return fmt.Sprintf("slice1 %.0f, in memory %.0f, ratio %.2f", median(t.ours), median(t.theirs), median(t.ratios))
}

// draw makes a folder of PNGs, side pixels high and wide, and returns their names.
func draw(folder string, pictures, side int) (names []string, err error) {
	if err := os.Mkdir(folder, 0o777); err != nil {
		return nil, err
	}
	for i := range pictures {
		m := image.NewRGBA(image.Rect(0, 0, side, side))
		for k := range m.Pix {
			m.Pix[k] = byte(k*k>>7 + i*k>>9)
			if k%4 == 3 {
				m.Pix[k] = 0xff
			}
		}
		var file bytes.Buffer
		if err := png.Encode(&file, m); err != nil {
			return nil, err
		}
		names = append(names, filepath.Join(folder, fmt.Sprintf("%04d.png", i)))
		if err := os.WriteFile(names[i], file.Bytes(), 0o666); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// timed empties a folder, runs a process that fills it, and returns how many milliseconds that
// takes, by the clock and of the processors.
func timed(folder, name string, args ...string) (ms [2]float64, err error) {
	if err := os.RemoveAll(folder); err != nil {
		return ms, err
	}
	if err := os.Mkdir(folder, 0o777); err != nil {
		return ms, err
	}
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return ms, err
	}
	ms[0] = time.Since(start).Seconds() * 1000
	ms[1] = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() * 1000
	return ms, nil
}

// same returns an error unless both folders have the same pictures of these names.
func same(ours, theirs string, names []string) error {
	for _, name := range names {
		var pictures [2]image.Image
		for i, folder := range []string{ours, theirs} {
			file, err := os.ReadFile(filepath.Join(folder, filepath.Base(name)))
			if err != nil {
				return err
			}
			if pictures[i], err = png.Decode(bytes.NewReader(file)); err != nil {
				return err
			}
		}
		if a, b := pictures[0].(*image.RGBA), pictures[1].(*image.RGBA); !bytes.Equal(a.Pix, b.Pix) {
			return fmt.Errorf("%s: the results differ", name)
		}
	}
	return nil
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
