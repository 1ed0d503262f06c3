// Package d3d calls DXGI, Direct3D 12 and DirectML: it holds the structures and numbers of their
// headers and the methods of their interfaces, and loads their DLLs. It calls COM without cgo. It
// is the only package of directml that turns addresses into numbers.
//
// Structures, numbers and errors are built and tested on every system. The calls are built
// for Windows on amd64 and arm64.
package d3d
