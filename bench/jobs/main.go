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
	name  string  // of the functions of its file, without Before and After
	title string  // one line
	about string  // who writes it, and what the result may differ in
	most  float64 // how far two results may be apart

	// make makes the input. It returns both programs, each for one run, and a function that returns
	// the largest difference between what they wrote last.
	make func() (before, after func(), difference func() float64)
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
		before, after, difference := j.make()
		was, is := least(before, after)
		d := difference()
		fmt.Printf("| [%s](#%s) | %d | %d | %s | %s | %.1f | %s |\n", j.title, anchor(j.title),
			lines(j.name+"Before"), lines(j.name+"After")+lines(j.name+"Plan"), us(was), us(is), float64(was)/float64(is), number(d))
		if d > j.most || math.IsNaN(d) {
			log.Printf("%s: results differ by %g, which is more than %g", j.title, d, j.most)
			failed = true
		}
	}
	for _, j := range jobs {
		fmt.Printf("\n## %s\n\n%s\n\n```go\n%s\n```\n\nbecomes\n\n```go\n%s\n```\n", j.title, wrapped(j.about), text(j.name+"Before"), text(j.name+"After"))
		if plan := text(j.name + "Plan"); plan != "" {
			fmt.Printf("\nwith a plan that is made once\n\n```go\n%s\n```\n", plan)
		}
	}
	if failed {
		os.Exit(1)
	}
}

// least returns the least time of a run of each of two programs, which run in turns.
func least(before, after func()) (was, is time.Duration) {
	was, is = math.MaxInt64, math.MaxInt64
	for began := time.Now(); time.Since(began) < 100*time.Millisecond; { // learns
		after()
	}
	for began := time.Now(); time.Since(began) < time.Second; {
		was, is = min(was, timed(before)), min(is, timed(after))
	}
	return was, is
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

// difference returns a function that returns the largest difference between numbers of a and b.
func difference[T uint8 | uint16 | int16 | int32 | float32 | float64](a, b []T) func() float64 {
	return func() (most float64) {
		for i := range a {
			most = max(most, math.Abs(float64(a[i])-float64(b[i])))
		}
		if len(a) != len(b) {
			return math.Inf(1)
		}
		return most
	}
}

// must ends the program if err is not nil, and else returns v.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func us(d time.Duration) string {
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
	for _, e := range must(source.ReadDir(".")) {
		file := must(source.ReadFile(e.Name()))
		fset := token.NewFileSet()
		for _, d := range must(parser.ParseFile(fset, e.Name(), file, parser.SkipObjectResolution)).Decls {
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
