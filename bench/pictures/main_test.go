package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// For each orientation, Orient and OrientInto make of an RGBA picture the bytes that imaging makes.
func TestOrientationsAreThoseOfImaging(t *testing.T) {
	m := opaque(53, 37)
	for o := 1; o <= 8; o++ {
		got, err := imageslice.Orient(m, o)
		require.NoError(t, err)
		want := theirs[o](m)
		assert.Equal(t, want.Rect, got.Rect, o)
		assert.Equal(t, want.Pix, got.Pix, o)
		into := opaque(got.Rect.Dx(), got.Rect.Dy())
		require.NoError(t, imageslice.OrientInto(into, m, o))
		assert.Equal(t, want.Pix, into.Pix, o)
	}
}

func TestTableOfOrientations(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, orientations(&out, opaque(8, 6), 1))
	assert.Regexp(t, `(?s)^\(8,6\) pixels.*\n8 +\d`, out.String())
}
