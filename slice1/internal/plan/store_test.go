package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
)

func TestNonTemporalStoresBeginAtHalfTheLastCache(t *testing.T) {
	n := parseNest("1 1000000:-1:1")
	assert.Equal(t, int64(16<<20), nonTemporalFrom(&n, cpuid.Features{L3: 32 << 20}))
	assert.Equal(t, int64(32<<20), nonTemporalFrom(&n, cpuid.Features{L3: 256 << 20}))
	assert.Equal(t, int64(32<<20), nonTemporalFrom(&n, cpuid.Features{}))
}

// Transposed views begin at a multiple of the second-level cache.
func TestNonTemporalStoresOfTilesBeginEarlier(t *testing.T) {
	const mib = 1 << 20
	zen4, large, unknown := cpuid.Features{L2: mib, L3: 32 * mib}, cpuid.Features{L2: 2 * mib, L3: 256 * mib}, cpuid.Features{}
	for _, c := range []struct {
		nest                 string
		zen4, large, unknown int64
	}{
		{"4 1024:4:4096 1024:4096:4", 2, 4, 2},              // rows of whole lines
		{"1 1024:1:1024 1024:1024:1", 3, 6, 3},              // of bytes
		{"4 1024:4:4100 1025:4096:4", 5, 10, 5},             // rows that begin within lines
		{"4 1024:4:4100 1024:4096:4", 5, 10, 5},             // or are apart
		{"1 1024:1:1025 1025:1024:1", 16, 32, 32},           // of bytes: as all else
		{"4 9:4:400000 1024:16:4096 1024:16384:4", 2, 4, 2}, // the loop across is not the next one
		{"4 1024:4:124 31:4096:4", 16, 32, 32},              // rows too short for whole lines
		{"4 1024:4:128 32:4096:4", 2, 4, 2},
		{"4 1024:64:4096 1024:65536:4", 16, 32, 32}, // lines of the source are not shared
	} {
		n := parseNest(c.nest)
		assert.Equal(t, c.zen4*mib, nonTemporalFrom(&n, zen4), c.nest)
		assert.Equal(t, c.large*mib, nonTemporalFrom(&n, large), c.nest)
		assert.Equal(t, c.unknown*mib, nonTemporalFrom(&n, unknown), c.nest)
	}
}

func TestStoresAreNonTemporalFromASizeOn(t *testing.T) {
	n := parseNest("1 1000000:-1:1")
	assert.Equal(t, Cached, StoringOf(&n, 99, 100))
	assert.Equal(t, NonTemporal(), StoringOf(&n, 100, 100))
	assert.Equal(t, Cached, StoringOf(&n, 1<<20, 0))
	assert.Equal(t, NonTemporal(), StoringOf(&n, 1<<40, 0))
	assert.Equal(t, Cached, StoringOf(&n, 1<<40, -1))
	assert.Equal(t, Far, nonTemporalOf(cpuid.Features{}))
	assert.Equal(t, Near, nonTemporalOf(cpuid.Features{FetchNear: true}))
	assert.Equal(t, Short, nonTemporalOf(cpuid.Features{FetchShort: true}))
}

