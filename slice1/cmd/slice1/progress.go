package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// patience is how long a job runs before its progress is shown.
const patience = time.Second

// meter shows the progress of a job on a terminal: the bytes that are done, the bytes in all, a
// bar, the bytes per second and the time left. A nil meter shows nothing.
type meter struct {
	w          io.Writer
	start      time.Time
	all        int64         // bytes
	copied     atomic.Int64  // bytes
	end, ended chan struct{} // end is closed to end show; show closes ended when it has ended
}

// newMeter returns a meter of a job that will add the given number of bytes to it. It returns nil
// with -q, or if standard error is no character device.
func (j *job) newMeter(bytes int64) *meter {
	f, ok := j.stderr.(*os.File)
	if !ok || j.quiet {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return newMeter(f, bytes, patience)
}

func newMeter(w io.Writer, bytes int64, delay time.Duration) *meter {
	m := &meter{w: w, start: time.Now(), all: max(bytes, 1), end: make(chan struct{}), ended: make(chan struct{})}
	go m.show(delay)
	return m
}

// show draws the line after the delay, then again and again, and removes it at the end.
func (m *meter) show(delay time.Duration) {
	defer close(m.ended)
	const pause = 200 * time.Millisecond
	for width := 0; ; delay = pause {
		select {
		case <-m.end:
			if width > 0 {
				fmt.Fprintf(m.w, "\r%*s\r", width, "")
			}
			return
		case <-time.After(delay):
			line := m.line(time.Since(m.start))
			fmt.Fprintf(m.w, "\r%-*s", width, line)
			width = max(width, len(line))
		}
	}
}

// line returns the line that the meter shows if the job has taken so long.
func (m *meter) line(took time.Duration) string {
	const width = 30
	copied := m.copied.Load()
	left, cells := "?", min(int(float64(copied)/float64(m.all)*width), width-1)
	if copied > 0 {
		left = time.Duration(float64(took) * float64(m.all-copied) / float64(copied)).Round(time.Second).String()
	}
	return fmt.Sprintf("%s of %s [%s>%s] %s/s %s", binaryUnits(float64(copied)), binaryUnits(float64(m.all)), strings.Repeat("=", cells),
		strings.Repeat("-", width-1-cells), binaryUnits(float64(copied)/max(took.Seconds(), 1e-9)), left)
}

func (m *meter) add(bytes int64) {
	if m != nil {
		m.copied.Add(bytes)
	}
}

// done ends the meter and removes what it shows.
func (m *meter) done() {
	if m != nil {
		close(m.end)
		<-m.ended
	}
}
