package main

import "sync/atomic"

const (
	// residentBytes is how much of a mapped input may be resident before its
	// pages are given back.
	residentBytes = 64 << 20
	// faultBytes is what a fault makes resident at most, around what is touched.
	faultBytes = 64 << 10
)

// resident counts what has been touched of a mapping since it was last given
// back.
type resident struct{ bytes atomic.Int64 }

// advise tells the system how bands will read a.
func (a *array) advise(b *bands) {
	if a.file != nil && b.desc.WindowStrides[0] > 0 && b.reach <= 4*b.most {
		adviseSequential(a.bytes)
	}
}

// used counts a band that was read, and gives all pages back now and then: the
// next bands fault in again the few they share.
func (a *array) used(b *bands) {
	if a.file == nil {
		return
	}
	touched := min(b.reach, b.most/int64(a.dtype.Size())*faultBytes)
	if a.pages.bytes.Add(touched) >= residentBytes {
		a.pages.bytes.Store(0)
		releasePages(a.bytes)
	}
}
