package slice1

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

func TestStreamingFromZeroIsTheDefault(t *testing.T) {
	var s engine.Settings
	s.Configure([]Option{WithStreaming(1), WithStreaming(0)})
	assert.Zero(t, s)
}