// What is prefetched, by the length of rows and the gaps between them.
func TestPrefetchDistances(t *testing.T) {
	for _, c := range []struct {
		nest             string
		far, near, short csrc.Prefetch // Distance, Reach and Near of each
	}{
		// One copy: 8 KiB ahead, or a few lines where the processor fetches by itself.
		{"1 100000:1:1", fetch(8192, 100000, 0), fetch(8192, 100000, 1), fetch(512, 100000, 1)},
		// Rows of 1 KiB, gaps as long: a whole number of rows ahead, 4 of them or more.
		{"1 100:2048:1024 1024:1:1", fetch(8192, 1024, 0), fetch(8192, 1024, 1), fetch(512, 2048, 1)},
		// Longer gaps: 16 KiB ahead.
		{"1 100:3000:1024 1024:1:1", fetch(9000, 1024, 0), fetch(9000, 1024, 1), fetch(18000, 1024, 0)},
		// Shorter rows: 16 KiB.
		{"1 100:3000:1023 1023:1:1", fetch(18000, 1023, 0), fetch(18000, 1023, 1), fetch(18000, 1023, 0)},
		// Rows backwards go upwards.
		{"1 100:-2048:1024 1024:1:1", fetch(8192, 1024, 0), fetch(8192, 1024, 1), fetch(512, 2048, 1)},
		// Gaps of two lines are none.
		{"1 100:1152:1024 1024:1:1", fetch(8*1152, 1024, 0), fetch(8*1152, 1024, 1), fetch(512, 1024, 1)},
		{"1 10:1153:1024 1024:1:1", fetch(8*1153, 1024, 0), fetch(8*1153, 1024, 1), fetch(512, 1153, 1)},
		// Groups of rows without gaps, apart: the source has gaps that no row bridges.
		{"1 9:9000:4096 4:1100:1024 1024:1:1", fetch(8*1100, 1024, 0), fetch(8*1100, 1024, 1), fetch(15*1100, 1024, 0)},
		// Rows of 32 KiB: their gaps do not count.
		{"1 9:90000:32768 32768:1:1", fetch(8192, 32768, 0), fetch(8192, 32768, 1), fetch(512, 32768, 1)},
		{"1 9:90000:32767 32767:1:1", fetch(90000, 32767, 0), fetch(90000, 32767, 1), fetch(90000, 32767, 0)},
		// A shuffle never goes into the first-level cache but for Short.
		{"1 50000:-1:1", fetch(8192, 50000, 0), fetch(8192, 50000, 0), fetch(512, 50000, 1)},
		{"4 9:9000:1024 256:8:4", fetch(9000, 2044, 0), fetch(9000, 2044, 0), fetch(18000, 2044, 0)},
		// Gathers: 64 elements ahead, or the row.
		{"4 100:200:4", fetch(64*200, 0, 0), fetch(64*200, 0, 0), fetch(64*200, 0, 0)},
		{"4 50:200:4", fetch(49*200, 0, 0), fetch(49*200, 0, 0), fetch(49*200, 0, 0)},
		{"4 100:-200:4", fetch(-64*200, 0, 0), fetch(-64*200, 0, 0), fetch(-64*200, 0, 0)},
		{"1 200:1:200 200:200:1", fetch(256, 0, 0), fetch(256, 0, 0), fetch(256, 0, 0)},
	} {
		n := parseNest(c.nest)
		for storing, want := range map[Storing]csrc.Prefetch{Far: c.far, Near: c.near, Short: c.short} {
			var p csrc.Program
			Make(&p, &n, 0, storing)
			want.Begin, want.Length = p.Prefetch.Begin, p.Prefetch.Length // see checkPrefetch
			assert.Equal(t, want, p.Prefetch, "%s, storing %d", c.nest, storing)
			assert.EqualValues(t, 1, p.NT, "%s, storing %d", c.nest, storing)
		}
	}
}

func fetch(distance, reach, near int64) csrc.Prefetch {
	return csrc.Prefetch{Distance: distance, Reach: reach, Near: near}
}

// Non-temporal stores want two whole lines of a row, or rows of whole lines.
func TestRowsOfTwoLinesSuitNonTemporalStores(t *testing.T) {
	for _, c := range []struct {
		nest         string
		avx2, avx512 string
	}{
		{"1 9:300:128 128:1:1", "avx2 copy nt", "avx512 copy nt"},
		{"1 9:300:127 127:1:1", "avx2 copy", "avx512 copy"},
		{"1 9:300:64 64:1:1", "avx2 copy nt", "avx512 copy nt"},
		{"1 9:300:96 64:1:1", "avx2 copy", "avx512 copy"},
		{"1 9:300:960 9:70:96 64:1:1", "avx2 copy", "avx512 copy"},
		{"1 9:300:128 96:1:1", "avx2 copy", "avx512 copy"},
		{"4 32:200:4", "avx2 gather nt", "avx512 gather nt"},
		{"4 31:200:4", "avx2 gather", "avx512 gather"},
		{"4 40:4:128 32:200:4", "avx2 tile nt", "avx512 tile nt"},
		{"4 40:4:124 31:200:4", "avx2 tile", "avx512 tile"},
		{"4 32:-4:4", "avx2 shuffle nt", "avx512 shuffle nt"},
		{"4 31:-4:4", "avx2 shuffle", "avx2 shuffle"},
		{"1 100:1:3 3:200:1", "avx2 shuffle", "avx2 shuffle"}, // of periods that fill no vector
		{"4 100:8:8", "avx2 element", "avx512 element"},
	} {
		n := parseNest(c.nest)
		var p csrc.Program
		for number, want := range []string{c.avx2, c.avx512} {
			Make(&p, &n, Kernel(number), Far)
			assert.Equal(t, want, ChosenIn(&p).String(), c.nest)
		}
	}
}
