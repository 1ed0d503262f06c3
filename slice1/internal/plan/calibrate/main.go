// Command calibrate measures this machine and prints its row of the planner's costs as Go source,
// in the form in which it stands in rows.go. It runs random slices by every candidate that
// the machine can run. Then it fits the costs so that their sums come close to the times measured,
// and that the candidate which the row takes for the cheapest is among the fastest. Costs that no
// measured candidate has stay as they are in the row by which the machine plans.
//
//	go run ./slice1/internal/plan/calibrate -name costs
//
// With -check it measures nothing, and prints how well rows choose for what was measured before.
package main

import (
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"time"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("calibrate", flag.ContinueOnError)
	name := flags.String("name", "here", "`name` of the row and of its variable")
	seed := flags.Uint64("seed", 1, "`number` that the slices are drawn by")
	count := flags.Int("n", 3000, "how `many` slices")
	records := flags.String("o", "", "`file` to write what was measured to, too")
	from := flags.String("from", "", "fit to what is in `file` instead of measuring")
	check := flags.String("check", "", "report how well the known rows choose for what is in `file` or, with -from, the fitted one")
	worst := flags.Int("worst", 0, "how `many` of the worst choices to print")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !token.IsIdentifier(*name) {
		return fmt.Errorf("no name of a variable: %q", *name)
	}
	if *check != "" {
		return checkFile(stdout, *check, *from, *worst)
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
	return printRow(stdout, *name, row)
}

// checkFile prints how well rows choose for the records in a file: all known rows or, if from is
// not "", the one row that is fitted to the records in that file. worst is how many of the worst
// choices of each row it prints.
func checkFile(stdout io.Writer, file, from string, worst int) error {
	all, err := load(file)
	if err != nil {
		return err
	}
	hosts := plan.Hosts()
	if from != "" {
		train, err := load(from)
		if err != nil {
			return err
		}
		fitted := *plan.Here()
		fitted.Costs = fit(train)
		hosts = []*plan.Host{&fitted}
	}
	return checkRows(stdout, hosts, all, worst)
}
