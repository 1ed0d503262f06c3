// Command slice1 crops, flips, transposes and subsamples NumPy arrays and pictures: .npy,
// .npz, PNG, JPEG and others, raw elements, files of any size, and pipes. NumPy's index text says
// what is taken:
//
//	slice1 '[100:400, ::-1, :]' in.png out.png
//
// slice1 -h lists all flags and formats.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed2e45c115/dml/slice1"
)

// version is the module's version. The linker sets another one for `make release VERSION=...`.
var version = "0.1.0"

func main() {
	endOnSignal(os.Stderr)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run runs the command with the given arguments and streams. It returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	j := job{stdin: stdin, stdout: stdout, stderr: stderr}
	fs := flag.NewFlagSet("slice1", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&j.desc, "desc", "", "do the job in `file`, which -explain -json wrote, instead of INDEX")
	fs.StringVar(&j.raw, "raw", "", "IN is elements of `type` float32, f4, u1, >i2, ... and nothing else, or frames "+formNames()+", or FFmpeg's words for them, which become RGB, as of limited BT.601 unless nv12,bt709 or nv12,bt601,full says so")
	fs.StringVar(&j.shape, "shape", "", "with -raw: the `extents` of IN, as in 3,1080,1920 or 1000x2; one may be -1, as all of it is without -shape")
	fs.Func("skip", "with -raw: the `bytes` before the first element", integer(&j.skip, 0, math.MaxInt64))
	fs.Func("to", "write `format` npy, npz, raw, png, jpeg or pnm, whatever OUT's name, or numbers of type u1, u2, u4, u64, i1, i2, i4, i64, f2, bf16, f4 or f8, rounded and saturated, or both, as in raw,f2; from picture to picture samples of u1 and u2 are scaled", j.setTo)
	fs.Func("scale", "convert each number x to x*`scale` + bias: one value, or one per channel", listOf(&j.scale))
	fs.Func("bias", "the `bias` to -scale, in units of the result", listOf(&j.bias))
	fs.Func("quantize", "convert each number x to round(x/scale) + zero, `scale,zero`, as ONNX's QuantizeLinear: to i1, or u1 if zero is above 127, without -to", j.quantizer(slice1.Quantize))
	fs.Func("dequantize", "convert each integer q to (q - zero)*scale, `scale,zero`, as ONNX's DequantizeLinear", j.quantizer(slice1.Dequantize))
	fs.Func("mean", "convert each number x to (x/largest - `mean`)/std, as torchvision's Normalize; largest is 255 for u1, 65535 for u2, 1 for floats", listOf(&j.mean))
	fs.Func("std", "the standard deviation `std` to -mean, 0.229,0.224,0.225 for example", listOf(&j.std))
	fs.IntVar(&j.channel, "channel", -1, "the `axis`, before -axes, along which several values of -scale, -bias, -mean and -std are")
	fs.Func("quality", "of a JPEG to write: `percent`, 1 to 100 (default 90)", integer(&j.quality, 1, 100))
	fs.StringVar(&j.axes, "axes", "", "give the axes of the result another `order`: 2,0,1 puts channels before height and width")
	fs.Func("orient", "turn a picture as EXIF `orientation` 1 to 8 or none says, whatever its own is", j.setOrient)
	fs.StringVar(&j.kernel, "kernel", "", "use exactly the kernel `name`")
	fs.Func("device", "slice on `cpu`, gpu or gpu:N, the Nth adapter (default cpu)", j.setDevice)
	fs.Func("j", fmt.Sprintf("use `n` goroutines, at most %d, or slice n of several inputs at a time, at most %d; 0: as many as processors, at most 8", mostWorkers, mostTogether), integer(&j.workers, 0, mostWorkers))
	fs.Func("part", "do part `i/n` of the job, i from 1 to n, into its place in OUT, which is whole when all n have ended well", j.setPart)
	fs.BoolVar(&j.force, "force", false, "overwrite OUT")
	fs.BoolVar(&j.verbose, "v", false, "report shapes, kernel, bytes, speed and the loop nest on standard error")
	fs.BoolVar(&j.quiet, "q", false, "no notes and no progress on standard error")
	fs.BoolVar(&j.json, "json", false, "with -explain: as JSON, for -desc")
	explain := fs.Bool("explain", false, "print what would be done, write nothing")
	kernels := fs.Bool("kernels", false, "list the kernels")
	printVersion := fs.Bool("version", false, "print the version")

	err := parseArguments(fs, args)
	if err == nil {
		err = j.clash(fs)
	}
	switch rest := fs.Args(); {
	case errors.Is(err, flag.ErrHelp):
		help := bytes.NewBufferString(usage)
		fs.SetOutput(help)
		fs.PrintDefaults()
		_, err = help.WriteTo(stdout)
	case err != nil && !errors.Is(err, errUsage):
		err = usageError{err}
	case err != nil:
	case (*printVersion || *kernels) && len(rest) > 0:
		err = usagef("-kernels and -version take no arguments")
	case *printVersion || *kernels:
		text := fmt.Sprintf("slice1 %s, %s for %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		if *kernels {
			text = kernelList()
		}
		_, err = io.WriteString(stdout, text)
	default:
		err = j.perform(rest, *explain)
	}
	return report(stderr, err)
}

