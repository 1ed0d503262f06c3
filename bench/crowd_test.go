package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCrowdHasALineForEachKernel(t *testing.T) {
	var stdout bytes.Buffer
	require.NoError(t, runCrowd(crowd{goroutines: 3, bytes: 4096, lasts: time.Millisecond}, &stdout))
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n")
	want := []string{"kernel", "idle"}
	for _, k := range kernelChoices() {
		want = append(want, k.name)
	}
	require.Len(t, lines, len(want))
	for i, name := range want {
		assert.Equal(t, name, strings.Fields(lines[i])[0])
	}
}
