package slice1

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

func TestStreamingFromZeroIsTheDefault(t *testing.T) {
	assert.Equal(t, engine.Configure(nil), engine.Configure([]Option{WithStreaming(1), WithStreaming(0)}))
}
