package main

import (
	"bufio"
	"encoding/json"
	"math"
	"os"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// A record is a nest and, by the name of each way to run it, the nanoseconds that a run takes.
type record struct {
	Nest nest.Nest
	NS   map[string]float64
}

// load returns the records of a file that bench wrote.
func load(name string) (records []record, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	decoder := json.NewDecoder(bufio.NewReader(f))
	for decoder.More() {
		var r record
		if err := decoder.Decode(&r); err != nil {
			return nil, err
		}
		nest.Normalize(&r.Nest) // bench does not
		records = append(records, r)
	}
	return records, nil
}

// waysOf returns the parts that a record's nest is cut into, and the ways of this machine to run
// them by all kernels of this build, with any stores.
func waysOf(r *record) (plan.Pieces, []plan.Candidate) {
	w := &plan.Problem{Stores: plan.Stores{Cached: true, NonTemporal: true}}
	for k := plan.Go; int(k) < len(program.Sets); k++ {
		if k.Built() {
			w.Kernels |= plan.OneKernel(k)
		}
	}
	pieces := plan.Cut(&r.Nest, plan.Stores{Cached: true}, plan.Cutting{})
	return pieces, plan.ThisHost().Candidates(&pieces.Shapes[0], pieces.Count, w)
}

// listed compares the fastest of all ways with the fastest of those that a plan of each record's
// nest lists, by the kernels and stores that were measured. It returns the geometric mean of what
// the listed one takes divided by what the fastest of all takes, and in how many records that is
// more than farFrom.
func listed(records []record) (longer float64, far int) {
	const farFrom = 1.15
	for i := range records {
		r := &records[i]
		fastest, w := math.Inf(1), &plan.Problem{Stores: plan.Stores{Cached: true}}
		pieces, ways := waysOf(r)
		for _, c := range ways {
			if ns, measured := r.NS[c.String()]; measured {
				fastest = min(fastest, ns)
				w.Kernels |= plan.OneKernel(c.Kernel)
				w.Stores.NonTemporal = w.Stores.NonTemporal || c.NonTemporal
			}
		}
		if w.Kernels == 0 {
			continue
		}
		var (
			list   [plan.MaxListed]plan.Candidate
			made   program.Draft
			chosen = math.Inf(1)
		)
		for _, c := range list[:plan.ThisHost().List(&list, &made, &pieces.Shapes[0], pieces.Count, w)] {
			if ns, measured := r.NS[c.String()]; measured {
				chosen = min(chosen, ns)
			}
		}
		longer += math.Log(chosen/fastest) / float64(len(records))
		if chosen > farFrom*fastest {
			far++
		}
	}
	return math.Exp(longer), far
}
