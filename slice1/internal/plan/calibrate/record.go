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

// waysOf returns the parts that a record's nest is cut into, and the ways to run them by all usable kernels, whose
// programs are those of h, with any stores.
func waysOf(h *plan.Host, r *record) (plan.Pieces, []plan.Candidate) {
	pieces := plan.Cut(&r.Nest)
	return pieces, h.Candidates(&pieces, plan.Work{Kernels: usable(), May: plan.Stores{Cached: true, NonTemporal: true}})
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
