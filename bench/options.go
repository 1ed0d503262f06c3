package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// options are what the command line asks for.
type options struct {
	works   []work
	widths  []int
	sizes   []size
	kernels []string // nil: all contenders of this process
	pace
	peers   peerFlag
	python  string
	out     string        // directory for what is written to files, "" for none
	measure time.Duration // budget of the races of dml's plans, 0 for none
	quick   bool
	list    bool

	addresses bool // the mode -addresses
	crowd     bool // the mode -crowd

	regret  bool // the mode -regret
	seeds   []uint64
	slices  int    // for each seed
	cases   string // file of the list of the mode -cases, "" for another mode
	against string // directory of another checkout, "" for none
	serve   bool
}

// peerFlag is the flag -peers: "" if it was not given, "true", "false", or names.
type peerFlag string

func (p *peerFlag) String() string   { return string(*p) }
func (p *peerFlag) IsBoolFlag() bool { return true }
func (p *peerFlag) Set(s string) error {
	if v, err := strconv.ParseBool(s); err == nil {
		*p = peerFlag(strconv.FormatBool(v))
		return nil
	}
	for _, name := range split(s) {
		if !isPeer(name) {
			return fmt.Errorf("no peer %q; there are %s", name, strings.Join(peerNames(), ", "))
		}
	}
	*p = peerFlag(s)
	return nil
}

// wants reports whether a peer of this name is to take part.
func (p peerFlag) wants(name string) bool {
	return p == "" || p == "true" || slices.Contains(split(string(p)), name)
}

// needs reports whether the program fails if it does not find the peer of this name.
func (p peerFlag) needs(name string) bool {
	return p == "true" && name == numpy || slices.Contains(split(string(p)), name)
}

// quickWorks are the works that -quick measures if -works names none.
const quickWorks = "crop64,crop4d,stride2,stride3,stride-1,stride-2,downsample,channel,bgr,tiny8d,transpose,tiny4x4"

// lists are flags whose values parseOptions splits or checks before it sets options by them.
type lists struct {
	works, widths, sizes, kernels, seeds string
	rounds                               int
}

// flags returns the flags, which set o and l.
func (o *options) flags(l *lists) *flag.FlagSet {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&l.works, "works", "", "`names` of works, separated by commas; strideN for any N (default all of -list)")
	flags.StringVar(&l.widths, "widths", "", "`bytes` per element: any of 1, 2, 4, 8 (default 1,2,4,8)")
	flags.StringVar(&l.sizes, "sizes", "", "output `sizes`: S, M, L, or bytes, multiples of 8 (default S,M)")
	flags.StringVar(&l.kernels, "kernels", "", "`names` of contenders: kernels, dml, oneshot, naive, cc (default all)")
	flags.IntVar(&l.rounds, "rounds", 0, "rounds per row (default 10)")
	flags.StringVar(&o.out, "o", "", "`directory` for raw lines in Go's benchmark format and for plots")
	flags.DurationVar(&o.measure, "measure", 0, "let the library race its candidates for up to this `duration`, such as 5ms, where it plans (default: no race)")
	flags.BoolVar(&o.quick, "quick", false, "fewer works, widths and rounds, and shorter ones; flags given still count")
	flags.Var(&o.peers, "peers", "compare with other libraries and fail without NumPy; with a list of `names`, such as -peers=libyuv,fftw, with these alone and fail without one (default: with those that are there)")
	flags.StringVar(&o.python, "python", "python3", "`command` that runs Python, for -peers")
	flags.BoolVar(&o.list, "list", false, "list the works and end")
	flags.BoolVar(&o.addresses, "addresses", false, "measure buffers whose addresses are near each other modulo a page, at the worst of many places")
	flags.BoolVar(&o.crowd, "crowd", false, "measure how late a timer is while 64 goroutines slice on 2 processors (needs 5 GiB)")
	flags.BoolVar(&o.regret, "regret", false, "race random slices: the library's choice and the best of what it could have been")
	flags.StringVar(&l.seeds, "seed", "1,2,3", "`seeds` of the random slices")
	flags.IntVar(&o.slices, "slices", 500, "random slices for each seed")
	flags.StringVar(&o.cases, "cases", "", "measure the permutations listed in a `file`")
	flags.StringVar(&o.against, "against", "", "compare with the library of another checkout, in this `directory`")
	flags.BoolVar(&o.serve, "serve", false, "slice as told on standard input: what -against runs")
	return flags
}

