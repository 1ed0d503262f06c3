package directml

import (
	"context"
	"math"
	"slices"
	"unsafe"

	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

// Device is one adapter opened for slices. Any number of goroutines may use it at once. At most
// four calls that use the adapter run at a time. The others wait. The device compiles one operator
// at a time. Calls that need no new operator do not wait for that. The adapter does the work in the
// order in which calls submit it.
type Device struct {
	info Info
	gpu
}

// Info describes an open device.
type Info struct {
	Adapter      string              // the adapter's name, as DXGI gives it
	LUID         uint64              // the LUID of the adapter, see Adapter
	Software     bool                // whether the adapter is software
	Version      string              // the version of DirectML.dll, for example "1.15.4", or Windows' own number if the DLL came with Windows; "" if it has none
	FeatureLevel slice1.FeatureLevel // the highest level that the device has and this package knows
	DataTypes    []slice1.DataType   // the types that the device supports; plans take other types too, as unsigned ones
}

// Adapter is a graphics adapter of this machine, whether or not a device can
// be opened on it.
type Adapter struct {
	Index    int    // for WithAdapter, with the same preference
	LUID     uint64 // for WithLUID: the number that the adapter has until Windows restarts; HighPart is its upper half
	Name     string
	Vendor   uint32 // the vendor in the PCI ID: 0x10DE is NVIDIA, 0x1002 AMD, 0x8086 Intel
	Driver   string // the driver's version, for example "31.0.15.3623", or "" if DXGI does not say
	Software bool
	Memory   uint64 // bytes of dedicated video memory; little or 0 for an integrated adapter, which also uses the system's memory
}

// Adapters lists all adapters, software ones too, in the order in which [Open] tries them
// with the same preference. It heeds WithPreference, and WithDebugLayer for DXGI's layer. If DXGI
// cannot describe one of them, Adapters returns no list but DXGI's error. On systems without DXGI
// the error is [errors.ErrUnsupported].
func Adapters(opts ...Option) ([]Adapter, error) { return adapters(configure(opts)) }

// Open opens the first adapter, in the order of the preference, on which a Direct3D 12 device and a
// DirectML device of at least the level of WithFeatureLevel can be created. It tries software
// adapters only with WithSoftware, WithAdapter or WithLUID. The error is [errors.ErrUnsupported] on
// systems other than Windows on amd64 and arm64, if DirectML.dll cannot be loaded, and if no
// adapter can be opened. In the last case its text names the reason for each adapter that was
// tried. If a reason may pass, the error is not ErrUnsupported. Examples are a lack of memory, and
// an adapter that is being reset. Open also fails if a path is not absolute or a debug layer is
// missing.
//
// All Devices on one adapter share its Direct3D 12 device with each other and with all other users
// of Direct3D 12 on it in the process. A fault of one user removes that device for all of them
// ([ErrRemoved]).
//
// The caller closes the Device.
func Open(opts ...Option) (*Device, error) { return open(configure(opts)) }

// Info describes the device. It may also be called after Close. For a nil Device it returns the
// zero Info.
func (d *Device) Info() Info {
	if d == nil {
		return Info{}
	}
	info := d.info
	info.DataTypes = slices.Clone(info.DataTypes)
	return info
}

// NewPlan translates desc and compiles the operators for Run, unless another plan of the device has
// them. Most descriptors need one operator. Descriptors that differ only in their WindowOffsets
// have the same operators. The plan does not refer to desc.
//
// For a wrong desc the error is the same as [slice1.Desc.ValidateFor]'s for the newest feature
// level. If the device cannot execute desc, the error is [slice1.ErrRank], [slice1.ErrDataType] or
// [slice1.ErrOverflow]: see the package's Descriptors and Limits. Other errors include [ErrClosed],
// [ErrRemoved], [ErrMemory], and an [*Error] for a call that failed.
//
// A slice that consists of at most 16 regions of one size needs no operator: its plan has Direct3D
// copy the regions. A region is bytes that lie together in the source and in the output. Examples
// are a row and a crop of whole rows.
//
// The plan belongs to the device. Closing the plan lets the device release its operators.
// Closing the device closes the plan.
func (d *Device) NewPlan(desc *slice1.Desc) (*Plan, error) {
	if d == nil {
		return nil, ErrClosed
	}
	return d.newPlan(desc)
}

// NewBuffer returns a buffer of size bytes of the adapter's memory, with undefined contents.
// size must be at least 1 ([slice1.ErrSize]). The memory is rounded up to a multiple of 4
// bytes, which must not overflow ([slice1.ErrOverflow]). If Direct3D has too little memory, the
// error is [ErrMemory]. Direct3D gives each buffer at least 64 KiB, and takes long to create one.
// The buffer belongs to the device; closing the device closes the buffer.
func (d *Device) NewBuffer(size int64) (*Buffer, error) {
	if size < 1 {
		return nil, translate.Refused(slice1.ErrSize, "size", size, 1, " is %d, must be at least 1", size)
	}
	const limit int64 = math.MaxInt64 &^ 3
	if size > limit {
		return nil, translate.Refused(slice1.ErrOverflow, "size", size, limit, " is %d, must be at most %d", size, limit)
	}
	if d == nil {
		return nil, ErrClosed
	}
	return d.newBuffer(size)
}

// Native has COM objects of a Device, for other users of Direct3D and DirectML in the process. The
// objects are not in Go's memory, so C may keep their addresses.
type Native struct {
	Direct3D unsafe.Pointer // ID3D12Device
	DirectML unsafe.Pointer // IDMLDevice
	Queue    unsafe.Pointer // ID3D12CommandQueue of the type COMPUTE
}

// Native returns the device's COM objects. They are valid until Close, and nil after that. To keep
// one longer, call its AddRef. Call its Release before another Device replaces a removed one. Other
// users may submit work to the queue at any time. By Direct3D's rules that work begins after the
// work of calls of this package that have returned, and ends before the work of later calls begins.
// A fault of one user removes the device for all of them ([ErrRemoved]).
func (d *Device) Native() Native {
	if d == nil {
		return Native{}
	}
	return d.native()
}

// Wait returns when the adapter has done all work that was submitted to the device's queue before,
// the work of other users of [Device.Native] too. If the device is removed, the error is
// [ErrRemoved]. If ctx is done at the start or while Wait waits, the error is ctx's. A nil ctx is
// never done.
func (d *Device) Wait(ctx context.Context) error {
	if d == nil {
		return ErrClosed
	}
	ctx, err := started(ctx)
	if err != nil {
		return err
	}
	return d.wait(ctx)
}

// started returns the context of a call, which is ctx, or one that is never done if ctx is nil. The
// error is ctx's if ctx is done already.
func started(ctx context.Context) (context.Context, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	return ctx, ctx.Err()
}

// Trim releases the staging memory and the GPU buffers that the device keeps for later calls. It
// keeps the memory of calls in progress. A later call releases memory that the adapter still uses,
// once the adapter has finished.
func (d *Device) Trim() {
	if d != nil {
		d.shrink()
	}
}

// Messages returns what the debug layers have stored for the adapter's Direct3D 12 device, the
// oldest message first: "error 613: ..." with the number that Direct3D gives such messages. By
// default Direct3D keeps the last 1,024. Messages returns nil without [WithDebugLayer] and after
// Close. All Devices on an adapter have the same messages.
func (d *Device) Messages() []string {
	if d == nil {
		return nil
	}
	return d.messages()
}

// Close waits until calls in progress and the adapter have finished, for ever if the adapter hangs
// and Windows does not reset it. Then it releases everything that belongs to the device, so its
// plans and buffers are closed too. The error is ErrRemoved if the device was removed, and
// otherwise nil. Closing again does nothing.
func (d *Device) Close() error {
	if d == nil {
		return nil
	}
	return d.close()
}

// Buffer is memory of the adapter. Any number of goroutines may use it at once. Calls take
// effect in the order in which they submit work to the adapter.
type Buffer struct {
	device *Device
	size   int64
	parent *Buffer // the buffer of which this one is a slice, or nil
	offset int64   // where the slice begins in it, in bytes
	memory
}

// Slice returns size bytes of the buffer, from byte offset on, as a buffer of its own: for example
// the place of one picture in a batch. Both buffers share the memory, which is released when both
// are closed. To close one does not close the other. offset must be a multiple of 16
// ([slice1.ErrAlign]), and size at least 1 ([slice1.ErrSize]). Both together must be within the
// buffer ([slice1.ErrBuffer]).
//
// Dispatch has an operator for most plans, and refuses one that would reach beyond 4 GiB of the
// allocation, not of the slice. The allocation is the memory of the buffer from NewBuffer.
//
// Slices of one buffer cannot be dst and src of one Dispatch, even if they do not overlap. Direct3D
// gives a buffer as a whole one state at a time, and a copy needs one state for its source and
// another for its destination.
func (b *Buffer) Slice(offset, size int64) (*Buffer, error) {
	switch {
	case b == nil:
		return nil, ErrClosed
	case size < 1:
		return nil, translate.Refused(slice1.ErrSize, "size", size, 1, " is %d, must be at least 1", size)
	case offset < 0 || offset%translate.Alignment != 0:
		return nil, translate.Refused(slice1.ErrAlign, "offset", offset, translate.Alignment,
			" is %d, must be a multiple of %d and at least 0", offset, translate.Alignment)
	case offset > b.size-size:
		end := int64(min(uint64(offset)+uint64(size), math.MaxInt64))
		return nil, translate.Refused(slice1.ErrBuffer, "buffer", b.size, end, " has %d bytes, the slice ends at byte %d", b.size, end)
	}
	return b.slice(offset, size)
}

// allocation returns the buffer from NewBuffer of which b is a slice, or b if b is no slice.
func (b *Buffer) allocation() *Buffer {
	if b.parent != nil {
		return b.parent
	}
	return b
}

// Native returns the buffer's ID3D12Resource, for other users of Direct3D, and where in the
// resource the buffer begins, in bytes. The resource is not in Go's memory. It is in the default
// heap and allows unordered access. Between lists of commands it is in the state COMMON. The
// pointer is valid until Close of the buffer or its device, and nil after that. To keep the
// resource longer, call its AddRef. Close waits only for the work of this package. So work of other
// users must have ended before, or must have its own reference to the resource. [Device.Wait] waits
// for it.
func (b *Buffer) Native() (resource unsafe.Pointer, offset int64) {
	if b == nil {
		return nil, 0
	}
	return b.native(), b.offset
}

// Size returns the size in bytes that NewBuffer or Slice was given, after Close too, and 0 for a
// nil Buffer.
func (b *Buffer) Size() int64 {
	if b == nil {
		return 0
	}
	return b.size
}

// Upload copies src to the start of the buffer, which must be at least as long as src
// ([slice1.ErrBuffer]). When Upload returns, src is no longer in use, though the adapter may
// still be copying. An empty src does nothing.
func (b *Buffer) Upload(src []byte) error {
	if err := b.check("src", src); err != nil || len(src) == 0 {
		return err
	}
	return b.upload(src)
}

// Download fills dst from the start of the buffer, which must be at least as long as dst
// ([slice1.ErrBuffer]). The copy begins after all work that was submitted before. An empty dst does
// nothing. Download waits for the adapter, for ever if that hangs and Windows does not reset it.
func (b *Buffer) Download(dst []byte) error { return b.DownloadContext(context.Background(), dst) }

// DownloadContext is Download with a context. It returns ctx's error if ctx is done at the start or
// while DownloadContext waits. It may wait for a turn and for the adapter. After that error dst may
// hold some bytes of the buffer, and its other bytes are unchanged. The adapter finishes what it
// was given, without using dst. A nil ctx is never done.
func (b *Buffer) DownloadContext(ctx context.Context, dst []byte) error {
	if err := b.check("dst", dst); err != nil {
		return err
	}
	ctx, err := started(ctx)
	if err != nil || len(dst) == 0 {
		return err
	}
	return b.download(ctx, dst)
}

func (b *Buffer) check(field string, data []byte) error {
	if b == nil {
		return ErrClosed
	}
	if int64(len(data)) > b.size {
		return translate.Refused(slice1.ErrBuffer, field, int64(len(data)), b.size, " has %d bytes, the buffer has %d", len(data), b.size)
	}
	return nil
}

// Close does not wait. The device releases the memory once no call uses the buffer and the
// adapter has finished the work that was submitted. Later uploads, downloads and dispatches
// return ErrClosed. Closing again, or a nil or zero Buffer, does nothing. The error is
// always nil.
func (b *Buffer) Close() error {
	if b == nil {
		return nil
	}
	return b.close()
}
