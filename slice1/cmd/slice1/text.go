package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
)

var (
	// usage is what -h prints before the flags.
	//
	//go:embed usage.txt
	usage string

	// foreignFormats has formats that people have and the command does not read: the first bytes,
	// in quotes, and how to make what it reads. In it, IN is the name of the file.
	//
	//go:embed foreign.txt
	foreignFormats string

	// foreignFrames has FFmpeg's other pixel formats, without the le of samples of more than a
	// byte, which its users may leave out, and the way to have them as elements or as frames.
	//
	//go:embed frames.txt
	foreignFrames string

	// foreignFlags has flags of other programs, and what does the same here.
	//
	//go:embed flags.txt
	foreignFlags string
)

// hint returns the second column of the first line of a table of which the first column fits, or
// "".
func hint(table string, fits func(key string) bool) string {
	for line := range strings.Lines(table) {
		if key, says, _ := strings.Cut(strings.TrimSpace(line), "\t"); fits(key) {
			return says
		}
	}
	return ""
}

// hasWord returns a function that reports whether a word is one of a list with spaces.
func hasWord(word string) func(list string) bool {
	return func(list string) bool { return slices.Contains(strings.Fields(list), word) }
}

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

// packages removes the names of packages from the text of an error behind ": ".
var packages = strings.NewReplacer(": slice1: ", ": ", ": npy: ", ": ", ": imageslice: ", ": ")

// message returns the text of err in one line, without names of packages.
func message(err error) string {
	return oneLine(strings.TrimPrefix(packages.Replace(": "+err.Error()), ": "))
}

// named adds the name of the input to an error, if it is one, that does not contain it.
func named(input string, err error) error {
	if err == nil || strings.Contains(err.Error(), input) {
		return err
	}
	return fmt.Errorf("%s: %w", input, err)
}

// clipAround returns the part of text that lies within 100 bytes of a place, and where that place
// is in it.
func clipAround(text string, place int) (string, int) {
	const limit = 100
	place = min(place, len(text))
	prefix := strings.ToValidUTF8(text[max(place-limit, 0):place], "?")
	return prefix + strings.ToValidUTF8(text[place:min(place+limit, len(text))], "?"), len(prefix)
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

// plural returns a number of things, like 1 file and 2 files.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
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

// begins reports whether start, the first bytes of a file, begins with magic. In magic ? stands for
// any byte.
func begins(start []byte, magic string) bool {
	if len(start) < len(magic) {
		return false
	}
	for i, c := range []byte(magic) {
		if c != '?' && c != start[i] {
			return false
		}
	}
	return true
}

// listOf returns a function that sets *list from the value of a flag: numbers with commas between
// them.
func listOf(list *[]float32) func(string) error {
	return func(value string) error {
		for word := range strings.SplitSeq(value, ",") {
			x, err := strconv.ParseFloat(strings.TrimSpace(word), 32)
			if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
				return errors.New("numbers with commas between them, as 0.5 or 0.485,0.456,0.406")
			}
			*list = append(*list, float32(x))
		}
		return nil
	}
}

// integer returns a function that sets *number from the value of a flag: an integer from low to
// high.
func integer[T int | int64](number *T, low, high int64) func(string) error {
	return func(value string) error {
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < low || n > high {
			return fmt.Errorf("an integer of at least %d, and at most %d", low, high)
		}
		*number = T(n)
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

// patience is how long a job runs before its progress is shown.
const patience = time.Second

// meter shows the progress of a job on a terminal: the bytes that are done, the bytes in all, a
// bar, the bytes per second and the time left. A nil meter shows nothing.
type meter struct {
	w      io.Writer
	start  time.Time
	total  int64        // bytes
	copied atomic.Int64 // bytes
	sync.Mutex
	timer *time.Timer // calls show; nil when the meter has ended
	shown bool
}

// newMeter returns a meter of a job that will add the given number of bytes to it. It returns nil
// if nobody is to see it: w is no character device, or quiet is true.
func newMeter(w io.Writer, quiet bool, bytes int64) *meter {
	f, ok := w.(*os.File)
	if !ok || quiet {
		return nil
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return startMeter(f, bytes, patience)
}

func startMeter(w io.Writer, bytes int64, delay time.Duration) *meter {
	m := &meter{w: w, start: time.Now(), total: max(bytes, 1)}
	m.Lock()
	defer m.Unlock()
	m.timer = time.AfterFunc(delay, m.show)
	return m
}

// show draws the line, now and again. It covers a longer line before it.
func (m *meter) show() {
	m.Lock()
	defer m.Unlock()
	if m.timer != nil {
		fmt.Fprintf(m.w, "\r%-*s", lineWidth, m.line(time.Since(m.start)))
		m.shown = true
		m.timer.Reset(patience / 5)
	}
}

// line returns the line that the meter shows if the job has taken so long.
func (m *meter) line(took time.Duration) string {
	const cells = 30
	copied, total, left := float64(m.copied.Load()), float64(m.total), "?"
	if copied > 0 {
		left = time.Duration(float64(took) * (total - copied) / copied).Round(time.Second).String()
	}
	full := min(int(copied/total*cells), cells-1)
	return fmt.Sprintf("%s of %s [%s>%s] %s/s %s", binaryUnits(copied), binaryUnits(total), strings.Repeat("=", full), strings.Repeat("-", cells-1-full),
		binaryUnits(copied/max(took.Seconds(), 1e-9)), left)
}

const lineWidth = 79

func (m *meter) add(bytes int64) {
	if m != nil {
		m.copied.Add(bytes)
	}
}

// done ends the meter and removes what it shows.
func (m *meter) done() {
	if m == nil {
		return
	}
	m.Lock()
	defer m.Unlock()
	m.timer.Stop()
	if m.timer = nil; m.shown {
		fmt.Fprintf(m.w, "\r%*s\r", lineWidth, "")
	}
}
