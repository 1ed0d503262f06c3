package slice1_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
)

// tallies counts the cases of each running test by kernel.
var tallies = struct {
	sync.Mutex
	of map[testing.TB]map[string]int
}{of: map[testing.TB]map[string]int{}}

// tested counts a case, a run of a kernel that was compared with what it must
// write. Each test logs the sums at its end, which .ci/common adds up:
//
//	cases: TestKernelsOnRows avx2 22192
func tested(t testing.TB, kernel string) {
	tallies.Lock()
	defer tallies.Unlock()
	if tallies.of[t] == nil {
		tallies.of[t] = map[string]int{}
		t.Cleanup(func() { logCases(t) })
	}
	tallies.of[t][kernel]++
}

func logCases(t testing.TB) {
	tallies.Lock()
	defer tallies.Unlock()
	name, _, _ := strings.Cut(t.Name(), "/")
	for _, kernel := range slices.Sorted(maps.Keys(tallies.of[t])) {
		t.Logf("cases: %s %s %d", name, kernel, tallies.of[t][kernel])
	}
	delete(tallies.of, t)
}
