package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAddressesHaveAColumnForEachDistance(t *testing.T) {
	o, err := parse("-addresses", "-works", "tiny4x4,bgr", "-widths", "1", "-sizes", "64", "-kernels", "go,dml", "-rounds", "1")
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	require.NoError(t, run(o, &stdout, &stderr))
	_, table, _ := strings.Cut(stdout.String(), "\n\n")
	lines := strings.Split(strings.TrimSpace(table), "\n")
	require.Len(t, lines, 5)
	assert.Equal(t, append(strings.Fields("work width size kernel ns"), strings.Fields(strings.Trim(fmt.Sprint(distances), "[]"))...), strings.Fields(lines[0]))
	for i, of := range []string{"tiny4x4 1 4 go", "tiny4x4 1 4 dml", "bgr 1 64 go", "bgr 1 64 dml"} {
		words := strings.Fields(lines[i+1])
		assert.Equal(t, of, strings.Join(words[:4], " "))
		assert.Len(t, words, 5+len(distances))
	}
}