// perform does or explains the job of the arguments: the index, unless -desc is given, then inputs
// and an output. With a folder as output it takes one or more inputs, and else one. A job that is
// explained needs no output.
func (j *job) perform(args []string, explain bool) error {
	names, want := args, []string{"INDEX", "IN", "OUT"}
	if j.desc != "" {
		want = want[1:]
	} else if len(names) > 0 {
		j.index, names = names[0], names[1:]
	}
	if explain {
		want = want[:len(want)-1]
	}
	final := len(names) - 1
	switch index := slices.IndexFunc(args, bracketed); {
	case strings.HasPrefix(j.index, "'"):
		return usagef(`cmd.exe takes no single quotes, so write "[8:40, 10:50]"`)
	case j.desc == "" && index > 0 && exists(args[0]):
		return usagef("%s is a file, and no index: %s comes first", clip(args[0]), clip(args[index]))
	case final > 0 && !explain && j.parts == 0 && isFolder(names[final]):
		j.target = names[final]
		j.splitOut()
		inputs, err := inputsOf(names[:final])
		if err != nil {
			return err
		}
		return j.copyEach(inputs)
	case len(args) != len(want) && !(explain && len(names) == 2):
		return countError(args, want...)
	}
	j.source, j.target = names[0], names[final]
	j.splitOut()
	if explain {
		if final > 0 {
			_ = j.setFormat() // a wrong name is no error where nothing is written
		}
		return j.explain()
	}
	return j.copy()
}

// report prints err in one line, if it is not nil. For an IndexError it prints two more lines: the
// wrong text, for example an index, near the wrong part, and carets below that part. It returns the
// exit code.
func report(stderr io.Writer, err error) int {
	var wrong *slice1.IndexError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &wrong):
		text, start := clipAround(wrong.Expr, wrong.Column)
		end := min(start+wrong.Length, len(text))
		fmt.Fprintf(stderr, "slice1: %s\n  %s\n  %s%s\n", oneLine(wrong.Msg), oneLine(text),
			strings.Repeat(" ", utf8.RuneCountInString(text[:start])),
			strings.Repeat("^", max(1, utf8.RuneCountInString(text[start:end]))))
		return exitUsage
	}
	fmt.Fprintf(stderr, "slice1: %s\n", message(err))
	if errors.Is(err, errUsage) || errors.Is(err, slice1.ErrKernel) || errors.Is(err, slice1.ErrSyntax) {
		return exitUsage
	}
	return exitError
}

