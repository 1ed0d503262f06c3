//go:build unix

package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Something refers to the file of descriptor 2 for as long as the process runs, so the garbage
// collector does not close it, and no output gets that number.
func TestOutputsGetNoStandardDescriptor(t *testing.T) {
	require.Equal(t, uintptr(2), inherited.Fd())
	require.NotEqual(t, uintptr(2), os.Stderr.Fd())
}

// What goes to a standard output that is closed is lost, and that is an error.
func TestClosedStandardOutputIsAnError(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	for _, row := range []struct {
		redirection, args string
		code              int
	}{
		{">&-", "[:]\n" + d.at("in.npy") + "\n-", exitError}, {">&-", "-explain\n[:]\n" + d.at("in.npy"), exitError}, {">&-", "-version", exitError},
		{">&-", "[:]\n" + d.at("in.npy") + "\n" + d.at("out.npy"), exitOK}, {">/dev/null", "[:]\n" + d.at("in.npy") + "\n-", exitOK},
	} {
		cmd := d.process("", strings.Split(row.args, "\n")...)
		cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `"$0" ` + row.redirection, os.Args[0]}
		require.NoError(t, cmd.Start())
		code, stderr := d.ends(cmd)
		assert.Equal(t, row.code, code, row)
		if code != exitOK {
			assertOneLine(t, "standard output is closed", stderr)
		}
	}
}

// Standard input that changes while it is read is an error, like a file with a name.
func TestStandardInputThatChangesIsAnError(t *testing.T) {
	d := newDir(t)
	d.write("in.raw", make([]byte, 4<<20))
	f, err := os.Open(d.at("in.raw"))
	require.NoError(t, err)
	defer f.Close()
	j := job{index: "[::-1]", in: "-", raw: "u1", stdin: f, flows: true}
	s, err := j.load()
	require.NoError(t, err)
	require.NoError(t, s.in.unchanged())
	require.NoError(t, os.WriteFile(d.at("in.raw"), make([]byte, 5<<20), 0o666))
	require.ErrorContains(t, s.in.unchanged(), "standard input changed while it was read")
}

// segments returns a JPEG with fill bytes and garbage before the segment of its frame.
func segments(file []byte) []byte {
	frame := bytes.IndexByte(file, 0xff)
	for file[frame+1] < 0xc0 || file[frame+1] > 0xc2 {
		frame += 2
		if file[frame-1] != 0xd8 {
			frame += int(binary.BigEndian.Uint16(file[frame:]))
		}
	}
	return append(append(append([]byte{}, file[:frame]...), "ab\xff\x00c\xff\xff\xff"...), file[frame:]...)
}

// A JPEG takes the same whatever stands between its segments. A progressive one takes 15 bytes a
// pixel, a picture of one row as much as its blocks of 8.
func TestDecodersTakeWhatIsClaimed(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 160, 48))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(r.Uint32())
	}
	var file bytes.Buffer
	require.NoError(t, jpeg.Encode(&file, m, nil))
	grey := bytes.Buffer{}
	require.NoError(t, jpeg.Encode(&grey, image.NewGray(image.Rect(0, 0, 100, 1)), nil))
	progressive := bytes.Replace(file.Bytes(), []byte("\xff\xc0"), []byte("\xff\xc2"), 1)
	whole := bytes.Clone(progressive)
	i := bytes.Index(whole, []byte("\xff\xc2"))
	whole[i+11] = 0x11 // chroma of 4:4:4
	for _, row := range []struct {
		file  []byte
		model color.Model
		size  image.Point
		want  int64
	}{
		{file.Bytes(), color.YCbCrModel, m.Rect.Max, 160 * 48 * 3 / 2}, {progressive, color.YCbCrModel, m.Rect.Max, 160 * 48 * 15 / 2},
		{whole, color.YCbCrModel, m.Rect.Max, 160 * 48 * 15}, {grey.Bytes(), color.GrayModel, image.Pt(100, 1), 104 * 8}, {[]byte("\xff\xd8"), color.YCbCrModel, image.Pt(2, 3), 90},
	} {
		c := image.Config{ColorModel: row.model, Width: row.size.X, Height: row.size.Y}
		assert.Equal(t, row.want, planesOf(row.file, c))
		if len(row.file) > 2 {
			assert.Equal(t, row.want, planesOf(segments(row.file), c))
			a, err := jpeg.DecodeConfig(bytes.NewReader(segments(row.file)))
			require.NoError(t, err)
			assert.Equal(t, row.size, image.Pt(a.Width, a.Height))
		}
	}
}
