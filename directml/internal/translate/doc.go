// Package translate expresses a slice in DirectML's terms: the operator that a device gets
// for a descriptor, or the runs of bytes that Direct3D copies instead, and which bytes of
// host memory either needs. It makes no call to DirectML or Direct3D and builds on every
// system.
package translate
