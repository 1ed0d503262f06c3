package main

import (
	"fmt"
	"image"
	"math/rand/v2"
	"testing"

	"github.com/disintegration/imaging"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// theirs are imaging's functions for the orientations, by the numbers of EXIF.
var theirs = [...]func(image.Image) *image.NRGBA{
	1: imaging.Clone, 2: imaging.FlipH, 3: imaging.Rotate180, 4: imaging.FlipV,
	5: imaging.Transpose, 6: imaging.Rotate270, 7: imaging.Transverse, 8: imaging.Rotate90,
}

// opaque returns a picture of random colours without transparency. Both libraries make the same
// bytes of such a picture, though imaging's are NRGBA.
func opaque(width, height int) *image.RGBA {
	rng := rand.New(rand.NewPCG(1, 2))
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = uint8(rng.Uint32())
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	return m
}

// For each orientation, Orient and OrientInto make the same bytes of an RGBA picture as imaging.
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

// BenchmarkOrient measures the orientations of EXIF on a picture of 12 megapixels in RGBA. It
// compares with disintegration/imaging. Both make a new picture.
//
//	go -C bench test -run - -bench Orient -cpu 1 -count 9 | tee orient.txt
//	benchstat -col /by orient.txt
func BenchmarkOrient(b *testing.B) {
	m := opaque(4000, 3000)
	for o := 1; o <= 8; o++ {
		b.Run(fmt.Sprintf("orientation=%d/by=imaging", o), func(b *testing.B) {
			for b.Loop() {
				theirs[o](m)
			}
		})
		b.Run(fmt.Sprintf("orientation=%d/by=dml", o), func(b *testing.B) {
			for b.Loop() {
				if _, err := imageslice.Orient(m, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
