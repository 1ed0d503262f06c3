package imageslice

import "github.com/seed2e45c115/dml/slice1/internal/engine"

// TypesOfPictures returns the names of all types that the package knows.
func TypesOfPictures() (names []string) {
	for _, k := range types {
		names = append(names, k.name)
	}
	return names
}

// Bound returns the rows of a band and the goroutines to which a job with these fields is bounded.
func Bound(band, made, kept int64, inPlace bool, parallelism int) (int64, int) {
	j, s := job{band: band, pitch: made, inPlace: inPlace}, engine.Settings{Parallelism: parallelism}
	j.bound(kept, &s)
	return j.band, s.Parallelism
}
