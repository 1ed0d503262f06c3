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

// way is a way to run a nest: a candidate for the whole nest, or one for its first part.
type way struct {
	plan.Candidate
	pieces  *plan.Pieces // the parts; nil if the nest runs whole
	storing plan.Storing
}

// waysOf returns the ways to run n by all usable kernels: with ordinary stores if n has at most
// plan.PartBytes, else in parts, both with ordinary and with non-temporal stores. The costs and the
// programs are those of h.
func waysOf(h *plan.Host, n *nest.Nest) (all []way) {
	w := plan.Work{Kernels: usable(), Lines: plan.Here().LinesOf(n)}
	if nest.Bytes(n) <= plan.PartBytes {
		for _, c := range h.Candidates(n, w) {
			all = append(all, way{c, nil, plan.Cached})
		}
		return all
	}
	for _, storing := range []plan.Storing{plan.Cached, plan.NonTemporal} {
		pieces := plan.Cut(n)
		w.Storing = storing
		for _, c := range h.Candidates(&pieces.Shapes[0], w) {
			all = append(all, way{c, &pieces, storing})
		}
	}
	return all
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