func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o, l := new(options), new(lists)
	flags := o.flags(l)
	flags.SetOutput(stderr)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	case o.regret && o.cases != "" || o.addresses && (o.regret || o.cases != "" || o.against != ""):
		return nil, errors.New("-addresses, -regret and -cases exclude each other")
	case o.measure < 0:
		return nil, fmt.Errorf("-measure %v", o.measure)
	case o.slices < 1:
		return nil, fmt.Errorf("%d slices", o.slices)
	case l.rounds < 0:
		return nil, fmt.Errorf("%d rounds", l.rounds)
	}
	o.pace = o.usualPace()
	if l.rounds > 0 {
		o.rounds = l.rounds
	}
	if o.quick {
		l.works = or(l.works, quickWorks)
		l.widths = or(l.widths, "1,4")
	}
	if err := o.split(l); err != nil {
		return nil, err
	}
	o.usualContenders()
	if l.kernels != "" {
		o.kernels = split(l.kernels)
		if (o.cases != "" || o.against != "") && !slices.Contains(o.kernels, dml) {
			o.kernels = append(o.kernels, dml) // what the others are compared with
		}
	}
	return o, checkContenders(o.kernels)
}

// split sets the seeds, works, widths and sizes from their lists.
func (o *options) split(l *lists) (err error) {
	for _, word := range split(l.seeds) {
		seed, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			return fmt.Errorf("%q is no seed", word)
		}
		o.seeds = append(o.seeds, seed)
	}
	o.works = works
	if l.works != "" {
		if o.works, err = named(split(l.works)); err != nil {
			return err
		}
	}
	for _, word := range split(or(l.widths, "1,2,4,8")) {
		n, err := strconv.Atoi(word)
		if _, ok := types[n]; !ok || err != nil {
			return fmt.Errorf("no elements are %q bytes wide", word)
		}
		o.widths = append(o.widths, n)
	}
	usual := "S,M"
	if o.addresses {
		usual = "S"
	}
	for _, word := range split(or(l.sizes, usual)) {
		s, err := parseSize(word)
		if err != nil {
			return err
		}
		o.sizes = append(o.sizes, s)
	}
	return nil
}

// usualPace returns the pace of the mode, which -rounds may change.
func (o *options) usualPace() pace {
	const settle = time.Millisecond
	switch {
	case o.addresses:
		return pace{9, 20 * time.Microsecond, time.Second, settle}
	case o.regret:
		return pace{15, 400 * time.Microsecond, 150 * time.Millisecond, settle}
	case o.cases != "":
		return pace{7, 2 * time.Millisecond, time.Second, settle}
	case o.against != "":
		return pace{31, time.Millisecond, 5 * time.Second, settle}
	case o.quick:
		return pace{6, time.Millisecond / 2, time.Second, settle}
	}
	return pace{10, 2 * time.Millisecond, 5 * time.Second, settle}
}

// duel reports whether the table's cells are measured by this library and that of another
// checkout.
func (o *options) duel() bool { return o.against != "" && !o.regret && o.cases == "" }

// usualContenders sets the contenders of this process, and the peers, that the mode reports.
func (o *options) usualContenders() {
	switch {
	case o.regret:
	case o.addresses:
		o.peers = "false"
	case o.cases != "":
		o.kernels = []string{naive, dml}
	case o.against != "":
		o.kernels = []string{dml}
		if o.peers == "" {
			o.peers = "false"
		}
	}
}

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

func split(list string) []string { return strings.Split(list, ",") }

func parseSize(word string) (size, error) {
	for _, s := range []size{sizeS, sizeM, sizeL} {
		if word == s.label {
			return s, nil
		}
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 8 || n%8 != 0 || n > 1<<30 {
		return size{}, fmt.Errorf("%q is no size: S, M, L, or bytes, a multiple of 8", word)
	}
	return sizeOf(n), nil
}

// checkContenders returns an error if one of the names is not that of a contender of this process.
func checkContenders(names []string) error {
	known := ownContenders()
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no contender %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// cells returns what the table measures, in order. It leaves out slices that a work cannot make
// so small, and takes a tiny work once, at the size that it has.
func (o *options) cells() (cells []cell) {
	for _, w := range o.works {
		for _, width := range o.widths {
			for i, s := range o.sizes {
				d, err := w.desc(width, s.bytes)
				if err != nil || w.tiny && i > 0 {
					continue
				}
				if w.tiny {
					s = sizeOf(width * elementsOf(d))
				}
				cells = append(cells, cell{work: w, width: width, size: s})
			}
		}
	}
	return cells
}

func elementsOf(d *slice1.Desc) int {
	n := 1
	for _, extent := range d.Output.Sizes {
		n *= extent
	}
	return n
}
