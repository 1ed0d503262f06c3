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
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

var testdata = filepath.Join("..", "..", "..", "testdata")

// readmeJob is a line of the README's table of jobs.
type readmeJob struct {
	line string // the column slice1: one command, or several with semicolons between them
	peer string // the column of ImageMagick, FFmpeg and NCO, or ""
}

func readmeJobs(t *testing.T) (jobs []readmeJob) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) == 6 && strings.HasPrefix(cells[2], " `slice1 ") {
			jobs = append(jobs, readmeJob{strings.Trim(cells[2], " `"), strings.Trim(cells[4], " `")})
		}
	}
	return jobs
}

// words splits a line into words as a shell does, if single quotes are the only ones and stand around
// whole words.
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

// perform runs the commands of a line, which are separated by semicolons and may read a file by < and
// write one by >. They must succeed, and print only notes and the number of files. It returns the name
// of the last command's output.
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
			// Only the output and what names an existing file get the directory before them:
			// an index may look like a name.
			file, _, _ := strings.Cut(a, ":")
			if _, err := os.Stat(d.at(file)); err == nil && file != "" || a == out {
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

// results returns the names of the files that a job wrote: out or, if that ends in "/", the files in
// that folder.
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

// The results are those of the other columns of the README's table: of NumPy, as testdata/make.py
// recorded them, and of ImageMagick, FFmpeg or NCO, as testdata/peers.py did, for jobs that have these.
func TestJobsOfTheREADMEDoWhatTheirOtherSpellingsDo(t *testing.T) {
	jobs := readmeJobs(t)
	require.GreaterOrEqual(t, len(jobs), 40)
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
	for _, job := range jobs {
		out := d.perform(job.line)
		if _, err := os.Stat(d.at(out) + ".parts"); err == nil {
			d.folder(out + ".parts")
		}
		results := d.results(out)
		require.NotEmpty(t, results, job.line)
		for i, result := range results {
			name := strings.TrimSuffix(out, filepath.Ext(out)) + ".npy"
			if folder, ok := strings.CutSuffix(out, "/"); ok {
				name = fmt.Sprintf("%s-%d.npy", folder, i)
			}
			require.False(t, used[name], job.line)
			used[name] = true
			file, err := os.ReadFile(filepath.Join(testdata, "jobs", "golden", name))
			require.NoError(t, err)
			requireSame(t, job.line, file, d.read(result), filepath.Ext(result))
			golden++
			if job.peer != "" {
				file, err := os.ReadFile(filepath.Join(testdata, "jobs", "peers", name))
				require.NoError(t, err)
				requireSame(t, job.peer, file, d.read(result), filepath.Ext(result))
				peers++
			}
		}
	}
	requireFiles(t, "golden", golden)
	requireFiles(t, "peers", peers)
}

// requireFiles requires that a folder of recorded results has n files, so that none is of a job which
// the table does not have.
func requireFiles(t *testing.T, folder string, n int) {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(testdata, "jobs", folder))
	require.NoError(t, err)
	require.Len(t, files, n, folder)
}

// requireSame requires that got, a file of the format that ext says, holds the array of golden, a .npy
// file.
func requireSame(t *testing.T, name string, golden, got []byte, ext string) {
	t.Helper()
	h, err := npy.Parse(golden)
	require.NoError(t, err, name)
	want := golden[h.Offset:]
	switch ext {
	case ".npy":
		require.Equal(t, golden, got, name)
	case ".raw":
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

// pictureSamples decodes a PNG, JPEG or PGM without the code of the command. It returns the shape
// [height, width, channels] and the samples as dtype, those of 16 bits little-endian; those of a PGM
// are as in the file.
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
			if n, ok := m.At(x, y).(color.NRGBA); ok { // Convert would lose bits of it: it multiplies with alpha
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
