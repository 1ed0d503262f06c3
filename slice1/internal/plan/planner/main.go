// Command planner makes programs for drive.c. It is a process of its own, so that valgrind or a
// sanitizer watches only the loops in C and nothing of Go's. Its arguments are names of instruction
// sets. It reads nests from its standard input until that ends, and writes the programs for each to
// its standard output. planner.h describes both streams and declares them for C.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"unsafe"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// request asks for the programs of a nest. The low 8 bits of Fill are the value of each byte of a
// program that the planner does not set.
type request struct {
	Nest nest.Nest
	Fill int64
}

func main() {
	if err := serve(os.Stdin, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "planner:", err)
		os.Exit(1)
	}
}

// serve writes the sizes of a request and of a program, and the index in csrc.Sets of each set that
// names has. Then it answers each request with the number of its programs and the programs. It
// returns nil when `from` ends with a whole request.
func serve(from io.Reader, to io.Writer, names []string) error {
	in, out := bufio.NewReader(from), bufio.NewWriter(to)
	put := func(v int64) { out.Write(bytesOf(&v)) }
	put(int64(unsafe.Sizeof(request{})))
	put(int64(unsafe.Sizeof(csrc.Program{})))
	var sets []int32
	for _, name := range names {
		set := csrc.SetNumber(name)
		if set < 0 {
			return fmt.Errorf("no instruction set is called %q", name)
		}
		sets = append(sets, set)
		put(int64(set))
	}
	for {
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		var r request
		if _, err := io.ReadFull(in, bytesOf(&r)); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("the last request is incomplete: %w", err)
		}
		programs := programs(&r, sets)
		put(int64(len(programs)))
		for i := range programs {
			out.Write(bytesOf(&programs[i]))
		}
	}
}

// hosts has features of hosts on which their costs depend: this machine's and others.
var hosts = []cpuid.Features{cpuid.Host(), {Microarchitecture: "zen"}, {Microarchitecture: "zen5"}, {}, {Skewed: true}}

// programs returns the programs of every candidate for a nest by these sets, with all stores, by
// the costs of each host. It returns programs that are equal byte for byte once. The first one is
// the cheapest of the first set with ordinary stores by the costs of this host.
func programs(r *request, sets []int32) (made []csrc.Program) {
	var unset csrc.Program
	for i, bytes := 0, bytesOf(&unset); i < len(bytes); i++ {
		bytes[i] = byte(r.Fill)
	}
	for _, set := range sets {
		for _, f := range hosts {
			h := plan.HostOf(f)
			for _, may := range []plan.Stores{{Cached: true}, {NonTemporal: true}} {
				for _, c := range h.Candidates(&r.Nest, 1, plan.Work{Kernels: plan.Only(plan.Kernel(set)), Stores: may}) {
					p := unset
					if h.Make(&p, &r.Nest, c); !slices.Contains(made, p) {
						made = append(made, p)
					}
				}
			}
		}
	}
	return made
}

// bytesOf returns the bytes of v, which has no pointers, as a slice of v's own memory.
//
// unsafe: a slice of bytes may lie over any such value.
func bytesOf[T int64 | request | csrc.Program](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}
