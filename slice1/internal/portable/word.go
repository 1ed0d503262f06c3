package portable

import (
	"encoding/binary"
	"unsafe"
)

// Words are loaded and stored in little-endian order whatever the processor's,
// so that the first byte in memory is always the lowest. Where the processor
// allows misaligned access the compiler makes one instruction of each.

func load16(p unsafe.Pointer, off int) uint16 {
	return binary.LittleEndian.Uint16((*[2]byte)(unsafe.Add(p, off))[:])
}

func load32(p unsafe.Pointer, off int) uint32 {
	return binary.LittleEndian.Uint32((*[4]byte)(unsafe.Add(p, off))[:])
}

func load64(p unsafe.Pointer, off int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(p, off))[:])
}

func store16(p unsafe.Pointer, off int, v uint16) {
	binary.LittleEndian.PutUint16((*[2]byte)(unsafe.Add(p, off))[:], v)
}

func store32(p unsafe.Pointer, off int, v uint32) {
	binary.LittleEndian.PutUint32((*[4]byte)(unsafe.Add(p, off))[:], v)
}

func store64(p unsafe.Pointer, off int, v uint64) {
	binary.LittleEndian.PutUint64((*[8]byte)(unsafe.Add(p, off))[:], v)
}
