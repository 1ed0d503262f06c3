// Command slice1 crops, flips, transposes and subsamples NumPy arrays and pictures: .npy,
// .npz, PNG, JPEG, TIFF and others, raw elements, files of any size, and pipes. NumPy's index
// text says what is taken:
//
//	slice1 '[100:400, ::-1, :]' in.png out.png
//
// slice1 -h lists all flags and formats.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/seed2e45c115/dml/slice1"
)

const usage = `usage: slice1 [flags] INDEX IN OUT
       slice1 [flags] INDEX IN... FOLDER
       slice1 [flags] -stack INDEX IN... OUT
       slice1 [flags] -part I/N INDEX IN OUT
       slice1 [flags] -force -into BOX INDEX IN OUT
       slice1 [flags] -desc JOB.json IN OUT
       slice1 [flags] -explain [-json] INDEX IN
       slice1 -kernels
       slice1 -version

INDEX is NumPy basic indexing. IN is .npy, .npz, PNG, JPEG, GIF (its first frame), BMP, TIFF,
WebP, PGM or PPM, told by its content, or raw elements with -raw; in.npz:x is its member x.
OUT is .npy, .npz or out.npz:x, .png, .jpg, .ppm, .pgm, .raw or .bin, told by -to or its
name. Either may be - for a pipe; without -to, OUT is then .npy. Of several inputs, each has
its output under its name in FOLDER, which ends in / if it is new. Pictures are arrays
[height, width, channel] of uint8, or of uint16 where samples have 16 bits; of what else
their files hold the orientation is applied, and nothing is kept.
Flags may stand anywhere before --. In cmd.exe write "[::2]" for '[::2]'.

  slice1 '[::2, ::-1]' in.npy out.npy
  slice1 '[100:400, ::-1, :]' in.png out.png
  slice1 '[:1000]' in.npz:x out.npy
  slice1 -raw f4 -shape 3,1080,1920 '[0]' in.raw out.raw
  slice1 -axes 2,0,1 '[...]' in.png planes.npy
  slice1 '[8:40, 10:50]' photos/*.png cropped/
  slice1 -stack '[:224, :224]' photos/*.png batch.npy
  slice1 -part 3/8 '[::2]' in.npy out.npy
  slice1 -explain '[::2]' in.npy

Flags:
`

// version is the module's version. The linker sets another one for `make release VERSION=...`.
var version = "0.1.0"

// Exit codes.
const (
	exitOK    = 0
	exitError = 1 // data or input/output
	exitUsage = 2 // the command line, or a text like an index or a saved job
)

// errUsage is matched by usage errors. They end with the exit code exitUsage.
var errUsage = errors.New("usage")

type usageError struct{ error }

func (usageError) Is(target error) bool { return target == errUsage }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

