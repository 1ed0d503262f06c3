//go:build amd64 || arm64

package directml

import (
	"runtime"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
)

// Slots from DirectML.h.

type dmlDevice struct{ object }

func createDMLDevice(create uintptr, d d3dDevice, debug bool) (m dmlDevice, err error) {
	var flags uintptr
	if debug {
		flags = createDeviceDebug
	}
	// The level is asked for later: DirectML 1.10.0 refuses any above 5.0 here.
	err = m.made(invoke("DMLCreateDevice1", create, d.word(), flags, uintptr(slice1.FeatureLevel1_0),
		uintptr(unsafe.Pointer(iidDMLDevice)), uintptr(unsafe.Pointer(&m.p))))
	return m, err
}

// knownLevels are asked for; DirectML names the highest of them it has.
var knownLevels = []slice1.FeatureLevel{
	slice1.FeatureLevel6_4, slice1.FeatureLevel6_3, slice1.FeatureLevel6_2, slice1.FeatureLevel6_1, slice1.FeatureLevel6_0,
	slice1.FeatureLevel5_2, slice1.FeatureLevel5_1, slice1.FeatureLevel5_0, slice1.FeatureLevel4_1, slice1.FeatureLevel4_0,
	slice1.FeatureLevel3_1, slice1.FeatureLevel3_0, slice1.FeatureLevel2_1, slice1.FeatureLevel2_0, slice1.FeatureLevel1_0,
}

// level returns the feature level. Versions that refuse a list with levels
// they do not know are asked for one after the other.
func (m dmlDevice) level() (level slice1.FeatureLevel, err error) {
	if level, err = m.highest(knownLevels); err == nil {
		return level, nil
	}
	for i := range knownLevels {
		if level, e := m.highest(knownLevels[i : i+1]); e == nil {
			return level, nil
		}
	}
	return 0, err
}

func (m dmlDevice) highest(levels []slice1.FeatureLevel) (highest slice1.FeatureLevel, err error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&levels[0])
	query := featureLevelsQuery{uint32(len(levels)), &levels[0]}
	err = m.try("IDMLDevice.CheckFeatureSupport", 7, featureLevels, unsafe.Sizeof(query), uintptr(unsafe.Pointer(&query)),
		unsafe.Sizeof(highest), uintptr(unsafe.Pointer(&highest)))
	return highest, err
}

// supports tells whether the device takes tensors of a type at all.
func (m dmlDevice) supports(t slice1.DataType) (bool, error) {
	var supported int32
	err := m.try("IDMLDevice.CheckFeatureSupport", 7, featureDataType, unsafe.Sizeof(t), uintptr(unsafe.Pointer(&t)),
		unsafe.Sizeof(supported), uintptr(unsafe.Pointer(&supported)))
	return supported != 0, err
}

func (m dmlDevice) createOperator(call *operatorCall) (o object, err error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(call) // all that its pointers lead to is in it
	err = o.made(m.try("IDMLDevice.CreateOperator", 8, uintptr(unsafe.Pointer(&call.desc)),
		uintptr(unsafe.Pointer(iidDMLOperator)), uintptr(unsafe.Pointer(&o.p))))
	return o, err
}

func (m dmlDevice) compile(operator object) (d dispatchable, err error) {
	err = d.made(m.try("IDMLDevice.CompileOperator", 9, operator.word(), 0,
		uintptr(unsafe.Pointer(iidDMLCompiledOperator)), uintptr(unsafe.Pointer(&d.p))))
	return d, err
}

func (m dmlDevice) createInitializer(compiled dispatchable) (d dispatchable, err error) {
	operator := compiled.p
	err = d.made(m.try("IDMLDevice.CreateOperatorInitializer", 10, 1, uintptr(unsafe.Pointer(&operator)),
		uintptr(unsafe.Pointer(iidDMLInitializer)), uintptr(unsafe.Pointer(&d.p))))
	return d, err
}

func (m dmlDevice) createRecorder() (r commandRecorder, err error) {
	err = r.made(m.try("IDMLDevice.CreateCommandRecorder", 11, uintptr(unsafe.Pointer(iidDMLRecorder)), uintptr(unsafe.Pointer(&r.p))))
	return r, err
}

func (m dmlDevice) createTable(desc bindingTableDesc) (t bindingTable, err error) {
	err = t.made(m.try("IDMLDevice.CreateBindingTable", 12, uintptr(unsafe.Pointer(&desc)),
		uintptr(unsafe.Pointer(iidDMLBindingTable)), uintptr(unsafe.Pointer(&t.p))))
	return t, err
}

func (m dmlDevice) removedReason() error {
	return m.try("IDMLDevice.GetDeviceRemovedReason", 15)
}

// dispatchable is an IDMLCompiledOperator or an IDMLOperatorInitializer.
type dispatchable struct{ object }

func (d dispatchable) properties() (p bindingProperties) {
	d.call(8, uintptr(unsafe.Pointer(&p))) // GetBindingProperties
	return p
}

type commandRecorder struct{ object }

func (r commandRecorder) dispatch(l commandList, d dispatchable, t bindingTable) {
	r.call(8, l.word(), d.word(), t.word()) // RecordDispatch
}

type bindingTable struct{ object }

func (t bindingTable) reset(desc bindingTableDesc) error {
	return t.try("IDMLBindingTable.Reset", 12, uintptr(unsafe.Pointer(&desc)))
}

// The methods that bind, of which DirectML tells no error: bad bindings remove
// its device. There is no way to bind nothing but not to bind, since
// DirectML 1.15.4 reads through null at BindTemporaryResource and
// BindPersistentResource, for which the documentation allows it.
const (
	bindInputs     = 8
	bindOutputs    = 9
	bindTemporary  = 10
	bindPersistent = 11
)

// bind binds the first size bytes of a buffer.
func (t bindingTable) bind(slot int, r resource, size uint64) {
	var pin runtime.Pinner
	defer pin.Unpin()
	b := &struct {
		desc   bindingDesc
		buffer bufferBinding
	}{buffer: bufferBinding{buffer: r.p, size: size}}
	b.desc = bindingDesc{bindingBuffer, &b.buffer}
	pin.Pin(b)
	switch slot {
	case bindInputs, bindOutputs:
		t.call(slot, 1, uintptr(unsafe.Pointer(&b.desc)))
	default:
		t.call(slot, uintptr(unsafe.Pointer(&b.desc)))
	}
}
