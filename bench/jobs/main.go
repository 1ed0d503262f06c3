// Command jobs runs ten everyday programs, each as people write it and as it is with this module.
// It prints both in Markdown, with the lines of code, the time of both and the largest difference
// between their results. It fails if a result is wrong.
//
//	go -C bench run ./jobs
//
// Each job has functions NAMEBefore and NAMEAfter, NAMEPlan if a plan is made once, and an entry of
// jobs, which makes their input. Both sides run on one goroutine.
package main

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
)

// job is one everyday program.
type job struct {
	name      string  // of the functions of its file, without Before and After
	title     string  // one line
	note      string  // who writes it, and what the result may differ in
	tolerance float64 // how far two results may be apart

	// make makes the input. It returns both programs, each for one run, and a function that returns
	// the largest difference between what they wrote last.
	make func() (theirs, ours func(), difference func() float64)
}

var jobs = []job{pix, blob, hugot, patches, half, camera, cache, column, chunks, sound}

//go:embed *.go
var source embed.FS

func main() {
	log.SetFlags(0)
	runtime.GOMAXPROCS(1)
	fmt.Printf("# Ten everyday programs, before and after\n\n")
	fmt.Printf("Each is a loop as people write it in Go, and what it becomes. Both sides take one goroutine and\n" +
		"write to memory that was written before. Plans are made once and have learned, which takes some\n" +
		"hundred runs. A line of code is a line of a function's body. `make jobs` prints this page. It fails\n" +
		"if a result differs by more than its text says.\n\n")
	fmt.Printf("%s, %s, %s.\n\n", cpuid.CPU.BrandName, runtime.Version(), time.Now().Format(time.DateOnly))
	fmt.Printf("| job | lines before | after | time before | after | times as fast | largest difference |\n|---|---|---|---|---|---|---|\n")
	failed := false
	for _, j := range jobs {
		theirs, ours, difference := j.make()
		theirTime, ourTime := minTimes(theirs, ours)
		d := difference()
		fmt.Printf("| [%s](#%s) | %d | %d | %s | %s | %.1f | %s |\n", j.title, anchor(j.title),
			lines(j.name+"Before"), lines(j.name+"After")+lines(j.name+"Plan"), micros(theirTime), micros(ourTime), float64(theirTime)/float64(ourTime), number(d))
		if d > j.tolerance || math.IsNaN(d) {
			log.Printf("%s: results differ by %g, which is more than %g", j.title, d, j.tolerance)
			failed = true
		}
	}
	for _, j := range jobs {
		fmt.Printf("\n## %s\n\n%s\n\n```go\n%s\n```\n\nbecomes\n\n```go\n%s\n```\n", j.title, wrapped(j.note), text(j.name+"Before"), text(j.name+"After"))
		if plan := text(j.name + "Plan"); plan != "" {
			fmt.Printf("\nwith a plan that is made once\n\n```go\n%s\n```\n", plan)
		}
	}
	if failed {
		os.Exit(1)
	}
}

// minTimes returns the least time of a run of each of two programs, which run in turns.
func minTimes(theirs, ours func()) (theirTime, ourTime time.Duration) {
	theirTime, ourTime = math.MaxInt64, math.MaxInt64
	for began := time.Now(); time.Since(began) < 100*time.Millisecond; { // learns
		ours()
	}
	for began := time.Now(); time.Since(began) < time.Second; {
		theirTime, ourTime = min(theirTime, timed(theirs)), min(ourTime, timed(ours))
	}
	return theirTime, ourTime
}

// timed returns the time of a run: the mean of as many as take 20 microseconds.
func timed(run func()) time.Duration {
	const long = 20 * time.Microsecond
	began := time.Now()
	for n := 1; ; n++ {
		run()
		if took := time.Since(began); took > long {
			return took / time.Duration(n)
		}
	}
}

// difference returns a function that returns the largest difference between numbers of x and y.
func difference[T uint8 | uint16 | int16 | int32 | float32 | float64](x, y []T) func() float64 {
	return func() (largest float64) {
		for i := range x {
			largest = max(largest, math.Abs(float64(x[i])-float64(y[i])))
		}
		if len(x) != len(y) {
			return math.Inf(1)
		}
		return largest
	}
}

// check ends the program if err is not nil, and else returns v.
func check[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func micros(d time.Duration) string {
	if d < 10*time.Microsecond {
		return fmt.Sprintf("%.2f us", float64(d)/1000)
	}
	return fmt.Sprintf("%.0f us", float64(d)/1000)
}

func number(d float64) string {
	if d == 0 {
		return "none"
	}
	return fmt.Sprintf("%.2g", d)
}

// anchor returns the address of a heading in Markdown.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r >= '0' && r <= '9', r >= 'a' && r <= 'z':
			return r
		}
		return -1
	}, strings.ToLower(title))
}

// text returns the text of a function of this program, or "" if there is none of that name.
func text(name string) string {
	for _, e := range check(source.ReadDir(".")) {
		file := check(source.ReadFile(e.Name()))
		fset := token.NewFileSet()
		for _, d := range check(parser.ParseFile(fset, e.Name(), file, parser.SkipObjectResolution)).Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name == name {
				return string(file[fset.Position(d.Pos()).Offset:fset.Position(d.End()).Offset])
			}
		}
	}
	return ""
}

// wrapped returns a text in lines of at most 100 columns.
func wrapped(s string) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(s) {
		switch {
		case column == 0:
		case column+1+len(word) > 100:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// lines returns how many lines the body of a function has, without empty ones.
func lines(name string) (n int) {
	if text(name) == "" {
		return 0
	}
	for line := range strings.SplitSeq(text(name), "\n") {
		if strings.TrimSpace(line) != "" {
			n++
		}
	}
	return n - 2
}