// parseArguments parses args with flags. Flags may stand anywhere before "--". An argument that
// begins with "-" is a flag, with two exceptions. "-" alone is no flag. Neither is "-" before a
// digit, a colon or a point: that is a negative index or a member of standard input. A flag that is
// unknown or comes twice, and a value that is missing or empty, are errors that match errUsage. The
// other errors come from flags.Parse.
func parseArguments(flags *flag.FlagSet, args []string) error {
	var given, rest, names []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' || strings.IndexByte("0123456789:.", arg[1]) >= 0 {
			rest = append(rest, arg)
			continue
		}
		name, value, valued := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		f := flags.Lookup(name)
		switch {
		case f == nil && hint(foreignFlags, hasWord(name)) != "":
			return usagef("-%s: no such flag; %s", name, hint(foreignFlags, hasWord(name)))
		case f == nil && name != "h" && name != "help":
			return usagef("%s: no such flag; -h lists them, and an argument that begins with - comes after --", clip(arg))
		case slices.Contains(names, name):
			return usagef("-%s is given twice", name)
		}
		given, names = append(given, arg), append(names, name)
		if f == nil || isSwitch(f) {
			continue
		}
		if i+1 < len(args) && !valued {
			i++
			value = args[i]
			given = append(given, value)
		}
		if value == "" {
			_, usage := flag.UnquoteUsage(f)
			return usagef("-%s needs a value: %s", name, usage)
		}
	}
	return flags.Parse(slices.Concat(given, []string{"--"}, rest))
}

// isSwitch reports whether the flag is boolean and so needs no value.
func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// clashes are flags that do not go together: any of one list with any of another, or without all of
// a third. In them, device=gpu stands for -device with gpu, to=TYPE for -to with a type of numbers,
// and * for any other flag.
var clashes = []struct{ flags, against, needs, says string }{
	{flags: "kernels version", against: "*", says: "it stands alone"},
	{flags: "shape skip", needs: "raw"},
	{flags: "json", needs: "explain"},
	{flags: "channel", needs: "scale bias mean std"},
	{flags: "orient", against: "raw", says: "raw elements are no picture"},
	{flags: "shape", against: "desc", says: "a job has the shape of its input"},
	{flags: "scale bias", against: "mean std", says: "either converts numbers"},
	{flags: "quantize", against: "dequantize", says: "either converts numbers"},
	{flags: "quantize dequantize", against: "scale bias mean std channel", says: "either converts numbers"},
	{flags: "part json device=gpu", against: "to=TYPE scale bias mean std quantize dequantize", says: "it moves elements, and converts none"},
	{flags: "part kernel", against: "device=gpu", says: "it is for the CPU"},
	{flags: "part", against: "explain", says: "the explanation is of a whole job"},
	{flags: "part", against: "quality", says: "it writes no JPEG"},
	{flags: "v", against: "q", says: "either reports or is quiet"},
	{flags: "v", against: "json", says: "the job alone is printed"},
}

// clash returns a usage error if two of the given flags do not go together, or one lacks another.
func (j *job) clash(flags *flag.FlagSet) error {
	given := map[string]bool{"device=gpu": j.gpu, "to=TYPE": j.typ != 0}
	flags.Visit(func(f *flag.Flag) { given[f.Name] = f.Value.String() != "false" })
	among := func(names string) string {
		for name := range strings.FieldsSeq(names) {
			if given[name] {
				return "-" + name
			}
		}
		return ""
	}
	for _, c := range clashes {
		for name := range strings.FieldsSeq(c.flags) {
			clash := among(c.against)
			if c.against == "*" && flags.NFlag() > 1 {
				clash = "other flags"
			}
			switch {
			case !given[name]:
			case c.needs != "" && among(c.needs) == "":
				return usagef("-%s is for -%s", name, strings.ReplaceAll(c.needs, " ", ", -"))
			case clash != "":
				return usagef("-%s does not go with %s: %s", name, clash, c.says)
			}
		}
	}
	return nil
}

// countError returns the usage error for too few or too many args. names are what the right ones
// are called.
func countError(args []string, names ...string) error {
	hint := ""
	if final := len(names) - 1; len(args) > len(names) && final > 0 && names[final] == "OUT" {
		hint = "; several inputs need a folder, which ends in / if it is new"
	}
	return usagef("%s, not %d: %s%s (-h shows the usage)", plural(len(args), "argument"), len(names), strings.Join(names, " "), hint)
}

// bracketed reports whether an argument begins as an INDEX mostly does.
func bracketed(arg string) bool { return strings.HasPrefix(arg, "[") }
