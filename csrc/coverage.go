//go:build s1_coverage && cgo && !purego && (amd64 || arm64)

package csrc

// extern void __gcov_dump(void);
import "C"

// WriteCounts writes which branches of C were taken. Go ends a program without calling the
// functions that C registered for its end.
func WriteCounts() { C.__gcov_dump() }
