// Command calibrate measures this machine and prints its row of the planner's costs, in the
// form in which rows stand in rows.go. It runs random slices by every candidate and fits
// the quantities to what they took, so that the row is what predicts best which candidate
// is the fastest.
//
//	go run ./slice1/internal/plan/calibrate -name zen4
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("calibrate", flag.ContinueOnError)
	name := flags.String("name", "here", "`name` of the row")
	seed := flags.Uint64("seed", 1, "`number` that the slices are drawn by")
	count := flags.Int("n", 3000, "how `many` slices")
	records := flags.String("o", "", "`file` to write what was measured to, too")
	from := flags.String("from", "", "fit to what is in `file` instead of measuring")
	check := flags.String("check", "", "report how well rows choose for what is in `file`")
	worst := flags.Int("worst", 0, "how `many` of the worst choices to print")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *check != "" {
		all, err := load(*check)
		if err != nil {
			return err
		}
		return checkRows(stdout, all, *worst)
	}
	all, err := load(*from)
	if *from == "" {
		all, err = measureAll(*seed, *count, time.Now), nil
	}
	if err != nil {
		return err
	}
	if *records != "" {
		if err := save(*records, all); err != nil {
			return err
		}
	}
	row := fit(all)
	row.Make, row.Find = planning(all, time.Now)
	printRow(stdout, *name, row)
	return nil
}
