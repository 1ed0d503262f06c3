package d3d

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGUIDsAreParsed(t *testing.T) {
	assert.Equal(t, &GUID{0x6dbd6437, 0x96fd, 0x423f, [8]byte{0xa9, 0x8c, 0xae, 0x5e, 0x7c, 0x2a, 0x57, 0x3f}}, iidDMLDevice)
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
