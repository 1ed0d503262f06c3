// Package directml crops, flips, transposes, subsamples and deinterleaves N-dimensional
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
// The package builds for every system. On systems without DirectML, like Linux, the error of [Open]
// is [errors.ErrUnsupported].
//
// # Requirements
//
// Windows 10 1903 or later on amd64 or arm64 with a Direct3D 12 driver, and a DirectML.dll of
// feature level 2.1 or later. SLICE1 begins at level 2.1:
//
//	Windows 10            1.0 or 2.0: bring a newer DLL
//	Windows Server 2022   3.0
//	Windows 11 21H2       4.0
//	Windows 11 22H2       5.0
//	Windows 11 24H2       6.2
//	Windows Server 2025   6.2
//
// These are the levels of the DLLs that came with the systems. Their source is Microsoft's version
// history and release notes. The newest redistributable, 1.15.4 with level 6.4, is in Microsoft's
// package Microsoft.AI.DirectML. Put its DirectML.dll beside the executable: Open finds it there
// before the one in System32. [WithDLL] names another place. The current directory and PATH are
// never searched.
//
// The package uses the adapters that DXGI lists. These are graphics cards. NPUs and data-centre
// cards that only compute are not among them, and NVIDIA's cards in TCC mode have no Direct3D 12.
// Nobody has tried the package in a Windows service, over Remote Desktop or in a container. On
// hardware of Direct3D's feature level 11.0 that cannot load R8 and R16 textures with types,
// DirectML has no types of 1 and 2 bytes. There [Device.NewPlan] returns [slice1.ErrDataType] for
// such a type if the slice needs an operator and its elements do not become wider ones. If they
// become wider only for Run, [Plan.Dispatch] returns that error.
//
// # Descriptors
//
// On a device of any level from 2.1 on, [Device.NewPlan] takes every descriptor that
// [slice1.Desc.ValidateFor] takes for the newest level. The exceptions have an error that is named
// here or under Limits. NewPlan translates a descriptor for the device:
//
//   - Elements that lie side by side in both tensors become wider ones of 2, 4 or 8 bytes. For
//     example, a crop has rows of such elements. The length of these rows and the other distances
//     in memory must be multiples of the new width. For Dispatch the place where the window begins
//     must be one too.
//   - The data type becomes the unsigned type of its width. Below level 4.1 devices have no type of
//     8 bytes. If a device has none, each element of 8 bytes becomes a pair of elements of 4 bytes,
//     along one more axis.
//   - SLICE1 takes rank 1 to 8, and below level 3.0 rank 4 or 5. If the rank is lower, NewPlan adds
//     axes of extent 1, before the others. If it is higher, NewPlan merges axes that chain in
//     memory. If too many remain, the error is [slice1.ErrRank].
//   - Each window becomes the smallest one that yields the output. DirectML 1.15.4 returns wrong
//     elements for some larger windows.
//
// If a slice consists of at most 16 regions of one size, the plan has no operator. A region is
// bytes that lie together in the source and in the output. Direct3D copies the regions, whatever
// the level, the data type, the rank and the size.
//
// # Memory and concurrency
//
// [Plan.Run] sends the GPU the part of src from the first to the last element taken in memory, and
// fetches the output elements. Both go in chunks of at most 16 MiB. A call has at most two chunks
// under way. The device keeps the staging memory for the chunks, at most 256 MiB. It also keeps at
// most eight GPU buffers of at most 64 MiB each for later calls of Run. [Device.Trim] releases what
// it keeps. A compiled operator is released with the last plan that has it, or later. At most eight
// operators stay until later calls or Trim, since binding tables refer to them.
//
// Any number of goroutines may use a device, its plans and its buffers at once. The GPU does the
// work in the order in which calls submit it. Closing a device closes its plans and buffers.
//
// # Limits
//
// A tensor has at most 2^32-1 elements, and at most as many places for elements from its first to
// its last in memory. Each buffer must fit the GPU's memory. For Dispatch these are the buffers of
// the whole tensors, and for Run the buffers of a part. If the plan has no operator, Run has one
// buffer for the output and one for the input from the first to the last element taken. Direct3D
// guarantees buffers of 128 MiB, or of a quarter of the dedicated video memory if that is more, up
// to 2 GiB. It may refuse larger ones, with [ErrMemory] or another error. Windows may
// grant more memory than the adapter has, and then page or remove the device. The package does not
// read the budget that Windows gives the process (IDXGIAdapter3::QueryVideoMemoryInfo).
//
// An operator must also see all of both buffers. Direct3D 12 guarantees that it sees 2^27 elements
// of each, and has no way to ask whether it sees more. Elements beyond that may read as 0 and stay
// unwritten, without an error. Therefore no operator gets more than 2^27 elements: a larger slice
// is cut into parts, and each part has an operator. By the tests of vkd3d-proton, Qualcomm's
// Adreno sees 2^27 elements and no more, and the drivers of AMD, Intel and NVIDIA see 2^29. Run can
// cut every slice. Dispatch can cut a slice if its parts begin at multiples of 16 bytes in both
// buffers. Otherwise it returns [slice1.ErrOverflow], for instance for a few rows of 2^26+1 bytes
// each. A Dispatch that cuts relies on DirectML to leave the bytes between output elements as they
// are. DirectML 1.15.4 has been seen to do so on one driver, a software one. An element that became
// a pair counts as two here, and elements that became a wider one count as one.
//
// Drivers are known to fail at views beyond 4 GiB of a buffer. Therefore Dispatch returns
// [slice1.ErrOverflow] if a tensor of an operator, or a part of one that is cut, would end beyond 4
// GiB of the allocation, not of the slice: the bytes before a [Buffer.Slice] count too. Copies of
// regions have none of these limits.
//
// DirectML makes one dispatch for every 16,776,960 elements of a slice's output, counted in the
// same way. Between dispatches the GPU can turn to other work. Windows removes a device whose GPU
// works for about two seconds without a pause, unless the program asks it not to. This package
// asks, but a driver need not heed it.
//
// A driver may remove a device at any time. The call that finds this out and later calls
// that need the device return [ErrRemoved]. A new device can be opened on the adapter once
// everything in this process that used it is closed, sessions of ONNX Runtime too.
//
// DirectML is in maintenance: Microsoft supports it and ships it with Windows,
// fixes its faults, and adds nothing to it (since 2025).
package directml
