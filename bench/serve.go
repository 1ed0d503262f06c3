package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/seed2e45c115/dml/slice1"
)

// against is the name of the contender that is the choice of another checkout's library.
const against = "against"

// serve is what a process in Go does: it takes orders from `in` and writes an answer to each to out,
// until there are no more orders. Before the first order it writes an empty answer. It slices by
// plans that it makes with the option own.
func serve(in io.Reader, out io.Writer, own slice1.Option) error {
	runtime.LockOSThread()
	if err := pin(); err != nil {
		return err
	}
	say := json.NewEncoder(out)
	if err := say.Encode(answer{}); err != nil {
		return err
	}
	s := server{own: own}
	for orders := json.NewDecoder(in); ; {
		var o order
		switch err := orders.Decode(&o); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		a, err := s.obey(o)
		if err != nil {
			a.Error = err.Error()
		}
		if err := say.Encode(a); err != nil {
			return err
		}
	}
}

type server struct {
	buffers
	own    slice1.Option
	chosen contender
}

func (s *server) obey(o order) (a answer, err error) {
	switch o.Op {
	case "setup":
		slicing, err := newSlicing(o.Desc.desc(), &s.buffers)
		if err != nil {
			return a, err
		}
		s.chosen, err = slicing.plan(o.Name, slice1.WithParallelism(1), s.own)
		return answer{Names: []string{o.Name}}, err
	case "sum":
		a.Sum, err = s.chosen.sum()
	case "run":
		took, err := s.chosen.run(o.turn)
		return answer{NS: took.Nanoseconds()}, err
	default:
		err = fmt.Errorf("no order %q", o.Op)
	}
	return a, err
}
