package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// Raw elements from a pipe give the same output as the same bytes in a file, whether -shape says
// the number of rows or not, and whether the output is a pipe or a file.
func TestPipesGiveWhatFilesGive(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, shape := range [][]int{{1500, 250, 2}, {3, 600_000}, {7, 3}, {1, 5, 4}, {0, 3}, {40, 0}} {
		d := newDir(t)
		size := 2 * product(shape)
		data := noise(r, size)
		d.write("in.raw", data)
		told := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ","), "[]")
		untold := "-1" + told[strings.Index(told, ","):]
		for i, index := range []string{
			"[...]", "[-1::2]", "[-2::3]", "[:-1:2]", "[:-2:3]", "[3:-1:4]", "[1:-4:5]", "[:, 1]", "[2:]", "[::2]", "[1::3, ::-1]", "[:3]", "[2]", "[-1]", "[-2:]", "[:-1]", "[::-1]", "[5::-2]", "[:1:-1]",
			"[1:3000:7, ::2]", "[:20000]", "[None, ::2]", "[None, :30000]", "[4:4]", "[..., :0]", "[2:2, 0]", "[1:1000000:1]", "[6, None]",
		} {
			_, _, err := slice1.ParseIndex(index, shape)
			var bad *slice1.IndexError
			code, _, says := d.run("-q", "-force", "-raw", "u16", "-shape", told, index, "./in.raw", "./want.npy")
			for _, shapes := range []string{told, untold} {
				if strings.HasPrefix(untold, "-1,0") && shapes == untold {
					continue // 0 bytes may be any number of rows
				}
				for k, out := range [][]string{{"-to", "npy", "-"}, {"-"}, {"./got.npy"}, {"./got.npz"}} {
					if size > 1<<20 && k != i%4 {
						continue // for large inputs one kind of output for each index is enough
					}
					args := append([]string{"-force", "-raw", "u16", "-shape", shapes}, append(out[:len(out)-1], index, "-", out[len(out)-1])...)
					got, stdout, stderr := d.pipe(data, args...)
					require.Equal(t, code, got, "%v %s: %s", shape, args, stderr)
					if code != exitOK {
						require.ErrorAs(t, err, &bad)
						require.Equal(t, says, stderr)
						require.Empty(t, stdout)
						continue
					}
					want := d.read("want.npy")
					switch out[0] {
					case "-":
						h, err := npy.Parse(want)
						require.NoError(t, err)
						want = want[h.Offset:]
					case "./got.npy":
						stdout = string(d.read("got.npy"))
					case "./got.npz":
						d.works("-force", "[...]", "./got.npz", "./got.npy")
						stdout = string(d.read("got.npy"))
					}
					require.True(t, string(want) == stdout, "%v %s", shape, args)
				}
			}
		}
	}
}

func TestVerboseTellsWhatCame(t *testing.T) {
	d := newDir(t)
	for shape, says := range map[string]string{"[::2]": "uint8 [3, 2] -> [2, 2]", "[5:]": "uint8 [3, 2] -> [0, 2]", "[:9000000]": "uint8 [3, 2] -> [3, 2]"} {
		code, _, stderr := d.pipe(counting(6), "-v", "-raw", "uint8", "-shape", "-1,2", shape, "-", "./out.npy")
		assert.Equal(t, exitOK, code)
		assert.True(t, strings.HasPrefix(stderr, says+", kernel "), stderr)
		d.works("-force", "[:]", "./out.npy", "./out.npy")
		require.NoError(t, os.Remove(d.at("out.npy")))
	}
}

func TestPipesThatEndWithinARowAreErrors(t *testing.T) {
	d := newDir(t)
	for _, row := range []struct{ shape, index, says string }{
		{"-1,4", "[::2]", "standard input: holds 1002 bytes, no multiple of the 4 that [4] of uint8 takes"},
		{"-1,4", "[:300]", "no multiple"},
		{"-1,4", "[::-1]", "no multiple of the 4 that [4] of uint8 takes"},
		{"300,4", "[::2]", "standard input: holds 1002 bytes, [300, 4] of uint8 takes 1200"},
		{"300,4", "[:, 0]", "takes 1200"},
		{"251,4", "[:, 0]", "takes 1004"},
		{"300,4", "[::-1]", "takes 1200"},
	} {
		for _, out := range []string{"./out.npy", "./out.npz"} {
			d.refusesPipe(make([]byte, 1002), exitError, row.says, "-raw", "uint8", "-shape", row.shape, row.index, "-", out)
		}
	}
	d.passes(nil, make([]byte, 1002), "-raw", "uint8", "-shape", "300,4", "[:250]", "-", "./out.npy")
}