func main() {
	if err := checkLimits(); err != nil {
		os.Exit(report(os.Stderr, err))
	}
	endOnSignal(os.Stderr)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the command with the given arguments and streams. It returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	j := job{stdin: stdin, stdout: stdout, stderr: stderr}
	fs := flag.NewFlagSet("slice1", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&j.desc, "desc", "", "do the job in `file`, which -explain -json wrote, instead of INDEX")
	fs.StringVar(&j.raw, "raw", "", "IN is elements of `type` float32, f4, u1, >i2, ... and nothing else, or frames nv12, nv21, i420, yuy2 or uyvy, which become RGB, as of limited BT.601 unless nv12,bt709 or nv12,bt601,full says so")
	fs.StringVar(&j.shape, "shape", "", "with -raw: the `extents` of IN, as in 3,1080,1920 or 1000x2; one may be -1, as all of it is without -shape")
	fs.Int64Var(&j.skip, "skip", 0, "with -raw: the `bytes` before the first element")
	fs.Func("to", "write `format` npy, npz, raw, png, jpeg or pnm, whatever OUT's name, or numbers of type u1, i1, u2, i2, i4, f2, bf16 or f4, rounded and saturated, or both, as in raw,f2", j.setTo)
	fs.Func("scale", "convert each number x to x*`scale` + bias: one value, or one per channel", listOf(&j.scale))
	fs.Func("bias", "the `bias` to -scale, in units of the result", listOf(&j.bias))
	fs.Func("mean", "convert each number x to (x/largest - `mean`)/std, as torchvision's Normalize; largest is 255 for u1, 65535 for u2, 1 for floats", listOf(&j.mean))
	fs.Func("std", "the standard deviation `std` to -mean, 0.229,0.224,0.225 for example", listOf(&j.std))
	fs.IntVar(&j.channel, "channel", -1, "the `axis`, before -axes, along which several values of -scale, -bias, -mean and -std are")
	fs.IntVar(&j.quality, "quality", 0, "of a JPEG to write: `percent`, 1 to 100 (default 90)")
	fs.StringVar(&j.axes, "axes", "", "give the axes of the result another `order`: 2,0,1 puts channels before height and width")
	fs.Func("orient", "turn a picture as EXIF `orientation` 1 to 8 or none says, whatever its own is", j.setOrient)
	fs.StringVar(&j.kernel, "kernel", "", "use exactly the kernel `name`")
	fs.Func("device", "slice on `cpu`, gpu or gpu:N, the Nth adapter (default cpu)", j.setDevice)
	fs.IntVar(&j.workers, "j", 0, "use `n` goroutines; 0: as many as processors, at most 8")
	fs.BoolVar(&j.stack, "stack", false, "take the slices of several inputs, which must be equal in type and shape, as one array with a new first axis")
	fs.Func("part", "do part `i/n` of the job, i from 1 to n, into its place in OUT, which is whole when all n have ended well", j.setPart)
	fs.StringVar(&j.box, "into", "", "write into window `box` of the array in OUT, as OUT[BOX] = IN[INDEX] of NumPy, with -force; of raw OUT after its shape, as in 48,64,3[8:40]")
	fs.BoolVar(&j.force, "force", false, "overwrite OUT")
	fs.BoolVar(&j.verbose, "v", false, "report shapes, kernel, bytes, speed and the loop nest on standard error")
	fs.BoolVar(&j.quiet, "q", false, "no notes and no progress on standard error")
	fs.BoolVar(&j.json, "json", false, "with -explain: as JSON, for -desc")
	explain := fs.Bool("explain", false, "print what would be done, write nothing")
	kernels := fs.Bool("kernels", false, "list the kernels")
	printVersion := fs.Bool("version", false, "print the version")

	err := parseArguments(fs, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(stdout, usage)
		fs.SetOutput(stdout)
		fs.PrintDefaults()
		return exitOK
	case err != nil && !errors.Is(err, errUsage):
		err = usageError{err}
	case err != nil:
	case *printVersion || *kernels:
		if err = j.take(fs.Args()); err == nil {
			err = inform(stdout, *printVersion)
		}
	case j.clash(*explain) != nil:
		err = j.clash(*explain)
	case *explain:
		err = j.take(fs.Args(), &j.in)
		if err != nil && j.take(fs.Args(), &j.in, &j.out) == nil { // the line of a job with the flag added
			j.out, err = "", nil
		}
		if err == nil {
			err = j.explain()
		}
	default:
		err = j.copies(fs.Args())
	}
	return report(stderr, err)
}

