package main

import (
	"fmt"
	"io"
)

const (
	compareHead = "%-11s %5s %4s %9s %12s %12s %8s\n"
	compareLine = "%-11s %5d %4s %9d %12.1f %12.1f %8.3f%s\n"

	slowerFrom = 0.95 // a cell of less than this share of the other's speed is slower
)

// runAgainst measures the table's cells by the choice of this library and of the other
// checkout's, and once more those in which this library is slower.
func runAgainst(o *options, m *meter, stdout io.Writer) error {
	cells := o.cells()
	s := &session{meter: m, progress: newProgress(len(cells))}
	fmt.Fprintf(stdout, compareHead, "work", "width", "size", "bytes", "ns", against, "x speed")
	var all []float64
	var slow []cell
	for _, c := range cells {
		r, err := s.row(c)
		if err != nil {
			return err
		}
		s.progress.Clear()
		speed := r.speed()
		all = append(all, speed)
		mark := ""
		if speed < slowerFrom {
			mark = "  slower"
			slow = append(slow, c)
		}
		fmt.Fprintf(stdout, compareLine, r.work.name, r.width, r.size.label, r.bytes, median(r.find(dml).ns), median(r.find(against).ns), speed, mark)
	}
	s.progress.Finish()
	fmt.Fprintf(stdout, "\n%d cells, geometric mean %.3f; slower by more than 5 %%: %d, measured again:\n", len(all), geomean(all), len(slow))
	still := 0
	for _, c := range slow {
		r, err := m.measure(c)
		if err != nil {
			return err
		}
		if r.speed() < slowerFrom {
			still++
			fmt.Fprintf(stdout, "%8.3f  %s, width %d, size %s\n", r.speed(), c.work.name, c.width, c.size.label)
		}
	}
	fmt.Fprintf(stdout, "slower both times: %d\n", still)
	return nil
}

// speed returns how many times as fast this library's choice is as the other checkout's.
func (r *row) speed() float64 { return ratio(r.find(against).ns, r.find(dml).ns) }
