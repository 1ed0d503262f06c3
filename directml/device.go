package directml

import (
	"math"

	"github.com/seed2e45c115/dml/slice1"
)

// Device is one adapter opened for slices. It may be used by any number of goroutines at
// once; up to four of their calls run together, and the others wait. The adapter does the
// work in the order in which calls submit it.
type Device struct {
	info Info
	gpu
}

// Info describes an open device.
type Info struct {
	Adapter      string              // the adapter's own name
	Software     bool                // the adapter is software
	Version      string              // of DirectML.dll, such as "1.15.4"; "" if the file does not say
	FeatureLevel slice1.FeatureLevel // the highest level that both the device and this package have
	DataTypes    []slice1.DataType   // supported by the device itself; plans accept every type of the same width
}

// Adapter is a graphics adapter of this machine, whether or not a device can
// be opened on it.
type Adapter struct {
	Index    int // for WithAdapter
	Name     string
	Software bool
	Memory   uint64 // bytes of dedicated video memory; small on integrated adapters
}

// Adapters lists the adapters in the order in which [Open] tries them with the same
// preference. It ignores other options. On systems without DXGI the error is
// [errors.ErrUnsupported].
func Adapters(opts ...Option) ([]Adapter, error) { return adapters(configure(opts)) }

// Open opens the first adapter, in the order of the preference, that has a
// Direct3D 12 driver and with it the feature level asked for; software only
// where an option allows it. The error is [errors.ErrUnsupported] where there
// is none: no Windows, no DirectML.dll, no adapter, no driver, too low a level.
//
// Devices on one adapter share its Direct3D 12 device with each other and with all
// that uses Direct3D 12 in the process: the fault of one removes it for all of them
// ([ErrRemoved]).
//
// The device is the caller's to close.
func Open(opts ...Option) (*Device, error) { return open(configure(opts)) }

// Info describes the device. It may be called after Close, too. For a nil Device it returns
// the zero Info.
func (d *Device) Info() Info {
	if d == nil {
		return Info{}
	}
	info := d.info
	info.DataTypes = append([]slice1.DataType(nil), info.DataTypes...)
	return info
}

// NewPlan translates desc, which it keeps nothing of, and compiles it, unless
// the device has the same one still compiled, or one that differs only in its
// WindowOffsets. The error is that of [slice1.Desc.ValidateFor] for the newest
// feature level, or names what the device's level has no way to express: ranks
// above 5 below level 3.0 that do not come down to 5 by merging axes, for one, or
// windows larger than the adapter can see ([slice1.ErrOverflow]).
//
// A slice that is at most 16 runs of bytes, such as a row or a crop of whole rows,
// needs no operator: its plan has Direct3D copy them.
//
// The plan belongs to the device. Closing it lets the device use its memory for
// others; closing the device closes it.
func (d *Device) NewPlan(desc *slice1.Desc) (*Plan, error) {
	if d == nil {
		return nil, ErrClosed
	}
	return d.newPlan(desc)
}

// NewBuffer returns size bytes of the adapter's memory with undefined contents. size is at
// least 1 ([slice1.ErrSize]), and is rounded up to a multiple of 4, which must not overflow
// ([slice1.ErrOverflow]). The buffer belongs to the device; closing the device closes it.
func (d *Device) NewBuffer(size int64) (*Buffer, error) {
	if size < 1 {
		return nil, &slice1.DescError{Field: "size", Axis: -1, Got: size, Limit: 1, Err: slice1.ErrSize}
	}
	if size > math.MaxInt64&^3 {
		return nil, &slice1.DescError{Field: "size", Axis: -1, Got: size, Limit: math.MaxInt64 &^ 3, Err: slice1.ErrOverflow}
	}
	if d == nil {
		return nil, ErrClosed
	}
	return d.newBuffer(size)
}

// Close waits until calls in progress and the adapter have finished, and releases
// everything: plans and buffers of the device are closed with it. Closing again does
// nothing. The error is that of a device that was removed.
func (d *Device) Close() error {
	if d == nil {
		return nil
	}
	return d.close()
}

// Buffer is memory of the adapter. It may be used by any number of goroutines; calls take
// effect in the order in which they submit work to the adapter.
type Buffer struct {
	device *Device
	size   int64
	memory
}

// Size returns the bytes the buffer holds.
func (b *Buffer) Size() int64 {
	if b == nil {
		return 0
	}
	return b.size
}

// Upload copies src to the start of the buffer, which must be at least as long
// ([slice1.ErrBuffer]). After it returns, src may be changed.
func (b *Buffer) Upload(src []byte) error {
	if err := b.check("src", src); err != nil || len(src) == 0 {
		return err
	}
	return b.upload(src)
}

// Download fills dst from the start of the buffer, which must be at least as long
// ([slice1.ErrBuffer]). It waits for all calls before it that write to the buffer.
func (b *Buffer) Download(dst []byte) error {
	if err := b.check("dst", dst); err != nil || len(dst) == 0 {
		return err
	}
	return b.download(dst)
}

func (b *Buffer) check(field string, data []byte) error {
	if b == nil {
		return ErrClosed
	}
	if int64(len(data)) > b.size {
		return &slice1.DescError{Field: field, Axis: -1, Got: int64(len(data)), Limit: b.size, Err: slice1.ErrBuffer}
	}
	return nil
}

// Close releases the memory once the adapter has finished using it. Later calls return
// ErrClosed. Closing again does nothing.
func (b *Buffer) Close() error {
	if b == nil {
		return nil
	}
	return b.close()
}
