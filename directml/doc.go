// Package directml crops, flips, transposes, subsamples and de-interleaves N-dimensional
// tensors on a GPU, on Windows: DirectML's strided slice, DML_OPERATOR_SLICE1, on any
// adapter that has a Direct3D 12 (DirectX 12) driver, from Go without cgo. It takes the
// descriptors of package slice1, and with them NumPy's slices and ONNX's Slice.
//
//	device, err := directml.Open()
//	plan, err := device.NewPlan(desc)   // a *slice1.Desc
//	err = plan.Run(dst, src)            // as with *slice1.Plan
//
// A [Plan] does to host memory exactly what a [slice1.Plan] does, and both are a
// [slice1.Runner]. Use the CPU for data in host memory: the GPU pays off only for data
// that is in its memory, where a [Buffer] holds it and [Plan.Dispatch] slices it.
//
// The package builds everywhere. Where there is no DirectML, as on Linux, [Open] returns
// [errors.ErrUnsupported].
//
// # Requirements
//
// Windows on amd64 or arm64 with a Direct3D 12 driver, and a DirectML.dll of
// feature level 2.1 or later, which is where SLICE1 begins:
//
//	Windows 10            1.0 or 2.0: bring a newer DLL
//	Windows Server 2022   3.0
//	Windows 11 21H2       4.0
//	Windows 11 22H2       5.0
//	Windows 11 24H2       6.2
//
// These are the levels of the DLLs that came with the systems, by Microsoft's
// version history and release notes. The newest redistributable, 1.15.4 with
// level 6.4, is in Microsoft's package Microsoft.AI.DirectML. Its DirectML.dll
// belongs beside the executable, where Open finds it before the one in System32;
// [WithDLL] names another place. The current directory and PATH are never searched.
//
// Adapters are those that DXGI lists: graphics cards, but neither NPUs nor
// data-centre cards that only compute. On hardware of Direct3D's feature level 11.0
// that cannot load R8 and R16 textures with types, DirectML has no types of 1 and 2
// bytes, and plans of them are [slice1.ErrDataType].
//
// # Descriptors
//
// [Device.NewPlan] takes what [slice1.Desc.ValidateFor] takes for the newest
// level, on devices of every level from 2.1 on:
//
//   - Data types become the unsigned one of their width. Where the device has
//     none of 8 bytes, which came with level 4.1, elements become pairs.
//   - Below level 3.0 SLICE1 has rank 4 or 5. Lower ranks get axes of extent 1,
//     higher ones are merged where axes chain in memory, and are
//     [slice1.ErrRank] if 6 or more remain.
//   - Windows become the smallest that yield the output. DirectML 1.15.4 returns
//     wrong elements for some larger ones.
//
// A slice that is no more than 16 runs of bytes needs no operator. Direct3D copies
// the runs, whatever the level, the rank and the size.
//
// # Memory and concurrency
//
// [Plan.Run] sends the part of src from the first to the last element taken, which
// is all that the GPU has of it, and fetches the output, in chunks of 16 MiB through
// staging memory that the device keeps, up to 256 MiB, with two chunks under way at
// a time. Buffers on the GPU for source and output are kept too, up to 256 MiB, and
// so are the last 64 compiled operators that no plan has.
//
// Devices, plans and buffers may be used from any number of goroutines. The GPU
// does their work in the order in which it is handed over. Everything made
// from a device is closed with it.
//
// # Limits
//
// A tensor has at most 2^32-1 elements, from the first to the last in memory.
// Run gives the GPU the part of the input that is taken, and Dispatch the whole tensor.
// That must fit the GPU's memory as one buffer, and the GPU must see all of it. Windows
// may grant more memory than the adapter has, and then page or remove the device.
//
// Direct3D 12 guarantees that an operator sees 2^27 elements of a buffer, and has no
// way to ask whether it sees more: beyond, elements may read as 0 and not be
// written, without an error. An operator is refused, with [slice1.ErrOverflow], above
// 2^27 elements on Qualcomm's adapters, which see no more, and above 2^29 elements of
// 1 or 2 bytes on others, which are known to see that many. Between these limits, and for
// larger elements above 2^27, the driver decides. Copies of runs have no such limit.
//
// DirectML makes a slice of one dispatch for every 16,776,960 elements of the
// output, between which the GPU can turn to other work. Windows takes a device away
// whose GPU works on without a pause for about two seconds, unless it is asked not
// to, as this package asks; a driver need not heed that.
//
// A driver may end a device at any time. The call that finds out, and all
// later ones on it, return [ErrRemoved]; a new device may be opened once all that
// used the adapter in this process is closed.
//
// DirectML is in maintenance: Microsoft supports it and ships it with Windows,
// fixes its faults, and adds nothing to it (since 2025).
package directml
