package main

import "sync/atomic"

const (
	// residentBytes is how much of a mapped input may be resident before its
	// pages are given back.
	residentBytes = 64 << 20
	// faultBytes is what a fault makes resident around what is touched: pages
	// in the system's cache come in groups (Linux 6.18: 200 KiB on average).
	faultBytes = 256 << 10
)

// resident counts what has been touched of a mapping since it was last given
// back.
type resident struct{ bytes atomic.Int64 }

// touched returns the bytes of input that a band makes resident, about.
func (b *bands) touched() int64 {
	size := int64(b.desc.Input.DataType.Size())
	return min(b.reach, b.most/size*faultBytes)
}

// advise tells the system how bands will read a.
func (a *array) advise(b *bands) {
	switch {
	case a.file == nil:
	case b.touched() < b.reach:
		adviseRandom(a.bytes) // what lies between the elements is not read
	case b.desc.WindowStrides[0] > 0 && b.reach <= 4*b.most:
		adviseSequential(a.bytes)
	}
}

// used counts a band that was read, and gives all pages back now and then: the
// next bands fault in again the few they share.
func (a *array) used(b *bands) {
	if a.file != nil && a.pages.bytes.Add(b.touched()) >= residentBytes {
		a.pages.bytes.Store(0)
		releasePages(a.bytes)
	}
}
