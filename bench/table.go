package main

import (
	"fmt"
	"io"
)

// The table's columns are of fixed width, since rows are printed as they come.
const (
	tableHead = "%-11s %5s %4s %9s  %-14s %11s %7s %5s %5s %7s %6s  %s\n"
	tableLine = "%-11s %5d %4s %9d  %-14s %11.1f %7.2f %5s %5.2f %7s %6s  %s\n"
)

func printHead(w io.Writer) {
	fmt.Fprintf(w, tableHead, "work", "width", "size", "bytes", "contender", "ns", "GB/s", "±", "roof", "x naive", "x cc", "x peer")
}

// printRow prints a line for each contender of a row, then an empty line.
func printRow(w io.Writer, r *row) {
	peer := r.best()
	for _, c := range r.results {
		name := c.name
		if c.chosen != "" {
			name += " (" + c.chosen + ")"
		}
		s := summary(c.ns)
		versus := ""
		if peer != nil {
			versus = fmt.Sprintf("%.2f %s", ratio(peer.ns, c.ns), peer.name)
		}
		fmt.Fprintf(w, tableLine, r.work.name, r.width, r.size.label, r.bytes, name, s.Center, r.rate(s.Center),
			s.PctRangeString(), ratio(r.roof, c.ns), r.versus(naive, &c), r.versus(cc, &c), versus)
	}
	fmt.Fprintln(w)
}

// versus returns how many times as fast c is as the contender of this name, as text, or "" if
// the row has no such contender.
func (r *row) versus(name string, c *result) string {
	if base := r.find(name); base != nil {
		return fmt.Sprintf("%.2f", ratio(base.ns, c.ns))
	}
	return ""
}
