package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/testdata/sentencetest"
)

// The text of each error of this package begins with its name, also if package slice1 or zip made
// it, and says what was found.
func TestErrorsSayWhatIsWrong(t *testing.T) {
	place, plain := sentencetest.Place, sentencetest.Plain
	index := func(text string) error {
		_, _, err := Header{Shape: []int{4}}.ParseIndex(text)
		return err
	}
	desc := func(h Header) error {
		_, err := h.Desc()
		return err
	}
	member := func(name string, change func(entry []byte)) error {
		file := archive(t, zip.Store, "x.npy", 1, "y.npy", 2)
		change(file[bytes.Index(file, []byte("PK\x01\x02")):])
		_, err := open(file, name)
		return err
	}
	_, noArchive := OpenMember(strings.NewReader(""), 0, "a")
	_, _, other := Read[int16](bytes.NewReader(file(1, dictOf("<u2", "False", "(2, 3)"), 12)))
	_, zipped := ReadHeader(bytes.NewReader(archive(t, zip.Store, "x.npy", 1)))
	_, _, short := Read[uint16](bytes.NewReader(file(1, dictOf("<u2", "False", "(2, 3)"), 11)))
	_, _, axes := Read[uint8](bytes.NewReader(file(1, dictOf("|u1", "True", "(2, 2, 2, 2, 2, 2, 2, 2, 2)"), 512)))
	_, noType := AppendHeader(nil, Header{Type: slice1.BFloat16})
	rows := []sentencetest.Row{
		place(index("[3:3]"), `index "[3:3]": axis 0: nothing selected`, slice1.ErrEmpty, "Out", 0, 0, 1),
		place(desc(Header{Type: slice1.Uint8, Shape: []int{2, 0}}), "axis 1 of shape [2 0] has extent 0, so the array has no elements", slice1.ErrEmpty, "Sizes", 1, 0, 1),
		place(desc(Header{Type: slice1.Uint8, Shape: slices.Repeat([]int{1}, 9)}), "Sizes has 9 entries, must have 1 to 8", slice1.ErrRank, "Sizes", -1, 9, 8),
		place(desc(Header{Type: 99}), "DataType is 99, which is no data type; these are 1 to 11 and 65536", slice1.ErrDataType, "DataType", -1, 99, 11),
		place(axes, "shape has 9 entries, must have 0 to 8", slice1.ErrRank, "shape", -1, 9, 8),
		plain(index("[5]"), `index "[5]": column 2: integer outside axis 0 of extent 4`, slice1.ErrWindow),
		plain(index("["), `index "[": column 2: expected an integer, a slice, "..." or None`, slice1.ErrSyntax),
		plain(other, "the file has shape [2 3] of uint16, which cannot be read as int16; read it as uint16, or convert it by Header.Desc and slice1.WithNumbers", slice1.ErrDataType),
		plain(zipped, "bad .npy format: starts as an .npz file does, whose members OpenMember opens", ErrFormat),
		plain(short, "truncated .npy file: [2 3] of uint16 needs 12 bytes of data", ErrTruncated),
		plain(noType, "element type not supported: Header.Type is bfloat16, which NumPy does not have", ErrType),
		plain(Write(io.Discard, []uint8{1}, []int{2}), "data has 1 elements, shape [2] does not", slice1.ErrSize),
		plain(noArchive, "zip: not a valid zip file", zip.ErrFormat),
		plain(member("z", func([]byte) {}), `bad .npy format: the archive has no member "z" among its 2`, ErrFormat),
		plain(member("x", func(entry []byte) { entry[8] |= 1 }), "bad .npy format: x.npy is encrypted", ErrFormat),
		plain(member("x", func(entry []byte) { entry[24]++ }), "x.npy claims 130 bytes, which its 129 compressed bytes cannot hold", zip.ErrFormat),
		plain(member("x", func(entry []byte) { entry[45] = 0x7f }), "x.npy: zip: not a valid zip file", zip.ErrFormat),
		plain(member("x", func(entry []byte) { entry[8], entry[16] = 0, entry[16]^1 }), "x.npy: zip: checksum error", zip.ErrChecksum),
	}
	sentencetest.Check(t, "npy", rows)
	texts := sentencetest.Texts(rows)
	for _, row := range slices.Concat(brokenStarts, brokenShapes, brokenDicts, brokenTypes, brokenFields) {
		_, err := Parse(row.file)
		require.Regexp(t, "^npy: ", err.Error())
		require.Equal(t, 1, strings.Count(err.Error(), "npy: "), err)
		texts = append(texts, err.Error())
	}
	texts = append(texts, "npy: bad .npy format: shape [] in Fortran order has strides that overflow an int") // on 32 bits
	sentencetest.CheckPlaces(t, ".", []string{"failf", "Errorf", "New"}, texts)
	at, ok := errors.AsType[*slice1.IndexError](index("["))
	require.True(t, ok)
	require.Equal(t, 1, at.Column)
}
