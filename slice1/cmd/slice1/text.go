package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// errUsage is matched by usage errors. They end with the exit code exitUsage.
var errUsage = errors.New("usage")

type usageError struct{ error }

func (usageError) Is(target error) bool { return target == errUsage }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// packages removes the names of packages from the text of an error behind ": ".
var packages = strings.NewReplacer(": slice1: ", ": ", ": npy: ", ": ", ": imageslice: ", ": ")

// message returns the text of err in one line, without names of packages.
func message(err error) string {
	return oneLine(strings.TrimPrefix(packages.Replace(": "+err.Error()), ": "))
}

// clipAround returns the part of text that lies within 100 bytes of a place, and where that place
// is in it.
func clipAround(text string, place int) (string, int) {
	const limit = 100
	place = min(place, len(text))
	before := strings.ToValidUTF8(text[max(place-limit, 0):place], "?")
	return before + strings.ToValidUTF8(text[place:min(place+limit, len(text))], "?"), len(before)
}

// oneLine returns s without control characters, and at most 500 bytes of it.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, shortened(s, 500))
}

// clip returns s, with at most 60 bytes of it.
func clip(s string) string { return shortened(s, 60) }

// shortened returns s, with at most limit bytes of it.
func shortened(s string, limit int) string {
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "..."
	}
	return s
}

// brackets is a shape that prints like a list of Python: [2, 3].
type brackets []int

func (s brackets) String() string {
	return strings.ReplaceAll(fmt.Sprint([]int(s)), " ", ", ")
}

// binaryUnits formats a number of bytes, for example 4.0 MiB. The largest unit is TiB.
func binaryUnits(n float64) string {
	unit := 0
	for ; n >= 1<<10 && unit < 4; unit++ {
		n /= 1 << 10
	}
	return fmt.Sprintf("%.1f %s", n, []string{"B", "KiB", "MiB", "GiB", "TiB"}[unit])
}

// named adds the name of the input to an error, if it is one, that does not contain it.
func named(input string, err error) error {
	if err == nil || strings.Contains(err.Error(), input) {
		return err
	}
	return fmt.Errorf("%s: %w", input, err)
}

// integer returns a function that sets *to from the value of a flag: an integer from least to most.
func integer[T int | int64](to *T, least, most int64) func(string) error {
	return func(value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < least || n > most {
			return fmt.Errorf("an integer of at least %d, and at most %d", least, most)
		}
		*to = T(n)
		return nil
	}
}

// integers reads the value of a flag: integers of at least the lowest, separated by commas or x, in
// brackets or not. A comma may stand before the closing bracket, like in (3,).
func integers(flag, text string, lowest int) (list []int, err error) {
	inner := strings.TrimSpace(text)
	if len(inner) > 1 && (inner[0] == '(' && inner[len(inner)-1] == ')' || inner[0] == '[' && inner[len(inner)-1] == ']') {
		inner = strings.TrimSuffix(strings.TrimRight(inner[1:len(inner)-1], " "), ",")
	}
	for word := range strings.SplitSeq(strings.ReplaceAll(inner, "x", ","), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		switch {
		case errors.Is(err, strconv.ErrRange):
			return nil, usagef("%s %s: %s is out of range", flag, clip(text), clip(word))
		case err != nil:
			return nil, usagef("%s %s: integers with commas between them, not %q", flag, clip(text), clip(word))
		case n < lowest:
			return nil, usagef("%s %s: %d is below %d", flag, clip(text), n, lowest)
		}
		list = append(list, n)
	}
	return list, nil
}
