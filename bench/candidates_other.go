//go:build nocandidates

package main

import (
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// candidates returns none: the library of another checkout may not be able to name them.
func candidates(*slice1.Plan) []choice { return nil }

// measuring returns an option that changes nothing: the library of another checkout may have no
// races.
func measuring(time.Duration) slice1.Option { return slice1.Option{} }
