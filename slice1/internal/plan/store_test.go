package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/csrc"
)

// What programs of AVX2 with non-temporal stores prefetch by each storing, for rows of some lengths
// with some gaps between them.
func TestPrefetchDistances(t *testing.T) {
	for _, c := range []struct {
		kind             kind
		nest             string
		far, near, short csrc.Prefetch // Distance, Reach and Near of each
	}{
		// One row: 8 KiB ahead, or 512 bytes by Short.
		{kindCopy, "1 100000:1:1", fetch(8192, 100000, 0), fetch(8192, 100000, 1), fetch(512, 100000, 1)},
		// Rows of 1 KiB, gaps as long: 8 KiB ahead, which is four rows with their gaps. Short
		// prefetches the gaps, too.
		{kindCopy, "1 100:2048:1024 1024:1:1", fetch(8192, 1024, 0), fetch(8192, 1024, 1), fetch(512, 2048, 1)},
		// Gaps longer than rows: whole rows with their gaps, at least 8 KiB ahead, or 16 KiB by
		// Short.
		{kindCopy, "1 100:3000:1024 1024:1:1", fetch(9000, 1024, 0), fetch(9000, 1024, 1), fetch(18000, 1024, 0)},
		// Rows of less than 1 KiB: at least 16 KiB ahead.
		{kindCopy, "1 100:3000:1023 1023:1:1", fetch(18000, 1023, 0), fetch(18000, 1023, 1), fetch(18000, 1023, 0)},
		// Rows in reversed order are walked from the last one, up the source: the same as in order.
		{kindCopy, "1 100:-2048:1024 1024:1:1", fetch(8192, 1024, 0), fetch(8192, 1024, 1), fetch(512, 2048, 1)},
		// A gap of at most two lines counts as none. Short prefetches the rows, but no such gap. If the
		// gap is longer, but at most as long as the row and at most 2 KiB, Short prefetches it, too.
		{kindCopy, "1 100:1152:1024 1024:1:1", fetch(8*1152, 1024, 0), fetch(8*1152, 1024, 1), fetch(512, 1024, 1)},
		{kindCopy, "1 10:1153:1024 1024:1:1", fetch(8*1153, 1024, 0), fetch(8*1153, 1024, 1), fetch(512, 1153, 1)},
		// Groups of rows whose gaps count as none, with longer gaps between the groups: Short is as
		// Far.
		{kindCopy, "1 9:9000:4096 4:1100:1024 1024:1:1", fetch(8*1100, 1024, 0), fetch(8*1100, 1024, 1), fetch(15*1100, 1024, 0)},
		// Between rows of 32 KiB or more, gaps of any length count as none. Between shorter ones, long gaps
		// do not.
		{kindCopy, "1 9:90000:32768 32768:1:1", fetch(8192, 32768, 0), fetch(8192, 32768, 1), fetch(512, 32768, 1)},
		{kindCopy, "1 9:90000:32767 32767:1:1", fetch(90000, 32767, 0), fetch(90000, 32767, 1), fetch(90000, 32767, 0)},
		// Near does not prefetch rows made of windows into the first-level cache, only Short does.
		{kindWindows, "1 50000:-1:1", fetch(8192, 50000, 0), fetch(8192, 50000, 0), fetch(512, 50000, 1)},
		{kindWindows, "4 9:9000:1024 256:8:4", fetch(9000, 2044, 0), fetch(9000, 2044, 0), fetch(18000, 2044, 0)},
		// Gathers: 64 elements ahead, or one less than the row has if it has at most 64.
		{kindGather, "4 100:200:4", fetch(64*200, 0, 0), fetch(64*200, 0, 0), fetch(64*200, 0, 0)},
		{kindGather, "4 50:200:4", fetch(49*200, 0, 0), fetch(49*200, 0, 0), fetch(49*200, 0, 0)},
		{kindGather, "4 100:-200:4", fetch(-64*200, 0, 0), fetch(-64*200, 0, 0), fetch(-64*200, 0, 0)},
		{kindTile, "1 200:1:200 200:200:1", fetch(256, 0, 0), fetch(256, 0, 0), fetch(256, 0, 0)},
	} {
		n := parseNest(c.nest)
		for storing, want := range map[Storing]csrc.Prefetch{Far: c.far, Near: c.near, Short: c.short} {
			var p csrc.Program
			made := Candidate{Kernel: 0, kind: c.kind, NonTemporal: true}
			require.True(t, plainHost().Make(&p, &n, made, storing), "%s, storing %d", c.nest, storing)
			want.Begin, want.Length = p.Prefetch.Begin, p.Prefetch.Length // checkKind checks these
			assert.Equal(t, want, p.Prefetch, "%s, storing %d", c.nest, storing)
			assert.EqualValues(t, 1, p.NT, "%s, storing %d", c.nest, storing)
		}
	}
}

func fetch(distance, reach, near int64) csrc.Prefetch {
	return csrc.Prefetch{Distance: distance, Reach: reach, Near: near}
}

// These kinds have programs with non-temporal stores. Rows need 128 bytes, or to be copied and
// whole lines. NEON has none.
func TestKindsThatFitNonTemporalStores(t *testing.T) {
	for _, c := range []struct {
		nest         string
		avx2, avx512 string
	}{
		{"1 9:300:128 128:1:1", "copy", "copy"},
		{"1 9:300:127 127:1:1", "", ""},
		{"1 9:300:64 64:1:1", "copy", "copy"},
		{"1 9:300:96 64:1:1", "", ""},
		{"1 9:300:960 9:70:96 64:1:1", "", ""},
		{"1 9:300:128 96:1:1", "", ""},
		{"4 32:200:4", "gather", "gather"},
		{"4 31:200:4", "", ""},
		{"4 40:4:128 32:200:4", "tile, gather", "tile, gather"},
		{"4 40:4:124 31:200:4", "", ""},
		{"4 32:-4:4", "shuffle, gather", "shuffle, gather"},
		{"4 31:-4:4", "", ""},
		{"1 100:1:3 3:200:1", "", ""},
		{"4 100:8:8", "", ""},
	} {
		n := parseNest(c.nest)
		for set, want := range []string{c.avx2, c.avx512, ""} {
			assert.Equal(t, want, fitting(&n, set, Far), "%s: %s", csrc.Sets[set].Name, c.nest)
		}
	}
}
