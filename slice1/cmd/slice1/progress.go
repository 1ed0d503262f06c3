//go:build windows || (unix && !aix)

package main

import (
	"io"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"
)

// patience is how long a job runs before it shows how far it is.
const patience = time.Second

// meter shows how far a job is, on a terminal: a bar, the bytes per second and
// the time left. A nil meter shows nothing.
type meter struct {
	all *mpb.Progress
	bar *mpb.Bar
}

// newMeter returns the meter of a job of so long an output, nil if there is no terminal.
func (j *job) newMeter(bytes int64) *meter {
	f, ok := j.stderr.(*os.File)
	if !ok || j.quiet || !cwriter.IsTerminal(int(f.Fd())) {
		return nil
	}
	return newMeter(f, bytes, patience)
}

func newMeter(w io.Writer, bytes int64, delay time.Duration) *meter {
	late := make(chan struct{})
	time.AfterFunc(delay, func() { close(late) })
	all := mpb.New(mpb.WithOutput(w), mpb.WithWidth(64), mpb.WithAutoRefresh(), mpb.WithRenderDelay(late))
	return &meter{all, all.AddBar(bytes, mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.CountersKibiByte("% .1f of % .1f")),
		mpb.AppendDecorators(
			decor.AverageSpeed(decor.SizeB1024(0), "% .1f"),
			decor.AverageETA(decor.ET_STYLE_GO, decor.WCSyncSpace)))}
}

func (m *meter) add(bytes int64) {
	if m != nil {
		m.bar.IncrInt64(bytes)
	}
}

// done removes the bar, whether all bytes came or not.
func (m *meter) done() {
	if m != nil {
		m.bar.Abort(true)
		m.all.Wait()
	}
}
