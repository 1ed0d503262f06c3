package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

var testdata = filepath.Join("..", "..", "..", "testdata")

// words splits a line into words like a shell. The line may have only single quotes, around whole
// words.
func words(line string) (words []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// perform runs the commands of a line. Semicolons separate the commands. < reads a file and >
// writes one. All commands must succeed, and print only notes and the number of files. perform
// returns the name of the last command's output.
func (d dir) perform(line string) (out string) {
	d.Helper()
	for command := range strings.SplitSeq(line, "; ") {
		args := words(command)[1:]
		stdin, stdout := []byte(nil), ""
		if i := slices.Index(args, "<"); i >= 0 {
			stdin = d.read(args[i+1])
			args = slices.Delete(args, i, i+2)
		}
		if i := slices.Index(args, ">"); i >= 0 {
			stdout = args[i+1]
			args = args[:i]
		}
		out = cmp.Or(stdout, args[len(args)-1])
		if strings.HasSuffix(out, "/") {
			d.folder(strings.TrimSuffix(out, "/"))
		}
		for i, a := range args {
			// Only the output and names of existing files get the directory before them, since an
			// index may look like a name.
			file, _, _ := strings.Cut(a, ":")
			if _, err := os.Stat(d.at(file)); err == nil && file != "" || a == out && !strings.HasPrefix(a, "-") {
				args[i] = d.path + string(os.PathSeparator) + a
			}
		}
		code, printed, stderr := d.pipe(stdin, args...)
		require.Equal(d, exitOK, code, "%s: %s", line, stderr)
		for said := range strings.Lines(stderr) {
			require.Regexp(d, `^slice1: (note: .*|\d+ files? done in \S+)\n$`, said, line)
		}
		if stdout != "" {
			d.write(stdout, []byte(printed))
		}
	}
	return out
}

// results returns the names of the files that a job wrote: out or, if that ends in "/", the files
// in that folder.
func (d dir) results(out string) (names []string) {
	folder, ok := strings.CutSuffix(out, "/")
	if !ok {
		return []string{out}
	}
	for _, name := range d.folder(folder).files() {
		names = append(names, filepath.Join(folder, name))
	}
	return names
}

// The results are the same as the results of the other columns of the README's table.
// testdata/make.py recorded NumPy's results. testdata/peers.py recorded the results of ImageMagick,
// FFmpeg or NCO, for jobs that have these.
func TestJobsOfTheREADMEDoWhatTheirOtherSpellingsDo(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	inputs, err := filepath.Glob(filepath.Join(testdata, "jobs", "*.*"))
	require.NoError(t, err)
	d := newDir(t)
	used := map[string]bool{}
	golden, peers := 0, 0
	for _, path := range inputs {
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		d.write(filepath.Base(path), file)
	}
	for row := range strings.Lines(string(text)) {
		cells := strings.Split(row, "|")
		if len(cells) != 6 || !strings.HasPrefix(cells[2], " `slice1 ") {
			continue
		}
		line, peer := strings.Trim(cells[2], " `"), strings.Trim(cells[4], " `") // of ImageMagick, FFmpeg or NCO, or ""
		out := d.perform(line)
		if _, err := os.Stat(d.at(out) + ".parts"); err == nil {
			d.folder(out + ".parts")
		}
		results := d.results(out)
		require.NotEmpty(t, results, line)
		for i, result := range results {
			name := strings.TrimSuffix(out, filepath.Ext(out)) + ".npy"
			if folder, ok := strings.CutSuffix(out, "/"); ok {
				name = fmt.Sprintf("%s-%d.npy", folder, i)
			}
			require.False(t, used[name], line)
			used[name] = true
			file, err := os.ReadFile(filepath.Join(testdata, "jobs", "golden", name))
			require.NoError(t, err)
			requireSame(t, line, file, d.read(result), filepath.Ext(result))
			golden++
			if peer != "" {
				file, err := os.ReadFile(filepath.Join(testdata, "jobs", "peers", name))
				require.NoError(t, err)
				requireSame(t, peer, file, d.read(result), filepath.Ext(result))
				peers++
			}
		}
	}
	require.GreaterOrEqual(t, golden, 40)
	for folder, n := range map[string]int{"golden": golden, "peers": peers} { // no result belongs to a job that the table does not have
		files, err := os.ReadDir(filepath.Join(testdata, "jobs", folder))
		require.NoError(t, err)
		require.Len(t, files, n, folder)
	}
}

// Each command that stands alone on a line of a document, or of the output of -h, works as it is
// printed.
func TestLinesOfDocumentsWork(t *testing.T) {
	whole := usage
	for _, name := range []string{"README.md", filepath.Join("..", "..", "..", "README.md")} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		whole += string(text)
	}
	found := 0
	for _, of := range regexp.MustCompile(`(?m)^(?:  |    )(?:ffmpeg \.\.\. \| )?(slice1 .*)$`).FindAllStringSubmatch(whole, -1) {
		line, _, _ := strings.Cut(of[1], "  ") // its purpose follows after spaces
		if strings.Contains(line, "$") || strings.Contains(line, "-device gpu") {
			continue // for a scheduler, or a device that may be missing
		}
		if strings.HasSuffix(line, " - -") {
			line += " < frames"
		}
		found++
		d := newDir(t)
		line = strings.NewReplacer("*.png", "a.png photos/b.png", "*.jpg", "a.jpg photos/b.jpg").Replace(line)
		for _, name := range words(line) {
			d.input(name)
		}
		d.perform(line)
	}
	require.Greater(t, found, 24)
}

