//go:build amd64 || arm64

package d3d

import (
	"runtime"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
)

// The slots of this file's methods are defined in DirectML.h.

// DMLDevice is an IDMLDevice.
type DMLDevice struct{ Object }

// CreateDevice makes a DirectML device on a Direct3D device. If debug is true, DirectML's debug
// layer checks its use.
func (l Library) CreateDevice(d Device, debug bool) (m DMLDevice, err error) {
	var flags uintptr
	if debug {
		flags = createDeviceDebug
	}
	// The level is the least that the device must have. DirectML 1.10.0 refuses levels above 5.0
	// here, so callers find out the device's level by Level.
	err = m.made(invoke("DMLCreateDevice1", l.create, d.word(), flags, uintptr(slice1.FeatureLevel1_0),
		uintptr(unsafe.Pointer(iidDMLDevice)), uintptr(unsafe.Pointer(&m.P))))
	return m, err
}

// knownLevels are the levels that Level asks for, highest first.
var knownLevels = []slice1.FeatureLevel{
	slice1.FeatureLevel6_4, slice1.FeatureLevel6_3, slice1.FeatureLevel6_2, slice1.FeatureLevel6_1, slice1.FeatureLevel6_0,
	slice1.FeatureLevel5_2, slice1.FeatureLevel5_1, slice1.FeatureLevel5_0, slice1.FeatureLevel4_1, slice1.FeatureLevel4_0,
	slice1.FeatureLevel3_1, slice1.FeatureLevel3_0, slice1.FeatureLevel2_1, slice1.FeatureLevel2_0, slice1.FeatureLevel1_0,
}

// Level returns the highest of knownLevels that the device has. It asks for one level after the
// other, since some versions of DirectML refuse a list with a level that they do not know. If all
// fail, it returns the last error.
func (m DMLDevice) Level() (highest slice1.FeatureLevel, err error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	for i := range knownLevels {
		pin.Pin(&knownLevels[i])
		query := featureLevelsQuery{1, &knownLevels[i]}
		err = m.Try("IDMLDevice.CheckFeatureSupport", 7, featureLevels, unsafe.Sizeof(query), uintptr(unsafe.Pointer(&query)),
			unsafe.Sizeof(highest), uintptr(unsafe.Pointer(&highest)))
		if err == nil {
			break
		}
	}
	return highest, err
}

// Supports reports whether the device supports tensors of a type. An operator may refuse a type
// that the device supports.
func (m DMLDevice) Supports(t slice1.DataType) (bool, error) {
	var supported int32
	err := m.Try("IDMLDevice.CheckFeatureSupport", 7, featureDataType, unsafe.Sizeof(t), uintptr(unsafe.Pointer(&t)),
		unsafe.Sizeof(supported), uintptr(unsafe.Pointer(&supported)))
	return supported != 0, err
}

// CreateOperator returns an operator. The caller releases it. DirectML validates desc. The memory
// that the pointers in desc lead to must be in the same allocation as desc, or pinned.
func (m DMLDevice) CreateOperator(desc *OperatorDesc) (o Object, err error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(desc)
	err = o.made(m.Try("IDMLDevice.CreateOperator", 8, uintptr(unsafe.Pointer(desc)),
		uintptr(unsafe.Pointer(iidDMLOperator)), uintptr(unsafe.Pointer(&o.P))))
	return o, err
}

// Compile returns the compiled operator. It may take tens of milliseconds.
func (m DMLDevice) Compile(operator Object) (d Dispatchable, err error) {
	err = d.made(m.Try("IDMLDevice.CompileOperator", 9, operator.word(), 0,
		uintptr(unsafe.Pointer(iidDMLCompiledOperator)), uintptr(unsafe.Pointer(&d.P))))
	return d, err
}

// CreateInitializer returns the initializer of a compiled operator. It must be dispatched once
// before the operator is.
func (m DMLDevice) CreateInitializer(compiled Dispatchable) (d Dispatchable, err error) {
	operator := compiled.P
	err = d.made(m.Try("IDMLDevice.CreateOperatorInitializer", 10, 1, uintptr(unsafe.Pointer(&operator)),
		uintptr(unsafe.Pointer(iidDMLInitializer)), uintptr(unsafe.Pointer(&d.P))))
	return d, err
}

// CreateRecorder returns a recorder of dispatches.
func (m DMLDevice) CreateRecorder() (r Recorder, err error) {
	err = r.made(m.Try("IDMLDevice.CreateCommandRecorder", 11, uintptr(unsafe.Pointer(iidDMLRecorder)), uintptr(unsafe.Pointer(&r.P))))
	return r, err
}

// CreateTable returns a binding table for the Dispatchable and over the descriptors of desc.
func (m DMLDevice) CreateTable(desc BindingTableDesc) (t BindingTable, err error) {
	err = t.made(m.Try("IDMLDevice.CreateBindingTable", 12, uintptr(unsafe.Pointer(&desc)),
		uintptr(unsafe.Pointer(iidDMLBindingTable)), uintptr(unsafe.Pointer(&t.P))))
	return t, err
}

// RemovedReason returns the reason as an *Error if the device was removed, and otherwise nil.
func (m DMLDevice) RemovedReason() error {
	return m.Try("IDMLDevice.GetDeviceRemovedReason", 15)
}

// Dispatchable is an IDMLCompiledOperator or an IDMLOperatorInitializer.
type Dispatchable struct{ Object }

// Properties returns what d's dispatches need.
func (d Dispatchable) Properties() (p BindingProperties) {
	d.Call(8, uintptr(unsafe.Pointer(&p))) // GetBindingProperties
	return p
}

// Recorder is an IDMLCommandRecorder.
type Recorder struct{ Object }

// Dispatch records in l a dispatch of d on the buffers that the table binds. It does not set the
// list's descriptor heap.
func (r Recorder) Dispatch(l List, d Dispatchable, t BindingTable) {
	r.Call(8, l.word(), d.word(), t.word()) // RecordDispatch
}

// BindingTable is an IDMLBindingTable.
type BindingTable struct{ Object }

// Reset empties the table and makes it a table for the Dispatchable and the descriptors of desc.
func (t BindingTable) Reset(desc BindingTableDesc) error {
	return t.Try("IDMLBindingTable.Reset", 12, uintptr(unsafe.Pointer(&desc)))
}

// These say how Bind binds a buffer. They are the slots of IDMLBindingTable's methods. DirectML
// returns no error for a bad binding, but removes its device. For an operator without temporary or
// persistent memory, do not call Bind for that memory: the documentation allows a null pointer in
// BindTemporaryResource and BindPersistentResource, but DirectML 1.15.4 reads through it.
const (
	BindInputs     = 8
	BindOutputs    = 9
	BindTemporary  = 10
	BindPersistent = 11
)

// Bind binds size bytes of a buffer, from byte offset on, a multiple of 16. slot is one of
// BindInputs to BindPersistent.
func (t BindingTable) Bind(slot int, r Resource, offset, size uint64) {
	var pin runtime.Pinner
	defer pin.Unpin()
	b := &struct {
		desc   bindingDesc
		buffer bufferBinding
	}{buffer: bufferBinding{r.P, offset, size}}
	b.desc = bindingDesc{bindingBuffer, &b.buffer}
	pin.Pin(b)
	switch slot {
	case BindInputs, BindOutputs:
		t.Call(slot, 1, uintptr(unsafe.Pointer(&b.desc)))
	default:
		t.Call(slot, uintptr(unsafe.Pointer(&b.desc)))
	}
}
