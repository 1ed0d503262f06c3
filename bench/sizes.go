package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/seed2e45c115/dml/cpuid"
)

// Size L is the larger of leastLarge bytes and twice the last-level cache, and at most mostLarge.
const (
	leastLarge = 64 << 20
	mostLarge  = 1 << 30
)

// sizes says about how many bytes of output a slice has, by the size's name in the table.
// aboutLarge says what size L follows from.
var sizes, aboutLarge = sizesOf(lastLevel(cpuid.Host().L3, "/sys/devices/system/cpu/cpu0/cache"))

// sizesOf returns sizes and aboutLarge for a last-level cache of so many bytes, 0 if it is unknown.
func sizesOf(cache int) (map[string]int, string) {
	note := "no last-level cache is reported"
	if cache > 0 {
		note = fmt.Sprintf("the last-level cache has %.4g MiB", float64(cache)/(1<<20))
	}
	large := min(max(leastLarge, 2*cache), mostLarge)
	return map[string]int{"S": 4 << 10, "M": 512 << 10, "L": large}, fmt.Sprintf("L %.4g MiB, as %s", float64(large)/(1<<20), note)
}

// lastLevel returns the bytes of the last-level cache. That is the third level if the processor
// reports it. Otherwise it is the largest cache in Linux's folder of caches, or 0 if there is no
// such folder.
func lastLevel(third int, folder string) (bytes int) {
	if third > 0 {
		return third
	}
	files, _ := filepath.Glob(filepath.Join(folder, "index*", "size")) // The pattern is well formed.
	for _, name := range files {
		text, _ := os.ReadFile(name)
		kib := 0
		fmt.Sscanf(string(text), "%dK", &kib)
		bytes = max(bytes, kib<<10)
	}
	return bytes
}

// bytesOf returns the bytes of a size. size is a name in sizes or a number.
func bytesOf(size string) (bytes int, err error) {
	if bytes, known := sizes[size]; known {
		return bytes, nil
	}
	if bytes, err = strconv.Atoi(size); err != nil || bytes < 8 || bytes%8 != 0 || bytes > 1<<30 {
		return 0, fmt.Errorf("%q is no size: S, M, L, or bytes, a multiple of 8", size)
	}
	return bytes, nil
}
