// Package translate says a slice in DirectML's terms: which operator a device is given for a
// descriptor, or which runs of bytes Direct3D copies instead, and which bytes of host memory
// either needs. It calls nothing and runs on every system.
package translate
