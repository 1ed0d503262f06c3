// Command calibrate says how well the planner's estimates choose, and what values of the quantities
// would choose well. Its arguments are files of what slices took by every candidate, on one machine
// or on several:
//
//	go -C bench run . -regret -slices 1000 -o ../out/regret
//	go run ./slice1/internal/plan/calibrate out/regret/hot.jsonl
//
// First it prints how much longer the fastest way of those that a plan tries takes than the fastest
// of all. Then it prints how much longer the first choices take, by the table and by the costs that
// it fits, which are those of the kernels that ran. Last it prints all costs, with two digits.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

func main() {
	if err := calibrate(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		os.Exit(1)
	}
}

func calibrate(args []string, stdout io.Writer) error {
	if len(args) == 0 {
		return errors.New("no files of records")
	}
	var records []record
	for _, name := range args {
		loaded, err := load(name)
		if err != nil {
			return err
		}
		records = append(records, loaded...)
	}
	longer, far := listed(records)
	fmt.Fprintf(stdout, "the fastest way that a plan lists takes %.4f times as long as the fastest of all, on geometric average; more than 1.15 times in %d of %d records\n", longer, far, len(records))
	points := pointsOf(records)
	fitted := fit(points, 12)
	oldLoss, _ := losses(points, plan.ThisHost().Costs)
	newLoss, _ := losses(points, fitted)
	share := 100 / float64(len(points))
	fmt.Fprintf(stdout, "the first choice takes longer than the fastest way by %.2f %% by the table, by %.2f %% by fitted costs\n", oldLoss*share, newLoss*share)
	for _, v := range fitted.Quantities() {
		*v = twoDigits(*v)
	}
	fmt.Fprintln(stdout, strings.ReplaceAll(fmt.Sprintf("%+v", *fitted), "{Call", "\n{Call")) // a line for each set
	return nil
}

func twoDigits(v int64) int64 {
	unit := int64(1)
	for v/unit >= 100 {
		unit *= 10
	}
	return (v + unit/2) / unit * unit
}
