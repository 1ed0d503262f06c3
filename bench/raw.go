package main

import (
	"fmt"
	"io"
	"math"
	"runtime"

	"golang.org/x/perf/benchfmt"
)

// rawWriter writes rows in Go's benchmark format.
type rawWriter struct {
	w      *benchfmt.Writer
	config []benchfmt.Config
}

func newRawWriter(w io.Writer, cpu, peers string) (*rawWriter, error) {
	raw := &rawWriter{w: benchfmt.NewWriter(w)}
	for _, kv := range [][2]string{
		{"goos", runtime.GOOS}, {"goarch", runtime.GOARCH}, {"pkg", "github.com/seed2e45c115/dml/bench"},
		{"cpu", cpu}, {"go", runtime.Version()}, {"cc", compiler}, {"peers", peers},
	} {
		raw.config = append(raw.config, benchfmt.Config{Key: kv[0], Value: []byte(kv[1]), File: true})
	}
	// The format knows ns/op and MB/s, but must be told that a higher "roof" is better.
	return raw, raw.w.Write(&benchfmt.UnitMetadata{
		UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: "roof", Key: "better"}, OrigUnit: "roof", Value: "higher"})
}

// write writes one line per contender and round.
func (raw *rawWriter) write(r *row) error {
	for _, c := range r.results {
		for i, ns := range c.ns {
			err := raw.w.Write(&benchfmt.Result{
				Config: raw.config,
				Name:   benchfmt.Name(fmt.Sprintf("Slice/work=%s/width=%d/size=%s/kernel=%s", r.work.name, r.width, r.size.label, c.name)),
				Iters:  c.reps,
				Values: []benchfmt.Value{
					{Value: round(ns, 100), Unit: "ns/op"},
					{Value: round(float64(r.bytes)/ns*1e3, 100), Unit: "MB/s"},
					{Value: round(r.roof[i]/ns, 1e4), Unit: "roof"},
				},
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// round rounds v to a multiple of 1/parts.
func round(v, parts float64) float64 { return math.Round(v*parts) / parts }
