// Package d3d calls DXGI, Direct3D 12 and DirectML: the structures and numbers of their
// headers, the tables of their interfaces, and the loading of their DLLs. It calls COM
// without cgo, and it alone handles addresses as numbers.
//
// Structures, numbers and errors are on every system, so that every system tests them;
// what calls is for Windows on amd64 and arm64.
package d3d
