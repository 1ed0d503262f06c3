package d3d

import (
	"errors"
	"fmt"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGUIDsAreParsed(t *testing.T) {
	assert.Equal(t, &GUID{0x6dbd6437, 0x96fd, 0x423f, [8]byte{0xa9, 0x8c, 0xae, 0x5e, 0x7c, 0x2a, 0x57, 0x3f}}, iidDMLDevice)
}

func TestPassingCausesAreKnown(t *testing.T) {
	for _, r := range []HRESULT{0x8007000E, 0x8876017C, 0x887A0005, 0x887A0006, 0x887A0007, 0x887A0020, 0x887A0022} {
		assert.True(t, Passes(fmt.Errorf("adapter: %w", check("call", uintptr(r)))), r)
		assert.NotContains(t, r.Error(), "HRESULT")
		assert.Equal(t, r == OutOfMemory || r == OutOfVideoMemory, errors.Is(&Error{"call", r}, ErrMemory), r)
	}
	for _, err := range []error{nil, errors.New("other"), NotSupported, NotFound, HRESULT(0x80004005), HRESULT(0x887E0003)} {
		assert.False(t, Passes(err), err)
	}
}

func TestErrorsNameCallAndResult(t *testing.T) {
	assert.NoError(t, check("call", 0))
	assert.NoError(t, check("call", 1), "S_FALSE")
	if unsafe.Sizeof(uintptr(0)) == 8 {
		upper := ^uintptr(0) >> 16 >> 16
		assert.NoError(t, check("call", ^upper), "the upper half is undefined")
	}
	err := check("IDMLDevice.CreateOperator", 0x80070057)
	assert.EqualError(t, err, "directml: IDMLDevice.CreateOperator: E_INVALIDARG")
	assert.ErrorIs(t, err, HRESULT(0x80070057))
	var place *Error
	require.ErrorAs(t, err, &place)
	assert.Equal(t, Error{"IDMLDevice.CreateOperator", 0x80070057}, *place)
	assert.EqualError(t, HRESULT(0x8BADF00D), "HRESULT 0x8badf00d")

	err = Unsupported("no %s", "adapter")
	assert.EqualError(t, err, "directml: no adapter")
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}
