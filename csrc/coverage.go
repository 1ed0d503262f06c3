//go:build s1_coverage && cgo && !purego && (amd64 || arm64)

package csrc

// extern void __gcov_dump(void);
import "C"

// WriteCounts writes the files in which gcov finds how often each branch of C was taken. A program
// must call it before its end, since Go ends without calling the functions that C registered for
// that.
func WriteCounts() { C.__gcov_dump() }
