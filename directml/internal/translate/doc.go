// Package translate expresses a slice in DirectML's terms. For a descriptor a device gets an
// operator, or Direct3D copies regions of bytes. The package also tells which bytes of host memory
// either needs. It makes no call to DirectML or Direct3D and builds on every system.
package translate
