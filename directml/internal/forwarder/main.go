// Command forwarder writes a DLL for 64-bit x86. It has no code, and exports one function,
// which it takes from another DLL. The arguments are the file to write, the name of the
// exported function, and the other DLL and function.
//
//	forwarder bcryptprimitives.dll ProcessPrng advapi32.SystemFunction036
//
// The example is the DLL that Go programs need under Wine 8: Go's runtime takes
// its random numbers from ProcessPrng, which that Wine lacks, and
// SystemFunction036 (RtlGenRandom) takes the same arguments.
package main

import (
	"debug/pe"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: forwarder FILE.dll FUNCTION DLL.FUNCTION")
		os.Exit(2)
	}
	file, function, target := os.Args[1], os.Args[2], os.Args[3]
	if err := os.WriteFile(file, forwarder(filepath.Base(file), function, target), 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	fileAlign = 0x200  // in the file: bytes that the headers take; the section takes a multiple
	pageAlign = 0x1000 // in memory: bytes that the headers take, and bytes that the section takes
)

// exports is an export directory of one function, with its tables after it. All addresses are
// relative to the image's start.
type exports struct {
	Characteristics, TimeDateStamp         uint32
	MajorVersion, MinorVersion             uint16
	Name, Base, Functions, Names           uint32
	FunctionTable, NameTable, OrdinalTable uint32

	Function, FunctionName uint32
	Ordinal, _             uint16
}

// image is the headers of a DLL with one section.
type image struct {
	DOS struct {
		Magic [2]byte
		_     [58]byte
		PE    uint32
	}
	Signature [4]byte
	File      pe.FileHeader
	Optional  pe.OptionalHeader64
	Section   pe.SectionHeader32
}

// forwarder returns the DLL called name, which exports function as target. If the address of
// an exported function lies inside the export directory, Windows finds no code there, but the
// text of target: the DLL and the function to use instead.
func forwarder(name, function, target string) []byte {
	const tables = pageAlign + 40
	e := exports{Functions: 1, Names: 1, FunctionTable: tables, NameTable: tables + 4, OrdinalTable: tables + 8}
	e.Name = pageAlign + uint32(binary.Size(e))
	e.FunctionName = e.Name + uint32(len(name)+1)
	e.Function = e.FunctionName + uint32(len(function)+1)
	section := append(encode(e), name+"\x00"+function+"\x00"+target+"\x00"...)
	size := uint32(len(section))
	padded := (size + fileAlign - 1) &^ (fileAlign - 1)

	var h image
	h.DOS.Magic, h.DOS.PE = [2]byte{'M', 'Z'}, uint32(binary.Size(h.DOS))
	h.Signature = [4]byte{'P', 'E'}
	h.File = pe.FileHeader{
		Machine:              pe.IMAGE_FILE_MACHINE_AMD64,
		NumberOfSections:     1,
		SizeOfOptionalHeader: uint16(binary.Size(h.Optional)),
		Characteristics:      pe.IMAGE_FILE_EXECUTABLE_IMAGE | pe.IMAGE_FILE_LARGE_ADDRESS_AWARE | pe.IMAGE_FILE_DLL,
	}
	h.Optional = pe.OptionalHeader64{
		Magic:                       0x20b, // PE32+
		SizeOfInitializedData:       padded,
		ImageBase:                   0x180000000,
		SectionAlignment:            pageAlign,
		FileAlignment:               fileAlign,
		MajorOperatingSystemVersion: 6,
		MajorSubsystemVersion:       6,
		SizeOfImage:                 2 * pageAlign,
		SizeOfHeaders:               fileAlign,
		Subsystem:                   pe.IMAGE_SUBSYSTEM_WINDOWS_GUI,
		DllCharacteristics:          pe.IMAGE_DLLCHARACTERISTICS_DYNAMIC_BASE | pe.IMAGE_DLLCHARACTERISTICS_NX_COMPAT,
		NumberOfRvaAndSizes:         16,
	}
	h.Optional.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_EXPORT] = pe.DataDirectory{VirtualAddress: pageAlign, Size: size}
	h.Section = pe.SectionHeader32{
		Name:             [8]uint8{'.', 'r', 'd', 'a', 't', 'a'},
		VirtualSize:      size,
		VirtualAddress:   pageAlign,
		SizeOfRawData:    padded,
		PointerToRawData: fileAlign,
		Characteristics:  pe.IMAGE_SCN_CNT_INITIALIZED_DATA | pe.IMAGE_SCN_MEM_READ,
	}
	dll := make([]byte, fileAlign+padded)
	copy(dll, encode(h))
	copy(dll[fileAlign:], section)
	return dll
}

// encode returns the bytes of v, little-endian and without padding.
func encode(v any) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(err) // v has a field without a fixed size
	}
	return b
}
