//go:build cgo && turbojpeg

package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Files that libjpeg-turbo decodes to planes have the bytes of Pillow's convert("RGB"). A CMYK file
// and bytes that are no JPEG are errors.
func TestPlanesHaveTheBytesOfPillow(t *testing.T) {
	file, err := os.Open("../../testdata/planes/files.txt")
	require.NoError(t, err)
	defer file.Close()
	compared := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var format, kind, samples, text string
		var want, l, over uint32
		_, err := fmt.Sscanf(lines.Text(), "%s %s %x %x %x %s %s", &format, &kind, &want, &l, &over, &samples, &text)
		require.NoError(t, err)
		if format != "jpeg" {
			continue
		}
		data, err := base64.StdEncoding.DecodeString(text)
		require.NoError(t, err)
		m, err := planes(data)
		if kind == "cmyk" {
			assert.EqualError(t, err, "no planes of Y, Cb and Cr in this file")
			continue
		}
		require.NoError(t, err, kind)
		got, err := rgb(m)
		require.NoError(t, err, kind)
		assert.Equal(t, want, crc32.ChecksumIEEE(got), kind)
		compared++
		for _, n := range []int{0, 1, 20, len(data) / 2} {
			_, err := planes(data[:n])
			assert.Error(t, err, "%s, %d bytes", kind, n)
		}
	}
	assert.Equal(t, 5, compared)
}
