package slice1

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStreamingFromZeroIsTheDefault(t *testing.T) {
	s, _ := settings([]Option{WithStreaming(1), WithStreaming(0)})
	assert.Zero(t, s)
}
