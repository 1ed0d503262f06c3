//go:build nocandidates

package main

import "github.com/seed2e45c115/dml/slice1"

// candidates returns none: the library names none.
func candidates(*slice1.Plan) []choice { return nil }
