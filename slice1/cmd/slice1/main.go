// Command slice1 cuts slices out of NumPy arrays and pictures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed2e45c115/dml/slice1"
)

const usage = `usage: slice1 [flags] INDEX IN OUT
       slice1 [flags] -window WINDOW IN OUT
       slice1 -explain INDEX IN
       slice1 -kernels
       slice1 -devices

INDEX is NumPy basic indexing. IN is .npy, PNG or JPEG, told by its content; OUT
is .npy or .png, told by its name. Either may be - for a pipe; OUT is then .npy.
Pictures are arrays [height, width, channel] of uint8, or uint16 for 16-bit PNGs.

  slice1 '[::2, ::-1]' in.npy out.npy
  slice1 '[100:400, ::-1, :]' in.png out.png
  slice1 -window 0+1080/1,0+1920/-1 in.npy out.npy
  slice1 -explain '[::2]' in.npy
  slice1 -device gpu '[::2]' in.npy out.npy

Flags:
`

// Exit codes.
const (
	exitOK    = 0
	exitError = 1 // data or input/output
	exitUsage = 2
)

// errUsage marks errors of the command line.
var errUsage = errors.New("usage")

type usageError struct{ error }

func (usageError) Is(target error) bool { return target == errUsage }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the command without the process around it. It returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	j := job{stdin: stdin, stdout: stdout, stderr: stderr}
	fs := flag.NewFlagSet("slice1", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&j.window, "window", "", "take `offset+size/stride,...`, one for each axis, instead of INDEX; /stride may be left out")
	fs.StringVar(&j.kernel, "kernel", "", "use exactly the kernel `name`")
	fs.Func("device", "slice on `cpu`, gpu, or gpu:N, a line of -devices (default cpu)", j.setDevice)
	fs.BoolVar(&j.force, "force", false, "overwrite OUT")
	fs.BoolVar(&j.verbose, "v", false, "report shapes, kernel, bytes and speed on standard error")
	explain := fs.Bool("explain", false, "print what would be done, write nothing")
	kernels := fs.Bool("kernels", false, "list the kernels")
	devices := fs.Bool("devices", false, "list the devices of DirectML")

	err := fs.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		fs.SetOutput(stdout)
		fs.PrintDefaults()
		return exitOK
	case err != nil:
		err = usageError{err}
	case j.gpu && j.kernel != "":
		err = usagef("-kernel is for -device cpu")
	case *kernels:
		if err = j.take(fs.Args()); err == nil {
			err = listKernels(stdout)
		}
	case *devices:
		if err = j.take(fs.Args()); err == nil {
			err = listDevices(stdout)
		}
	case *explain:
		if err = j.take(fs.Args(), &j.in); err == nil {
			err = j.explain()
		}
	default:
		if err = j.take(fs.Args(), &j.in, &j.out); err == nil {
			err = j.copy()
		}
	}
	return report(stderr, err)
}

// take sets the arguments, with the index before them where there are any and
// no window replaces it.
func (j *job) take(args []string, to ...*string) error {
	if len(to) > 0 && j.window == "" {
		to = append([]*string{&j.index}, to...)
	}
	if len(args) != len(to) {
		return usagef("%d arguments, not %d (flags come first; -h shows the usage)", len(args), len(to))
	}
	for i, p := range to {
		*p = args[i]
	}
	return nil
}

// report prints err as one line, with the text and a caret below it where a
// part of an index or a window is wrong, and returns the exit code.
func report(stderr io.Writer, err error) int {
	var at *slice1.IndexError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &at):
		start := min(at.Column, len(at.Expr))
		end := min(start+at.Length, len(at.Expr))
		fmt.Fprintf(stderr, "slice1: %s\n  %s\n  %s%s\n", oneLine(at.Msg), oneLine(at.Expr),
			strings.Repeat(" ", utf8.RuneCountInString(at.Expr[:start])),
			strings.Repeat("^", max(1, utf8.RuneCountInString(at.Expr[start:end]))))
		return exitUsage
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	fmt.Fprintf(stderr, "slice1: %s\n", oneLine(strings.TrimPrefix(err.Error(), "slice1: ")))
	if errors.Is(err, errUsage) || errors.Is(err, slice1.ErrKernel) {
		return exitUsage
	}
	return exitError
}

func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}