// inform prints the version if ofVersion is true, else the kernels.
func inform(w io.Writer, ofVersion bool) error {
	if ofVersion {
		_, err := fmt.Fprintf(w, "slice1 %s, %s for %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return err
	}
	return listKernels(w)
}

// clash returns a usage error if flags contradict each other or have a value out of range.
func (j *job) clash(explain bool) error {
	for _, c := range []struct {
		bad  bool
		says string
	}{
		{j.gpu && j.kernel != "", "-kernel is for -device cpu"},
		{j.gpu && j.parts > 0, "-part is for -device cpu"},
		{(j.scale != nil || j.bias != nil) && (j.mean != nil || j.std != nil), "-scale and -bias, or -mean and -std, not both"},
		{j.converts() && j.gpu, "numbers are converted on -device cpu"},
		{j.converts() && j.parts > 0, "-part moves elements, and converts none"},
		{j.parts > 0 && j.stack, "-part or -stack, not both"},
		{j.box != "" && (j.gpu || j.parts > 0 || j.stack || explain), "-into is for one input and -device cpu, without -part, -stack and -explain"},
		{j.parts > 0 && explain, "-explain is for all of a job, not for -part"},
		{j.stack && explain, "-explain is for one input, not for -stack"},
		{j.json && !explain, "-json is for -explain"},
		{j.shape != "" && j.raw == "", "-shape is for -raw"},
		{j.skip != 0 && j.raw == "", "-skip is for -raw"},
		{j.skip < 0, "-skip: at least 0 bytes"},
		{j.quality < 0 || j.quality > 100, "-quality: 1 to 100"},
		{j.workers < 0, "-j: at least 0 goroutines"},
		{j.quiet && j.verbose, "-q or -v, not both"},
	} {
		if c.bad {
			return usagef("%s", c.says)
		}
	}
	return nil
}

// take assigns the arguments, in their order, to the strings of to. If to is not empty and -desc is
// not given, the first argument is the index, and to gets the others. Too many and too few
// arguments are usage errors.
func (j *job) take(args []string, to ...*string) error {
	if len(to) > 0 && j.desc == "" {
		to = append([]*string{&j.index}, to...)
	}
	if len(args) != len(to) {
		return countError(args, len(to))
	}
	for i, p := range to {
		*p = args[i]
	}
	return nil
}

// copies does the job of the arguments. With a folder as output, or with -stack, it takes one or
// more inputs. With -part it does a part of one input, and else all of one input.
func (j *job) copies(args []string) error {
	first := 1
	if j.desc != "" {
		first = 0
	}
	last := len(args) - 1
	if last > first && j.parts == 0 && j.box == "" && (j.stack || isFolder(args[last])) {
		if first > 0 {
			j.index = args[0]
		}
		j.out = args[last]
		j.cutOut()
		inputs, err := inputsOf(args[first:last])
		switch {
		case err != nil:
			return err
		case j.stack:
			return j.pile(inputs)
		}
		return j.many(inputs)
	}
	if err := j.take(args, &j.in, &j.out); err != nil {
		return err
	}
	j.cutOut()
	if j.parts > 0 {
		return j.copyPart()
	}
	if j.box != "" {
		return j.copyInto()
	}
	return j.copy()
}

// report prints err in one line, if it is not nil. For an IndexError it prints two more lines: the
// wrong text, for example an index, near the wrong part, and carets below that part. It returns the
// exit code.
func report(stderr io.Writer, err error) int {
	var at *slice1.IndexError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &at):
		text, start := clipAround(at.Expr, at.Column)
		end := min(start+at.Length, len(text))
		fmt.Fprintf(stderr, "slice1: %s\n  %s\n  %s%s\n", oneLine(at.Msg), oneLine(text),
			strings.Repeat(" ", utf8.RuneCountInString(text[:start])),
			strings.Repeat("^", max(1, utf8.RuneCountInString(text[start:end]))))
		return exitUsage
	}
	fmt.Fprintf(stderr, "slice1: %s\n", message(err))
	if errors.Is(err, errUsage) || errors.Is(err, slice1.ErrKernel) {
		return exitUsage
	}
	return exitError
}

// packages removes the names of packages from the text of an error behind ": ".
var packages = strings.NewReplacer(": slice1: ", ": ", ": npy: ", ": ", ": imageslice: ", ": ")

// message returns the text of err in one line, without names of packages.
func message(err error) string {
	return oneLine(strings.TrimPrefix(packages.Replace(": "+err.Error()), ": "))
}

// clipAround returns the part of text that lies within 100 bytes of byte at, and the place of that
// byte in it.
func clipAround(text string, at int) (string, int) {
	const limit = 100
	at = min(at, len(text))
	start := max(at-limit, 0)
	return strings.ToValidUTF8(text[start:at], "?") + strings.ToValidUTF8(text[at:min(at+limit, len(text))], "?"),
		len(strings.ToValidUTF8(text[start:at], "?"))
}

func (j *job) note(text string) { fmt.Fprintf(j.stderr, "slice1: note: %s\n", oneLine(text)) }

// oneLine returns s without control characters and cut to 500 bytes.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, cut(s, 500))
}
