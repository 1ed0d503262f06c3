//go:build !(cgo && !purego && (amd64 || arm64))

package csrc

import "unsafe"

// The functions of a build without loops in C panic, and Built reports false for every set.

func Slice(set int32, p, dst, src unsafe.Pointer)                                 { panic(noLoops) }
func SliceParts(programs, parts unsafe.Pointer, n int64, dst, src unsafe.Pointer) { panic(noLoops) }
func Colours(set int32, c, dst, y, cb, cr unsafe.Pointer)                         { panic(noLoops) }
func Frame(set int32, f, y, cb, cr, src unsafe.Pointer)                           { panic(noLoops) }
func Convert(c, srcProgram, dstProgram, dst, src, memory, params unsafe.Pointer)  { panic(noLoops) }
func Columns(set int32, p, starts, weights, dst, src unsafe.Pointer)              { panic(noLoops) }
func Rows(set int32, p, list, weights, dst, src unsafe.Pointer)                   { panic(noLoops) }
func PlaneColumns(set int32, p, starts, count, weights, room, dst, src unsafe.Pointer) {
	panic(noLoops)
}
func PlaneRows(set int32, p, rows, weights, dst, src unsafe.Pointer) { panic(noLoops) }
func Built(set int32) bool                                           { return false }

const noLoops = "csrc: the build has no loops in C"
