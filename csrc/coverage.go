//go:build s1_coverage && cgo && !purego && (amd64 || arm64)

package csrc

// extern void __gcov_dump(void);
import "C"

import "os"

// CountBranches runs the tests of a package and ends the program. Before that it writes the files
// in which gcov finds how often each branch of C was taken, since Go ends without calling the
// functions that C registered for that.
func CountBranches(tests interface{ Run() int }) {
	code := tests.Run()
	C.__gcov_dump()
	os.Exit(code)
}