// input makes the input with that name for a document's line, if the line reads one.
func (d dir) input(name string) {
	d.Helper()
	folder, base := filepath.Split(name)
	from := map[string]string{"in.png": "astronaut.png", "chelsea.png": "chelsea.png", "in.npy": "arrays/u8_hwc.npy", "big.npy": "arrays/u8_hwc.npy",
		"a.png": "jobs/photo.png", "b.png": "jobs/photo.png", "a.jpg": "jobs/phone.jpg", "b.jpg": "jobs/phone.jpg"}[base]
	zeros := map[string]int{"frames": 2 * 1080 * 1920 * 3, "in.yuv": 1920 * 1620, "frames.nv12": 2 * 48 * 64 * 3 / 2, "in.raw": 4 * 3 * 1080 * 1920}
	switch {
	case from != "":
		file, err := os.ReadFile(filepath.Join(testdata, from))
		require.NoError(d, err)
		if folder != "" {
			d = d.folder(strings.TrimSuffix(folder, "/"))
		}
		d.write(base, file)
	case zeros[name] > 0:
		d.write(name, make([]byte, zeros[name]))
	case name == "chw.npy":
		d.input("in.npy")
		d.works("-axes", "2,0,1", "[...]", "./in.npy", "./chw.npy")
	case name == "in.npz:x":
		d.input("in.npy")
		d.works("[...]", "./in.npy", "./in.npz:x")
	case name == "job.json":
		d.input("in.npy")
		_, job, _ := d.run("-explain", "-json", "[::2]", "./in.npy")
		d.write(name, []byte(job))
	}
}

// The README shows what -explain prints. Only the kernel may differ: the README shows the kernel of
// a host with AVX-512.
func TestExplanationOfTheREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, shown, found := strings.Cut(string(text), "    $ slice1 ")
	require.True(t, found)
	shown, _, _ = strings.Cut(shown, "\n\n")
	line, shown, _ := strings.Cut(strings.ReplaceAll(shown, "\n    ", "\n"), "\n")
	args := words(line)
	args[len(args)-1] = filepath.Join(testdata, "..", args[len(args)-1])
	code, printed, stderr := newDir(t).run(args...)
	require.Equal(t, exitOK, code, stderr)
	kernel := regexp.MustCompile(`kernel \w+, kind \w+`)
	require.Regexp(t, kernel, shown)
	require.Equal(t, kernel.ReplaceAllString(shown, ""), kernel.ReplaceAllString(strings.TrimSuffix(printed, "\n"), ""))
}

// requireSame requires that got holds the same array as golden. got is a file of the format of ext.
// golden is an .npy file.
func requireSame(t *testing.T, name string, golden, got []byte, ext string) {
	t.Helper()
	h, err := npy.Parse(golden)
	require.NoError(t, err, name)
	want := golden[h.Offset:]
	switch ext {
	case ".npy":
		made, err := npy.Parse(got)
		require.NoError(t, err, name)
		if made.BigEndian && !h.BigEndian && nativeBig { // numbers that were converted
			made.BigEndian = false
			got = npyFile(made, reversed(got[made.Offset:], h.Type.Size()))
		}
		require.Equal(t, golden, got, name)
	case ".raw":
		if nativeBig && !slices.Equal(want, got) {
			got = reversed(got, h.Type.Size())
		}
		require.Equal(t, want, got, name)
	case ".png", ".jpg", ".pgm":
		shape, samples := pictureSamples(t, h.Type, got)
		if len(h.Shape) == 2 {
			h.Shape = append(h.Shape, 1)
		}
		require.Equal(t, h.Shape, shape, name)
		require.Equal(t, want, samples, name)
	default:
		t.Fatal("no such format: ", name)
	}
}

// reversed returns elements of size bytes with their bytes in the other order.
func reversed(elements []byte, size int) (b []byte) {
	for element := range slices.Chunk(elements, size) {
		element = slices.Clone(element)
		slices.Reverse(element)
		b = append(b, element...)
	}
	return b
}

// pictureSamples decodes a PNG, JPEG or PGM without the code of the command. It returns the shape
// [height, width, channels] and the samples as dtype. Samples of 16 bits are little-endian. Samples
// of a PGM have the byte order of the file.
func pictureSamples(t *testing.T, dtype slice1.DataType, file []byte) (shape []int, samples []byte) {
	t.Helper()
	var width, height, most int
	if _, err := fmt.Sscanf(string(file[:min(len(file), 20)]), "P5\n%d %d\n%d\n", &width, &height, &most); err == nil {
		return []int{height, width, 1}, file[len(file)-width*height*dtype.Size():]
	}
	m, _, err := image.Decode(bytes.NewReader(file))
	require.NoError(t, err)
	channels := 3
	switch m.ColorModel() {
	case color.GrayModel, color.Gray16Model:
		channels = 1
	case color.NRGBAModel, color.NRGBA64Model:
		channels = 4
	}
	r := m.Bounds()
	for y := range r.Dy() {
		for x := range r.Dx() {
			c := color.NRGBA64Model.Convert(m.At(x, y)).(color.NRGBA64)
			if n, ok := m.At(x, y).(color.NRGBA); ok { // Convert would lose bits, since it multiplies with alpha
				c = color.NRGBA64{uint16(n.R) << 8, uint16(n.G) << 8, uint16(n.B) << 8, uint16(n.A) << 8}
			}
			for _, v := range []uint16{c.R, c.G, c.B, c.A}[:channels] {
				if dtype == slice1.Uint8 {
					samples = append(samples, byte(v>>8))
				} else {
					samples = binary.LittleEndian.AppendUint16(samples, v)
				}
			}
		}
	}
	return []int{r.Dy(), r.Dx(), channels}, samples
}