// A header that claims more rows than memory can hold is an error when the pipe ends.
func TestPipesThatClaimTooMuchAreErrors(t *testing.T) {
	d := newDir(t)
	file := npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{1 << 30, 10_000}}, counting(20_000))
	for _, index := range []string{"[::-1]", "[1:, ::-1]", "[::-2, 5]", "[:, 7]"} {
		code, stdout, stderr := d.pipe(file, index, "-", "-")
		assert.Equal(t, exitError, code, index)
		if index == "[::-1]" || index == "[::-2, 5]" { // the other indices have passed on the header and two rows
			assert.Empty(t, stdout)
		}
		assertOneLine(t, "", stderr)
	}
}

// When a pipe pauses, its whole rows so far are passed on. A pipe of frames gets another order of
// axes frame by frame.
func TestPipesArePassedOnWhenTheyPause(t *testing.T) {
	frame, pixels := []byte{235, 235, 16, 16, 128, 128}, []byte{255, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 0}
	for _, row := range []struct {
		raw, shape, axes, index string
		in, want                []byte
		code                    int
	}{
		{"u1", "-1,2,3", "0,2,1", "[:, :, ::-1]", counting(6), []byte{2, 5, 1, 4, 0, 3}, exitOK},
		{"u1", "100,2,3", "0,2,1", "[:, :, ::-1]", counting(6), []byte{2, 5, 1, 4, 0, 3}, exitError}, // 97 frames are missing
		{"nv12", "-1,2,2", "0,3,1,2", "[...]", frame, pixels, exitOK},
	} {
		from, in := io.Pipe()
		out, to := io.Pipe()
		code := make(chan int, 1)
		go func() {
			code <- run([]string{"-raw", row.raw, "-shape", row.shape, "-axes", row.axes, row.index, "-", "-"}, from, to, io.Discard)
			to.Close()
		}()
		for range 3 {
			_, err := in.Write(row.in)
			require.NoError(t, err)
			got := make([]byte, len(row.want))
			_, err = io.ReadFull(out, got)
			require.NoError(t, err)
			assert.Equal(t, row.want, got)
		}
		in.Close()
		rest, err := io.ReadAll(out)
		require.NoError(t, err)
		assert.Empty(t, rest)
		assert.Equal(t, row.code, <-code)
	}
}

func TestPipesThatGoOnAreErrors(t *testing.T) {
	d := newDir(t)
	d.refusesPipe(make([]byte, 3000), exitError, "standard input goes on after the 2000 bytes of [20, 100] of uint8", "-raw", "u1", "-shape", "20,100", "[:]", "-", "./out.raw")
	d.passes(make([]byte, 1000), make([]byte, 3000), "-raw", "u1", "-shape", "20,100", "[:10]", "-", "-")
}

// failing is a reader that returns an error after its last byte instead of io.EOF.
type failing struct{ io.Reader }

func (f failing) Read(b []byte) (int, error) {
	n, err := f.Reader.Read(b)
	if err == io.EOF {
		err = io.ErrClosedPipe
	}
	return n, err
}

func TestPipesThatFailAreErrors(t *testing.T) {
	d := newDir(t)
	file := npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{300, 4}}, make([]byte, 1000))
	for _, n := range []int{0, 9, 50, 128, 700} {
		for _, args := range [][]string{{"[::2]"}, {"[::-1]"}, {"[..., ::-1]"}, {"-raw", "u1", "-shape", "-1,4", "[::2]"}, {"-raw", "u1", "-shape", "300,4", "[::2]"}} {
			var stderr bytes.Buffer
			code := run(append(args, "-", d.at("out.npy")), failing{bytes.NewReader(file[:n])}, io.Discard, &stderr)
			assert.Equal(t, exitError, code)
			assertOneLine(t, "standard input: io: read/write on closed pipe", stderr.String())
			assert.Empty(t, d.files())
		}
	}
}
