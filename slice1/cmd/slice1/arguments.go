package main

import (
	"flag"
	"slices"
	"strings"
)

// parseArguments parses args with flags. Flags may stand anywhere before "--". An argument that
// begins with "-" is a flag, with two exceptions. "-" alone is no flag. Neither is "-" before a
// digit, a colon or a point: that is a negative index or a member of standard input. An unknown
// flag and a missing value are errors that match errUsage. The other errors come from flags.Parse.
func parseArguments(flags *flag.FlagSet, args []string) error {
	var first, rest []string
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
		name, _, valued := strings.Cut(strings.TrimPrefix(a[1:], "-"), "=")
		f := flags.Lookup(name)
		if f == nil && name != "h" && name != "help" {
			return usagef("%s: no such flag; -h lists them, and an argument that begins with - comes after --", clip(a))
		}
		first = append(first, a)
		if f == nil || valued || isSwitch(f) {
			continue
		}
		if i++; i == len(args) {
			_, what := flag.UnquoteUsage(f)
			return usagef("%s needs a value: %s", a, what)
		}
		first = append(first, args[i])
	}
	return flags.Parse(slices.Concat(first, []string{"--"}, rest))
}

// isSwitch reports whether the flag is boolean and so needs no value.
func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// countError returns the usage error for too few or too many args. want is the right number.
func countError(args []string, want int) error {
	noun := "arguments"
	if len(args) == 1 {
		noun = "argument"
	}
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "'") }) {
		return usagef(`%d %s, not %d: cmd.exe takes no single quotes, so write "[8:40, 10:50]"`, len(args), noun, want)
	}
	several := ""
	if len(args) > want && want > 1 {
		several = "several inputs need -stack or a folder, which ends in / if it is new; "
	}
	return usagef("%d %s, not %d (%s-h shows the usage)", len(args), noun, want, several)
}

// clip returns s, cut to 60 bytes.
func clip(s string) string { return cut(s, 60) }

// cut returns s, cut to limit bytes.
func cut(s string, limit int) string {
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "..."
	}
	return s
}
