//go:build !windows || !(amd64 || arm64)

package directml

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOtherSystemsSaySo(t *testing.T) {
	d, err := Open(WithSoftware())
	assert.Nil(t, d)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorContains(t, err, "directml: needs Windows on amd64 or arm64, this is ")
	list, err := Adapters()
	assert.Empty(t, list)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}
