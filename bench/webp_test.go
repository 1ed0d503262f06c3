package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"image"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	_ "golang.org/x/image/webp"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// WebPs that golang.org/x/image/webp decodes become what Pillow's convert("RGB"), convert("L") and
// paste make of them: lossy ones, with and without alpha, and lossless ones. The library's go.mod
// has no decoder of WebP, so this test is here.
func TestWebPsAreThoseOfPillow(t *testing.T) {
	file, err := os.Open("../testdata/planes/files.txt")
	require.NoError(t, err)
	defer file.Close()
	types := map[string]int{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var format, kind, samples, text string
		var rgb, l, over uint32
		_, err := fmt.Sscanf(lines.Text(), "%s %s %x %x %x %s %s", &format, &kind, &rgb, &l, &over, &samples, &text)
		require.NoError(t, err)
		if format != "webp" {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		m, decoded, err := image.Decode(bytes.NewReader(data))
		require.NoError(t, err)
		types[fmt.Sprintf("%T", m)]++
		m = imageslice.Decoded(m, decoded)
		for want, a := range map[uint32]imageslice.Tensor{rgb: {}, l: {Channels: 1}, over: {Background: []uint8{200, 100, 50}}} {
			a.Type, a.Layout = slice1.Uint8, imageslice.HWC
			shape, err := a.Size(m, m.Bounds())
			require.NoError(t, err)
			dst := make([]uint8, shape[0]*shape[1]*shape[2])
			require.NoError(t, imageslice.Convert(dst, m, m.Bounds(), a))
			require.Equal(t, want, crc32.ChecksumIEEE(dst), "%s, %T, %+v", kind, m, a)
		}
		rgba := image.NewRGBA(image.Rectangle{Max: m.Bounds().Size()})
		require.NoError(t, imageslice.ToRGBA(rgba, m, m.Bounds()))
	}
	require.Equal(t, map[string]int{"*image.YCbCr": 4, "*image.NYCbCrA": 4, "*image.NRGBA": 8}, types)
}
