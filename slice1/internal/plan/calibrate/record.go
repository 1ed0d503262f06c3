package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// A record is a nest and, by the name of each way to run it, the nanoseconds that a run takes.
type record struct {
	Nest nest.Nest
	NS   map[string]float64
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

// waysOf returns the parts that a record's nest is cut into, and the ways of this machine to run
// them by all kernels of this build, with any stores.
func waysOf(r *record) (plan.Pieces, []plan.Candidate) {
	w := plan.Work{Stores: plan.Stores{Cached: true, NonTemporal: true}}
	for k := plan.Go; int(k) < len(csrc.Sets); k++ {
		if k.Built() {
			w.Kernels |= plan.Only(k)
		}
	}
	pieces := plan.Cut(&r.Nest, plan.Stores{Cached: true}, plan.Cutting{})
	return pieces, plan.Here().Candidates(&pieces.Shapes[0], pieces.Count, w)
}
