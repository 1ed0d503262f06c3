package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// What programs of AVX2 with non-temporal stores prefetch, for rows of some lengths with some gaps
// between them, on a Zen 5, on a Zen 4, and elsewhere, where all goes into the second-level cache.
func TestPrefetchDistances(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		nest string
		want program.Prefetch // Distance, Reach and Near
		zen4 program.Prefetch
	}{
		{kindCopy, "1 100000:1:1", fetch(8192, 100000, 1), fetch(512, 100000, 1)},
		// Rows with gaps: whole rows with their gaps, at least 8 KiB ahead.
		{kindCopy, "1 100:2048:1024 1024:1:1", fetch(8192, 1024, 1), fetch(512, 2048, 1)},
		{kindCopy, "1 100:3000:1024 1024:1:1", fetch(9000, 1024, 1), fetch(9000, 1024, 0)},
		{kindCopy, "1 100:1152:1024 1024:1:1", fetch(8*1152, 1024, 1), fetch(512, 1024, 1)},
		{kindCopy, "1 9:9000:4096 4:1100:1024 1024:1:1", fetch(8*1100, 1024, 1), fetch(512, 1024, 1)},
		// Rows of less than 1 KiB: at least 16 KiB ahead.
		{kindCopy, "1 100:3000:1023 1023:1:1", fetch(18000, 1023, 1), fetch(18000, 1023, 0)},
		// Rows in reversed order are walked from the last one, up the source: the same as in order.
		{kindCopy, "1 100:-2048:1024 1024:1:1", fetch(8192, 1024, 1), fetch(512, 2048, 1)},
		// Gaps do not count for rows of four times the distance or more.
		{kindCopy, "1 9:90000:32768 32768:1:1", fetch(8192, 32768, 1), fetch(512, 32768, 1)},
		{kindCopy, "1 9:90000:32767 32767:1:1", fetch(90000, 32767, 1), fetch(90000, 32767, 0)},
		// Rows that do not move the source.
		{kindCopy, "1 9:0:1024 1024:1:1", fetch(8192, 1024, 1), fetch(512, 1024, 1)},
		// Rows made of windows are not prefetched into the first-level cache.
		{kindShuffle, "1 50000:-1:1", fetch(8192, 50000, 0), fetch(512, 50000, 1)},
		{kindShuffle, "4 9:9000:1024 256:8:4", fetch(9000, 2044, 0), fetch(9000, 2044, 0)},
		// Rows that take few bytes of each line are not prefetched.
		// Windows that read more than one line for each that is stored.
		{kindShuffle, "1 50000:2:1", fetch(8192, 99999, 0), fetch(256, 99999, 1)},
		{kindShuffle, "8 100000:64:8", fetch(0, 0, 0), fetch(0, 0, 0)},
		{kindTile, "1 200:1:200 200:200:1", fetch(256, 0, 0), fetch(256, 0, 0)},
	} {
		other := c.want
		other.Near = 0
		for name, want := range map[string]program.Prefetch{"zen5": c.want, "zen": c.zen4, "": other} {
			h := *plainHost()
			h.Name = name
			n := parseNest(c.nest)
			var p program.Draft
			made := Candidate{Kernel: 0, Kind: c.kind, NonTemporal: true}
			require.True(t, h.Make(&p, &n, made), c.nest)
			want.Begin, want.Length = p.Prefetch.Begin, p.Prefetch.Length // checkKind checks these
			assert.Equal(t, want, p.Prefetch, "%s on %q", c.nest, name)
			assert.EqualValues(t, 1, p.NT, c.nest)
		}
	}
}

func fetch(distance, reach, near int64) program.Prefetch {
	return program.Prefetch{Distance: distance, Reach: reach, Near: near}
}

// These kinds have programs with non-temporal stores. Rows need 128 bytes. NEON has none.
func TestKindsThatFitNonTemporalStores(t *testing.T) {
	for _, c := range []struct {
		nest         string
		avx2, avx512 string
	}{
		{"1 9:300:128 128:1:1", "copy", "copy"},
		{"1 9:300:127 127:1:1", "", ""},
		{"1 9:300:64 64:1:1", "", "shuffle"},
		{"1 9:300:32 32:1:1", "shuffle", "shuffle"},
		{"1 9:300:96 64:1:1", "", ""},
		{"1 9:300:960 9:70:96 64:1:1", "", ""},
		{"1 9:300:128 96:1:1", "", ""},
		{"4 32:200:4", "", ""},
		{"4 31:200:4", "", ""},
		{"4 40:4:128 32:200:4", "tile", "tile"},
		{"4 40:4:124 31:200:4", "", ""},
		{"4 32:-4:4", "shuffle", "shuffle"},
		{"4 31:-4:4", "", ""},
		{"1 100:1:3 3:200:1", "", ""},
		{"4 100:8:8", "", ""},
	} {
		n := parseNest(c.nest)
		for k, want := range []string{c.avx2, c.avx512, ""} {
			assert.Equal(t, want, fitting(&n, Kernel(k), streamed), "%s: %s", Kernel(k), c.nest)
		}
	}
}

// With non-temporal stores, rows made of windows walk the source upwards, and so do the windows of
// a vector.
func TestNonTemporalVectorsLoadUpwards(t *testing.T) {
	for _, text := range []string{"1 50000:-3:1", "1 50000:5:1"} {
		n := parseNest(text)
		var p program.Draft
		require.True(t, plainHost().Make(&p, &n, Candidate{Kernel: 0, Kind: kindShuffle, NonTemporal: true}), text)
		main := &p.Shuffle().Main
		require.Greater(t, main.Windows, int32(1), text)
		assert.IsIncreasing(t, main.At[0][:main.Windows], text)
	}
}

// Tiles prefetch 256 bytes ahead along the lines of the source, and what the next view reads of
// lines of up to 384 bytes.
func TestPrefetchOfTiles(t *testing.T) {
	for text, want := range map[string]int64{
		"4 10:388:1000000 97:4:4096 64:9000:4": 256,
		"4 10:388:1000000 96:4:4096 64:9000:4": 388,
		"4 96:4:4096 64:9000:4":                256,
	} {
		n := parseNest(text)
		var p program.Draft
		require.True(t, plainHost().Make(&p, &n, Candidate{Kernel: 0, Kind: kindTile, NonTemporal: true}), text)
		assert.Equal(t, want, p.Prefetch.Distance, text)
	}
}
