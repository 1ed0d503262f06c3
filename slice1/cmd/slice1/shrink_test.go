package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInputThatShrinksIsAnError(t *testing.T) {
	for _, index := range []string{"[::-1]", "[1:]"} { // the first by a kernel, the second by the system
		d := newDir(t)
		d.write("in.raw", make([]byte, 4<<20))
		j := job{index: index, in: d.at("in.raw"), raw: "u1", shape: "4,-1", out: d.at("out.raw")}
		s, err := j.load()
		require.NoError(t, err)
		require.NoError(t, os.Truncate(d.at("in.raw"), 100))
		to, _, err := newTarget(j.out, false)
		require.NoError(t, err)
		out, end, err := j.create(s, to, false, "raw")
		require.NoError(t, err)
		assert.ErrorIs(t, end(j.write(s, "raw", out)), errShorter)
		assert.Equal(t, []string{"in.raw"}, d.files())
	}
}
