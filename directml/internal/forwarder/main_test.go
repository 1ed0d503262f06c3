package main

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestForwarderExportsTheOtherFunction(t *testing.T) {
	const name, function, target = "bcryptprimitives.dll", "ProcessPrng", "advapi32.SystemFunction036"
	f, err := pe.NewFile(bytes.NewReader(forwarder(name, function, target)))
	require.NoError(t, err)
	require.EqualValues(t, pe.IMAGE_FILE_MACHINE_AMD64, f.Machine)
	require.NotZero(t, f.Characteristics&pe.IMAGE_FILE_DLL)
	imports, err := f.ImportedSymbols()
	require.NoError(t, err)
	require.Empty(t, imports)
	require.Len(t, f.Sections, 1)
	section := f.Sections[0]
	data, err := section.Data()
	require.NoError(t, err)

	optional := f.OptionalHeader.(*pe.OptionalHeader64)
	require.Zero(t, optional.AddressOfEntryPoint)
	require.LessOrEqual(t, section.VirtualAddress+section.VirtualSize, optional.SizeOfImage)
	dir := optional.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_EXPORT]
	at := func(address uint32) []byte { return data[address-section.VirtualAddress:] }
	u32 := func(b []byte, offset int) uint32 { return binary.LittleEndian.Uint32(b[offset:]) }
	text := func(address uint32) string { s, _, _ := bytes.Cut(at(address), []byte{0}); return string(s) }

	// Offsets are those of IMAGE_EXPORT_DIRECTORY in Microsoft's PE format.
	exports := at(dir.VirtualAddress)
	require.Equal(t, name, text(u32(exports, 12)))
	require.EqualValues(t, 1, u32(exports, 20), "functions")
	require.EqualValues(t, 1, u32(exports, 24), "names")
	require.Equal(t, function, text(u32(at(u32(exports, 32)), 0)))
	require.Zero(t, binary.LittleEndian.Uint16(at(u32(exports, 36))), "index of the function so named")
	forward := u32(at(u32(exports, 28)), 0)
	require.Equal(t, target, text(forward))
	require.GreaterOrEqual(t, forward, dir.VirtualAddress)
	require.Less(t, forward, dir.VirtualAddress+dir.Size)
}

func TestForwarderLeavesRoomForLongNames(t *testing.T) {
	long := string(bytes.Repeat([]byte{'n'}, 500))
	f, err := pe.NewFile(bytes.NewReader(forwarder(long, "f", "g.h")))
	require.NoError(t, err)
	data, err := f.Sections[0].Data()
	require.NoError(t, err)
	require.Contains(t, string(data), long+"\x00f\x00g.h\x00")
}
