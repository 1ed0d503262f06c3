package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// A record is a nest and, by the name of each way to run it, the nanoseconds that a run takes.
type record struct {
	Nest nest.Nest
	NS   map[string]float64
}

// usable returns all kernels that this build has and this host can run, plain Go among them.
func usable() plan.Kernels {
	host, ks := cpuid.Host(), plan.Only(plan.Go)
	for i, set := range csrc.Sets {
		if k := plan.Kernel(i); k.Built() && host.Has(set.Needs) {
			ks |= plan.Only(k)
		}
	}
	return ks
}

// part returns the nest of which a record's candidates are, which is the first part of the record's nest if that has more
// than plan.PartBytes, and the number of parts.
func (r *record) part() (part nest.Nest, count int64) {
	if nest.Bytes(&r.Nest) <= plan.PartBytes {
		return r.Nest, 1
	}
	pieces := plan.Cut(&r.Nest)
	return pieces.Shapes[0], pieces.Count
}

// waysOf returns the ways to run a record's nest by all usable kernels, whose programs are those of h: with ordinary
// stores if the nest has at most plan.PartBytes, else both with ordinary and with non-temporal stores.
func waysOf(h *plan.Host, r *record) []plan.Candidate {
	w := plan.Work{Kernels: usable(), Lines: h.LinesOf(&r.Nest)}
	if nest.Bytes(&r.Nest) <= plan.PartBytes {
		return h.Candidates(&r.Nest, w)
	}
	return h.CandidatesForParts(&r.Nest, w)
}

// costOf returns what a way to run a record's nest costs by the costs of another host, in picoseconds, with the
// program that h makes.
func costOf(h, other *plan.Host, r *record, c plan.Candidate) int64 {
	part, count := r.part()
	return count * h.PriceBy(other, c, &part, plan.Work{Lines: h.LinesOf(&r.Nest), Storing: c.Storing()})
}

// load returns the records of a file that bench wrote.
func load(name string) (all []record, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from := json.NewDecoder(bufio.NewReader(f))
	for from.More() {
		var r record
		if err := from.Decode(&r); err != nil {
			return nil, err
		}
		nest.Normalize(&r.Nest) // bench does not
		all = append(all, r)
	}
	return all, nil
}
