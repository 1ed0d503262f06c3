// Package directml crops, flips, transposes, subsamples and de-interleaves N-dimensional
// tensors on a GPU, on Windows, from Go without cgo. It uses DirectML's strided slice,
// DML_OPERATOR_SLICE1, on a graphics adapter that has a Direct3D 12 (DirectX 12) driver.
// It takes the descriptors of package slice1, and with them NumPy's slices and ONNX's
// Slice.
//
//	device, err := directml.Open()
//	plan, err := device.NewPlan(desc)   // a *slice1.Desc
//	err = plan.Run(dst, src)            // as with *slice1.Plan
//
// [Plan.Run] writes to host memory the bytes that [slice1.Plan.Run] writes, and both types
// are a [slice1.Runner]. For data in host memory use the CPU: the GPU pays off only for
// data that is in its memory, where a [Buffer] holds it and [Plan.Dispatch] slices it.
//
// The package builds for every system. Where there is no DirectML, as on Linux, the error
// of [Open] is [errors.ErrUnsupported].
//
// # Requirements
//
// Windows 10 1903 or later on amd64 or arm64 with a Direct3D 12 driver, and a DirectML.dll
// of feature level 2.1 or later, which is where SLICE1 begins:
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
// bytes. There [Device.NewPlan] returns [slice1.ErrDataType] for such a type if the slice
// needs an operator and its elements do not become wider ones. If they do for Run alone,
// [Plan.Dispatch] returns that error.
//
// # Descriptors
//
// On a device of any level from 2.1 on, [Device.NewPlan] takes what
// [slice1.Desc.ValidateFor] takes for the newest level, except where an error is named here or
// under Limits. It translates a descriptor for the device:
//
//   - Elements that lie side by side in both tensors, as those of rows that are cropped, become
//     wider ones of 2, 4 or 8 bytes, where the length of these rows and the other distances in
//     memory are multiples of that. For Dispatch so must be the place where the window begins.
//   - The data type becomes the unsigned one of its width. If the device has none of 8
//     bytes, as below level 4.1, each element of 8 bytes becomes a pair of elements of 4
//     bytes, along one more axis.
//   - SLICE1 has rank 1 to 8, and below level 3.0 rank 4 or 5. A lower rank gets axes of
//     extent 1. If the rank is higher, axes that chain in memory are merged. If too many
//     remain, the error is [slice1.ErrRank].
//   - Each window becomes the smallest that yields the output. DirectML 1.15.4 returns
//     wrong elements for some larger ones.
//
// If a slice comes down to at most 16 runs of bytes of one size, the plan has no operator:
// Direct3D copies the runs, whatever the level, the data type, the rank and the size.
//
// # Memory and concurrency
//
// [Plan.Run] sends the GPU the part of src from the first to the last element taken in
// memory, and fetches the output elements. Both go in chunks of at most 16 MiB, of which a call
// has at most two under way. The device keeps the staging memory for the chunks, at most 256
// MiB. It also keeps at most eight GPU buffers for later calls of Run, of at most 64 MiB each.
// [Device.Trim] releases what it keeps. A compiled operator is released with the last plan that has
// it, or later: at most eight stay until later calls or Trim, since a binding table refers to one.
//
// Any number of goroutines may use a device, its plans and its buffers at once. The GPU
// does the work in the order in which the calls submit it. Closing a device closes its
// plans and buffers.
//
// # Limits
//
// A tensor has at most 2^32-1 elements, and at most as many places for elements from its
// first to its last in memory. Each buffer must fit the GPU's memory: for Dispatch those of the
// whole tensors, for Run those of a piece, or without an operator of the part of the input from
// the first to the last element taken and of the output. Windows may grant more memory than the
// adapter has, and then page or remove the device.
//
// An operator must also see all of both buffers. Direct3D 12 guarantees that it sees 2^27
// elements of each, and has no way to ask whether it sees more. Elements beyond what it
// sees may read as 0 and stay unwritten, without an error. Therefore no operator gets more: a
// larger slice is cut into pieces, each with an operator. Run cuts every slice, and compares
// the elements at the highest addresses of each piece with those of src, since no
// adapter is known to have run such slices. Dispatch cuts where parts of both buffers begin
// at multiples of 16 bytes and end within 4 GiB, and otherwise returns [slice1.ErrOverflow], for
// instance for a few rows, each of 2^26+1 bytes. It relies on DirectML to leave the bytes
// between output elements as they are. In all of this an element that became a pair counts as
// two, and those that became a wider one count as one. Copies of runs have no such limit.
//
// DirectML makes of a slice one dispatch for every 16,776,960 elements of the output, counted in
// the same way. Between dispatches the GPU can turn to other work. Windows
// removes a device whose GPU works for about two seconds without a pause, unless the program
// asks it not to. This package asks, but a driver need not heed it.
//
// A driver may remove a device at any time. The call that finds this out and later calls
// that need the device return [ErrRemoved]. A new device can be opened on the adapter once
// everything in this process that used it is closed.
//
// DirectML is in maintenance: Microsoft supports it and ships it with Windows,
// fixes its faults, and adds nothing to it (since 2025).
package directml
