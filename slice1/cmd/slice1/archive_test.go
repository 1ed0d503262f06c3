package main

import (
	"archive/zip"
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// archive returns an archive of the members with the given names, in this order. It packs each by
// the method.
func archive(t testing.TB, method uint16, members map[string][]byte, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		require.NoError(t, err)
		_, err = w.Write(members[name])
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

// liar returns an archive with one compressed member of 4 bytes. The header claims the given sizes.
func liar(t *testing.T, compressed, uncompressed uint64) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateRaw(&zip.FileHeader{Name: "a.npy", Method: zip.Deflate, CompressedSize64: compressed, UncompressedSize64: uncompressed})
	require.NoError(t, err)
	_, err = w.Write([]byte{3, 0, 0, 0})
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return b.Bytes()
}

func TestMembersOfArchivesAreRead(t *testing.T) {
	numbers := npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{4}}, []byte{1, 2, 3, 4})
	ages := npyFile(npy.Header{Type: slice1.Int16, Shape: []int{2}}, []byte{5, 6, 7, 8})
	members := map[string][]byte{"numbers.npy": numbers, "ages.npy": ages, "readme.txt": []byte("text")}
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		d := newDir(t)
		d.write("in.npz", archive(t, method, members, "numbers.npy", "ages.npy", "readme.txt"))
		d.write("one.npz", archive(t, method, members, "ages.npy"))
		for _, args := range [][]string{
			{"[::-1]", "./in.npz:ages", "./out.npy"},
			{"[::-1]", "./in.npz:ages.npy", "./out.npy"},
			{"[::-1]", "./one.npz", "./out.npy"},
		} {
			d.works(append([]string{"-force"}, args...)...)
			_, got := d.array("out.npy")
			assert.Equal(t, []byte{7, 8, 5, 6}, got, args)
		}
		d.passes([]byte{2, 3, 4}, d.read("in.npz"), "-to", "raw", "[1:]", "-:numbers", "-")
	}
}

func TestArchivesAreWritten(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	for out, member := range map[string]string{"./out.npz": "arr_0", "./out.npz:x": "x", "./OUT.NPZ:a.b/c:d.npy": "a.b/c:d"} {
		file := out[:len("./out.npz")]
		d.works("-force", "[::-1]", "./in.npy", d.at(file)+out[len(file):]) // the slashes of a member stay as they are
		z, err := zip.OpenReader(d.at(file))
		require.NoError(t, err)
		defer z.Close()
		require.Len(t, z.File, 1)
		assert.Equal(t, member+".npy", z.File[0].Name)
		assert.Equal(t, "1980-01-01", z.File[0].Modified.Format(time.DateOnly))
		require.NoError(t, z.Close())
		d.works("-force", "[:]", d.at(file)+":"+member, "./back.npy")
		require.NoError(t, os.Remove(d.at(file)))
		_, got := d.array("back.npy")
		assert.Equal(t, []byte{4, 3, 2, 1, 0}, got)
	}
	d.refuses(exitUsage, "new.npz:x: members are of .npz", "-to", "npy", "[:]", "./in.npy", "./new.npz:x")
}

// An archive is replaced where its one member is what is written, also by a slice of that member.
// No other member is lost, and none is replaced without -force.
func TestTheOnlyMemberIsReplaced(t *testing.T) {
	file := npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{4}}, []byte{1, 2, 3, 4})
	members := map[string][]byte{"x.npy": file, "y.npy": file, "arr_0.npy": file, "x": file}
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		for _, out := range []string{":x", ":x.npy", ":arr_0"} {
			for _, names := range [][]string{{"x.npy"}, {"arr_0.npy"}, {"x"}, {"x.npy", "y.npy"}, {"x.npy", "x.npy"}, {}} {
				d := newDir(t)
				d.write("in.npy", file)
				whole := archive(t, method, members, names...)
				d.write("one.npz", whole)
				in := "./in.npy"
				only := len(names) == 1 && names[0] == strings.TrimSuffix(out[1:], ".npy")+".npy"
				if only {
					d.refuses(exitError, "one.npz exists, -force overwrites it", "[::2]", in, "./one.npz"+out)
					in = "./one.npz" + out
					d.works("-force", "[::2]", in, "./one.npz"+out)
					d.makes([]byte{1, 3}, "[...]", "./one.npz"+out)
					continue
				}
				for _, flag := range []string{"-v", "-force"} {
					d.refuses(exitError, "one.npz exists, and its other members would be lost", flag, "[::2]", in, "./one.npz"+out)
				}
				require.Equal(t, whole, d.read("one.npz"))
			}
		}
	}
}

