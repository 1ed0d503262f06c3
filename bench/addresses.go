package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

// distances are the distances that -addresses measures: those of the destination's address from
// the source's, in bytes modulo a page. It measures each at 64 places, which are a page apart. If a
// processor also compares a few bits of physical addresses above those of a page, these bits of
// source and destination are equal at some of the places.
var distances = []int{0, 1, -1, 16, -16, 64, -64, 128, -128, 192, -192, 256, -256, 1024}

const (
	places = 64
	page   = 4 << 10
)

// runAddresses measures the cells by every kernel and by the choice, as far as they are wanted,
// with buffers at these distances. For each distance it prints the time at the worst place, as a
// multiple of the median over all distances and places.
func runAddresses(o *options, m *meter, stdout io.Writer) error {
	fmt.Fprintf(stdout, "%-11s %5s %6s %-8s %9s", "work", "width", "size", "kernel", "ns")
	for _, distance := range distances {
		fmt.Fprintf(stdout, " %5d", distance)
	}
	fmt.Fprintln(stdout)
	cells := o.cells()
	bar := newProgress(len(cells))
	defer bar.Finish()
	for _, c := range cells {
		bar.Add(1)
		d, err := c.work.desc(c.width, c.size.bytes)
		if err != nil {
			return err
		}
		for _, k := range append(kernelChoices(), choice{dml, m.own}) {
			if m.wanted != nil && !slices.Contains(m.wanted, k.name) {
				continue
			}
			usual, worst, err := m.measureNear(d, k.option)
			if err != nil {
				return err
			}
			bar.Clear()
			fmt.Fprintf(stdout, "%-11s %5d %6s %-8s %9.0f", c.work.name, c.width, c.size.label, k.name, usual)
			for _, times := range worst {
				fmt.Fprintf(stdout, " %5.2f", times)
			}
			fmt.Fprintln(stdout)
		}
	}
	return nil
}

// measureNear returns the usual time of a slice in nanoseconds, which is the median over all
// distances and places, and, for each distance, the time at the worst place as a multiple of
// the usual one. A time is compared with the median of its round, since the processor's speed
// changes.
func (m *meter) measureNear(d *slice1.Desc, o slice1.Option) (usual float64, worst []float64, err error) {
	s, err := m.slicing(d)
	if err != nil {
		return 0, nil, err
	}
	n := len(s.dst)
	m.reach(n+(places+1)*page, len(s.src))
	if s, err = m.slicing(d); err != nil { // reach may have moved the arenas
		return 0, nil, err
	}
	want := s.want()
	var cs []contender
	for _, distance := range distances {
		for place := range places {
			at := *s
			at.dst = m.dst[(place+1)*page+distance:][:n:n]
			c, err := at.plan("", o, slice1.WithParallelism(1))
			if err != nil {
				return 0, nil, err
			}
			cs = append(cs, c)
		}
	}
	if err := checkOutputs(cs, want); err != nil {
		return 0, nil, err
	}
	// All contenders get the same repetitions: the most that any of the first ones needs, since
	// the very first may have been slow and so need few.
	reps, _, err := interleave(cs[:places/4], m.pace)
	if err != nil {
		return 0, nil, err
	}
	t := turn{Warm: 1, Reps: slices.Max(reps)}
	times, ratios := make([]float64, len(cs)), make([][]float64, len(cs))
	var medians []float64
	for range m.rounds {
		for i := range cs {
			took, err := cs[i].run(t)
			if err != nil {
				return 0, nil, err
			}
			times[i] = float64(took.Nanoseconds()) / float64(t.Reps)
		}
		of := median(times)
		medians = append(medians, of)
		for i := range cs {
			ratios[i] = append(ratios[i], times[i]/of)
		}
	}
	for of := range slices.Chunk(ratios, places) {
		most := 0.0
		for _, r := range of {
			most = max(most, median(r))
		}
		worst = append(worst, most)
	}
	return median(medians), worst, nil
}
