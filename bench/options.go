package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// options are what the command line asks for.
type options struct {
	works, widths, sizes, kernels []string // kernels nil: all contenders of this process
	peers                         []string // nil: those that are there
	seeds                         []uint64
	cases                         string // file with a list of permutations, or random, for a table of these instead of works
	rounds, runs                  int    // 0: the default
	python                        string
	dir                           string // directory for the files; "" for none
	baseline                      string // this program, built with the library of another checkout; "" for none
	list, serve, calls            bool
	regret                        bool
	slices, large                 int // random slices for each seed, and slices of size L for the first seed
}

// A list is a flag with values separated by commas.
type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = strings.Split(s, ","); return nil }

func checkNames(names, known []string) error {
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{widths: []string{"1", "2", "4", "8"}, seeds: []uint64{1, 2, 3}}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Var((*list)(&o.works), "works", "`names` of works; strideN for any N (default all of -list)")
	flags.Var((*list)(&o.widths), "widths", "`bytes` per element")
	flags.Var((*list)(&o.sizes), "sizes", "output `sizes`: S, M, L, or bytes, multiples of 8 (default S,M, with a list of permutations what it says)")
	flags.StringVar(&o.cases, "cases", "", "measure the permutations listed in a `file`, or with -cases random random slices, instead of works")
	flags.Var((*list)(&o.kernels), "kernels", "`names` of contenders: kernels, dml, oneshot, naive (default all)")
	flags.IntVar(&o.rounds, "rounds", 0, "rounds per row (default 10, with -regret 21)")
	flags.IntVar(&o.runs, "runs", 0, "first `runs` of a plan, before it is timed (default 128 or a second, of random slices 128, of those of size L 16)")
	flags.Var((*list)(&o.peers), "peers", "`names` of the libraries to compare with, such as libyuv,fftw, all of which must be there; or false (default: those that are there)")
	flags.BoolVar(&o.calls, "calls", false, "call the peers in C from Go once for each slice, as a program in Go does (default: a loop in C)")
	flags.StringVar(&o.python, "python", "python3", "`command` that runs Python, for the peers there")
	flags.StringVar(&o.baseline, "against", "", "compare with the library that another build of this `program` has")
	flags.StringVar(&o.dir, "o", "", "`directory` for lines in Go's benchmark format")
	flags.BoolVar(&o.list, "list", false, "list the works and end")
	flags.BoolVar(&o.regret, "regret", false, "race random slices: what plans have learned to take and the best of what they could have taken")
	flags.Func("seed", "`seeds` of the random slices, separated by commas (default 1,2,3)", func(s string) error {
		return json.Unmarshal([]byte("["+s+"]"), &o.seeds)
	})
	flags.IntVar(&o.slices, "slices", 300, "random slices for each seed")
	flags.IntVar(&o.large, "large", 40, "random slices of size L, of the first seed")
	flags.BoolVar(&o.serve, "serve", false, "slice as told on standard input: what this program runs itself for")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.slices < 0 || o.large < 0 || o.rounds < 0 || o.runs < 0 || o.regret && o.slices+o.large == 0 || len(o.seeds) == 0:
		return nil, errors.New("a number is too small")
	case o.sizes == nil && (o.cases == "" || o.cases == random):
		o.sizes = []string{"S", "M"}
	case o.sizes == nil:
		o.sizes = []string{""}
	}
	return o, errors.Join(checkNames(o.kernels, ownContenders()), checkNames(o.peers, append(peerNames(), "false")))
}

// cells returns what the table measures, in order. It leaves out slices that a work cannot make so
// small. It takes a tiny work once, at its own size.
func (o *options) cells() (cells []cell, err error) {
	switch o.cases {
	case "":
	case random:
		for _, size := range o.sizes {
			random, err := randomCells(o.seeds, o.slices, size)
			if err != nil {
				return nil, err
			}
			cells = append(cells, random...)
		}
		return cells, nil
	default:
		list, err := os.ReadFile(o.cases)
		for _, size := range o.sizes {
			permutations, failed := parsePermutations(bytes.NewReader(list), size)
			if err == nil && failed != nil {
				err = fmt.Errorf("%s: %w", o.cases, failed)
			}
			cells = append(cells, permutations...)
		}
		return cells, err
	}
	chosen := works
	if o.works != nil {
		if chosen, err = named(o.works); err != nil {
			return nil, err
		}
	}
	for _, w := range chosen {
		for _, width := range o.widths {
			for i, label := range o.sizes {
				c, err := w.cell(width, label)
				if err != nil && !errors.Is(err, errSmall) {
					return nil, err
				}
				if err == nil && (i == 0 || !w.tiny) {
					cells = append(cells, c)
				}
			}
		}
	}
	return cells, nil
}