// If a bit of a compressed member is flipped, a slice of it is an error or has the same bytes as
// before.
func TestFlippedBitsOfCompressedMembersAreErrors(t *testing.T) {
	d := newDir(t)
	h := npy.Header{Type: slice1.Float32, Shape: []int{1000, 50}}
	data := make([]byte, 200_000) // more than is inflated at a time
	for i := range data {
		data[i] = byte(i * i % 13)
	}
	file := archive(t, zip.Deflate, map[string][]byte{"x.npy": npyFile(h, data)}, "x.npy")
	from, to := bytes.Index(file, []byte("x.npy"))+5, bytes.Index(file, []byte("PK\x07\x08"))
	r := rand.New(rand.NewPCG(1, 2))
	indices := []string{"[...]", "[:3]", "[5:90:7, ::-1]", "[0, 0]", "[2:2]", "[::-1]"}
	want := make([]string, len(indices))
	for i, index := range indices {
		d.write("in.npz", file)
		_, want[i], _ = d.run(index, "./in.npz", "-")
	}
	wrong := 0
	for i := range 500 {
		index := indices[i%len(indices)]
		broken := bytes.Clone(file)
		broken[from+r.IntN(to-from)] ^= 1 << r.IntN(8)
		d.write("in.npz", broken)
		code, stdout, stderr := d.run([]string{"-j=2", "-to=npy"}[i%2], index, "./in.npz", "-")
		if code != exitOK {
			wrong++
			assertOneLine(t, "in.npz", stderr)
			continue
		}
		require.Equal(t, want[i%len(indices)], stdout)
	}
	assert.Greater(t, wrong, 400)
	file[(from+to)/2] ^= 1
	d.write("in.npz", file)
	for _, index := range indices { // whatever is taken
		code, _, stderr := d.run(index, "./in.npz", "-")
		assert.Equal(t, exitError, code, index)
		assertOneLine(t, "in.npz", stderr)
	}
}

// An archive that is broken, lacks a member, or has several of which none is named is an error, and
// one that exists is not replaced by a member. Sizes that headers claim take no memory.
func TestArchivesThatCanNotBeRead(t *testing.T) {
	d := newDir(t)
	file := npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{4}}, []byte{1, 2, 3, 4})
	members := map[string][]byte{"a.npy": file, "a.txt": file, "b.npy": []byte("text")}
	whole := archive(t, zip.Deflate, members, "a.npy")
	damaged := bytes.Clone(whole)
	damaged[60] ^= 0x55
	d.write("in.npy", file)
	d.works("[:]", "./in.npy", "./x.npz:x")
	for _, flag := range []string{"-force", "-v"} {
		d.refuses(exitError, "other members would be lost", flag, "[:]", "./in.npy", "./x.npz:y")
	}
	d.refuses(exitError, "exists, -force overwrites it", "[:]", "./in.npy", "./x.npz:x")
	d.write("text.npz", []byte("text"))
	d.refuses(exitError, "other members would be lost", "-force", "[:]", "./in.npy", "./text.npz:x")
	d.refuses(exitUsage, "is no .npz", "[:]", "./in.npy:x", "./out.npy")
	for _, row := range []struct {
		code         int
		file         []byte
		member, says string
	}{
		{exitUsage, archive(t, zip.Store, members, "a.npy", "b.npy"), ":c", "in.npz: no member \"c\", name one as in "},
		{exitUsage, archive(t, zip.Store, members, "a.npy", "b.npy"), ":", "in.npz: 2 files, name one as in "},
		{exitUsage, archive(t, zip.Store, members, "a.npy", "b.npy"), "", "in.npz:a: a, b\n"},
		{exitError, archive(t, zip.Store, nil), "", "no .npy member"},
		{exitError, archive(t, zip.Store, members, "a.txt"), "", "no .npy member"},
		{exitError, archive(t, zip.Store, members, "b.npy"), "", "bad .npy format"},
		{exitError, whole[:len(whole)-30], "", "not a valid zip file"},
		{exitError, damaged, "", ""},
		{exitError, liar(t, 4, 1<<40), "", "claims 1099511627776 bytes"},
		{exitError, liar(t, 1<<36, 1<<45), "", "unexpected EOF"},
		{exitError, liar(t, math.MaxInt64, math.MaxInt64), "", "in.npz: "},
		{exitError, liar(t, math.MaxUint64, math.MaxUint64), "", "in.npz: "},
	} {
		d.write("in.npz", row.file)
		d.refuses(row.code, row.says, "[:]", d.at("in.npz")+row.member, "./out.npy")
	}
	needs64Bits(t)
	for _, order := range []string{"False", "True "} {
		start := npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{math.MaxInt - 128, 1}}, nil)
		start = append(bytes.Replace(start, []byte("False"), []byte(order), 1), 1, 2, 3)
		d.write("in.npz", archive(t, zip.Deflate, map[string][]byte{"x.npy": start}, "x.npy"))
		for _, index := range []string{"[:1]", "[-1]", "[5:3]"} {
			d.refusesPipe(start, exitError, "standard input: ", index, "-", "./out.npy")
			d.refuses(exitError, "in.npz: ", index, "./in.npz", "./out.npy")
		}
	}
}
