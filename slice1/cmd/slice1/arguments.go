package main

import (
	"flag"
	"slices"
	"strings"
)

// parseArguments parses args with flags. Flags may stand anywhere before "--". An argument that
// begins with "-" is a flag, with two exceptions. "-" alone is no flag. Neither is "-" before a
// digit, a colon or a point: that is a negative index or a member of standard input. A flag that is
// unknown or comes twice, and a value that is missing or empty, are errors that match errUsage. The
// other errors come from flags.Parse.
func parseArguments(flags *flag.FlagSet, args []string) error {
	var first, rest, names []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if len(a) < 2 || a[0] != '-' || strings.IndexByte("0123456789:.", a[1]) >= 0 {
			rest = append(rest, a)
			continue
		}
		name, value, valued := strings.Cut(strings.TrimPrefix(a[1:], "-"), "=")
		f := flags.Lookup(name)
		switch {
		case f == nil && elsewhere[name] != "":
			return usagef("-%s: no such flag; %s", name, elsewhere[name])
		case f == nil && name != "h" && name != "help":
			return usagef("%s: no such flag; -h lists them, and an argument that begins with - comes after --", clip(a))
		case slices.Contains(names, name):
			return usagef("-%s is given twice", name)
		}
		first, names = append(first, a), append(names, name)
		if f == nil || isSwitch(f) {
			continue
		}
		if i+1 < len(args) && !valued {
			i++
			value = args[i]
			first = append(first, value)
		}
		if value == "" {
			_, what := flag.UnquoteUsage(f)
			return usagef("-%s needs a value: %s", name, what)
		}
	}
	return flags.Parse(slices.Concat(first, []string{"--"}, rest))
}

// elsewhere says where to go for what other programs have a flag for.
var elsewhere = map[string]string{
	"resize": resizing, "resample": resizing, "thumbnail": resizing, "s": "-shape gives the extents of raw elements or frames",
	"crop": "INDEX crops, as '[8:40, 10:50]'", "flip": mirroring, "flop": mirroring, "mirror": mirroring, "rotate": "-orient 6 turns by 90 degrees, 3 by 180, 8 by 270",
	"transpose": "-axes 1,0,2 transposes a picture", "pix_fmt": "-raw takes FFmpeg's words", "o": "OUT is the last argument", "f": "-force overwrites OUT, -to gives its format",
}

const (
	resizing  = "the command does not resize; Go's package slice1/imageslice does, as Pillow and OpenCV do"
	mirroring = "INDEX mirrors, as '[:, ::-1]' or '[::-1]'"
)

// isSwitch reports whether the flag is boolean and so needs no value.
func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// clashes are flags that do not go together: any of one list with any of another, or without all of
// a third. In them, device=gpu stands for -device with gpu, to=TYPE for -to with a type of numbers,
// and * for any other flag.
var clashes = []struct{ flags, with, without, says string }{
	{flags: "kernels version", with: "*", says: "it stands alone"},
	{flags: "shape skip", without: "raw"},
	{flags: "json", without: "explain"},
	{flags: "channel", without: "scale bias mean std"},
	{flags: "orient", with: "raw", says: "raw elements are no picture"},
	{flags: "shape", with: "desc", says: "a job has the shape of its input"},
	{flags: "scale bias", with: "mean std", says: "either converts numbers"},
	{flags: "quantize", with: "dequantize", says: "either converts numbers"},
	{flags: "quantize dequantize", with: "scale bias mean std channel", says: "either converts numbers"},
	{flags: "part json device=gpu", with: "to=TYPE scale bias mean std quantize dequantize", says: "it moves elements, and converts none"},
	{flags: "part kernel", with: "device=gpu", says: "it is for the CPU"},
	{flags: "part", with: "explain", says: "the explanation is of a whole job"},
	{flags: "part", with: "quality", says: "it writes no JPEG"},
	{flags: "v", with: "q", says: "either reports or is quiet"},
	{flags: "v", with: "json", says: "the job alone is printed"},
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
			other := among(c.with)
			if c.with == "*" && flags.NFlag() > 1 {
				other = "other flags"
			}
			switch {
			case !given[name]:
			case c.without != "" && among(c.without) == "":
				return usagef("-%s is for -%s", name, strings.ReplaceAll(c.without, " ", ", -"))
			case other != "":
				return usagef("-%s does not go with %s: %s", name, other, c.says)
			}
		}
	}
	return nil
}

// countError returns the usage error for too few or too many args. names are what the right ones
// are called. An argument that does not begin with [ is no INDEX.
func countError(args []string, names ...string) error {
	want := len(names)
	noun := "arguments"
	if len(args) == 1 {
		noun = "argument"
	}
	hint := ""
	switch {
	case len(args) > want && want > 0 && names[0] == "IN" && bracketed(args[0]):
		hint = "-desc replaces INDEX; "
	case len(args) > want && want > 1 && names[want-1] == "IN":
		hint = "-explain takes one input; "
	case len(args) > want && want > 1:
		hint = "several inputs need a folder, which ends in / if it is new; "
	case len(args) < want:
		missing := names[len(args):]
		if names[0] == "INDEX" && len(args) > 0 && !bracketed(args[0]) {
			missing = append([]string{"INDEX"}, names[len(args)+1:]...)
		}
		hint = "missing: " + strings.Join(missing, ", ") + "; "
	}
	return usagef("%d %s, not %d (%s-h shows the usage)", len(args), noun, want, hint)
}

// bracketed reports whether an argument begins as an INDEX mostly does.
func bracketed(arg string) bool { return strings.HasPrefix(arg, "[") }
