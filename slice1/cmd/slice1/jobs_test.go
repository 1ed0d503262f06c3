package main

import (
	"bytes"
	"encoding/binary"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/npy"
)

var testdata = filepath.Join("..", "..", "..", "testdata")

// readmeJob is a line of the README's table.
type readmeJob struct {
	line string // the command
	peer string // ImageMagick's or NCO's, or ""
}

func readmeJobs(t *testing.T) (jobs []readmeJob) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testdata, "..", "README.md"))
	require.NoError(t, err)
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) == 6 && strings.HasPrefix(cells[2], " `slice1 ") {
			jobs = append(jobs, readmeJob{strings.Trim(cells[2], " `"), strings.Trim(cells[4], " `")})
		}
	}
	return jobs
}

// words splits a line as a shell does whose only quotes are single.
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

// The results are NumPy's, of the spelling beside each job, and ImageMagick's or
// NCO's where there is one; testdata/make.py and testdata/peers.py read the spellings
// from the same table.
func TestJobsOfTheREADMEDoWhatTheirOtherSpellingsDo(t *testing.T) {
	jobs := readmeJobs(t)
	require.GreaterOrEqual(t, len(jobs), 20)
	inputs, err := filepath.Glob(filepath.Join(testdata, "jobs", "*.*"))
	require.NoError(t, err)
	d := newDir(t)
	used := map[string]bool{}
	peers := 0
	for _, path := range inputs {
		file, err := os.ReadFile(path)
		require.NoError(t, err)
		d.write(filepath.Base(path), file)
	}
	for _, job := range jobs {
		line := job.line
		args := words(line)[1:]
		var stdin []byte
		out := args[len(args)-1]
		if n := len(args); args[n-2] == ">" {
			require.Equal(t, "<", args[n-4], line)
			stdin = d.read(args[n-3])
			args = args[:n-4]
		}
		for i, a := range args {
			// Only what is a file: the index may hold dots and colons too.
			file, _, _ := strings.Cut(a, ":")
			if _, err := os.Stat(d.at(file)); err == nil && file != "" || a == out {
				args[i] = d.at(a)
			}
		}
		code, stdout, stderr := d.pipe(stdin, args...)
		require.Equal(t, exitOK, code, "%s: %s", line, stderr)
		require.Empty(t, stderr, line)
		if stdin != nil {
			d.write(out, []byte(stdout))
		}
		golden := strings.TrimSuffix(out, filepath.Ext(out)) + ".npy"
		require.False(t, used[golden], line)
		used[golden] = true
		file, err := os.ReadFile(filepath.Join(testdata, "jobs", "golden", golden))
		require.NoError(t, err)
		requireSame(t, line, file, d.read(out), filepath.Ext(out))
		if job.peer != "" {
			file, err := os.ReadFile(filepath.Join(testdata, "jobs", "peers", golden))
			require.NoError(t, err)
			requireSame(t, job.peer, file, d.read(out), filepath.Ext(out))
			peers++
		}
	}
	requireFiles(t, "golden", len(jobs))
	requireFiles(t, "peers", peers)
}

// requireFiles counts results: none is left of a job that is gone.
func requireFiles(t *testing.T, folder string, n int) {
	t.Helper()
	files, err := os.ReadDir(filepath.Join(testdata, "jobs", folder))
	require.NoError(t, err)
	require.Len(t, files, n, folder)
}

// requireSame compares a result in a format with an array.
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
	case ".png":
		shape, samples := pngSamples(t, h.Type, got)
		if len(h.Shape) == 2 {
			h.Shape = append(h.Shape, 1)
		}
		require.Equal(t, h.Shape, shape, name)
		require.Equal(t, want, samples, name)
	default:
		t.Fatal("no such format: ", name)
	}
}

// pngSamples decodes without any help of the command.
func pngSamples(t *testing.T, dtype slice1.DataType, file []byte) (shape []int, samples []byte) {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(file))
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
