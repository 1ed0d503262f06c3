package slice1

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestStreamingFromZeroIsTheDefault(t *testing.T) {
	assert.Equal(t, configure(nil), configure([]Option{WithStreaming(1), WithStreaming(0)}))
}
