package slice1_test

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

const testdata = "../testdata"

// goldenCase is a slice of a stored array with its result, which NumPy made.
type goldenCase struct {
	Name   string
	Array  string // path below testdata
	Index  string // NumPy index text, unless Window is there
	Window *struct{ Offsets, Sizes, Strides, Out []int }
	Shape  []int  // of the result
	Result string // path below testdata
}

// goldenVector is a descriptor with the elements that it reads, written by hand.
type goldenVector struct {
	ID                                   string
	Sizes, Offsets, Window, Strides, Out []int
	Read                                 []int // flat indices, in the order of the output
}

func readJSON[T any](t *testing.T, path string) (list []T) {
	t.Helper()
	file, err := os.Open(filepath.Join(testdata, path))
	require.NoError(t, err)
	defer file.Close()
	d := json.NewDecoder(file)
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&list))
	require.NotEmpty(t, list)
	return list
}

func readArray(t *testing.T, path string) (npy.Header, []byte) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join(testdata, path))
	require.NoError(t, err)
	h, err := npy.Parse(file)
	require.NoError(t, err, path)
	return h, file[h.Offset:][:h.Size]
}

// requireSlice runs d with every usable kernel and requires that dst is then want.
func requireSlice(t *testing.T, d *slice1.Desc, src, want []byte) {
	t.Helper()
	for _, kernel := range usableKernels() {
		p, err := slice1.NewPlan(d, slice1.WithKernel(kernel))
		require.NoError(t, err, kernel)
		require.Equal(t, kernel, p.Kernel())
		dst := make([]byte, len(want))
		for i, b := range want {
			dst[i] = ^b // so that a byte that is not written is wrong
		}
		require.NoError(t, p.Run(dst, src), kernel)
		require.Equal(t, want, dst, kernel)
		tested(t, kernel)
	}
}

func TestGoldenSlicesAreThoseOfNumPy(t *testing.T) {
	for _, c := range readJSON[goldenCase](t, "golden/cases.json") {
		t.Run(c.Name, func(t *testing.T) {
			in, src := readArray(t, c.Array)
			out, want := readArray(t, c.Result)
			require.Equal(t, in.Type, out.Type)
			require.Equal(t, in.BigEndian, out.BigEndian)

			var w slice1.Window
			if c.Window != nil {
				w = slice1.Window(*c.Window)
				assert.Equal(t, c.Shape, w.Out)
			} else {
				var shape []int
				var err error
				w, shape, err = slice1.ParseIndex(c.Index, in.Shape)
				require.NoError(t, err)
				// append makes nil and empty equal: a shape without axes may be either.
				assert.Equal(t, append([]int{}, c.Shape...), append([]int{}, shape...))
			}
			d := slice1.NewDesc(in.Type, in.Shape, w)
			d.Input.Strides = in.Strides()
			requireSlice(t, d, src, want)
		})
	}
}

// The vectors are the two worked examples of the operator's documentation and ten more,
// each at the edge of a rule.
func TestGoldenVectorsReadTheDocumentedElements(t *testing.T) {
	for _, v := range readJSON[goldenVector](t, "golden/vectors.json") {
		for dt := slice1.Float32; dt <= slice1.Int64; dt++ {
			t.Run(v.ID+"/"+dt.String(), func(t *testing.T) {
				elements := 1
				for _, extent := range v.Sizes {
					elements *= extent
				}
				var src, want []byte
				for i := range elements {
					src = append(src, element(i, dt.Size())...)
				}
				for _, i := range v.Read {
					want = append(want, element(i, dt.Size())...)
				}
				d := slice1.NewDesc(dt, v.Sizes, slice1.Window{
					Offsets: v.Offsets, Sizes: v.Window, Strides: v.Strides, Out: v.Out,
				})
				requireSlice(t, d, src, want)
			})
		}
	}
}

// element returns size bytes. The first byte differs for every i below 256.
func element(i, size int) []byte {
	const odd = 0x9E3779B97F4A7C15
	return binary.LittleEndian.AppendUint64(nil, uint64(i)*odd)[:size]
}

func TestGoldenCasesCoverTypesRanksAndOrders(t *testing.T) {
	types := map[slice1.DataType]bool{}
	ranks := map[int]bool{}
	bigEndian, fortran := map[string]bool{}, map[string]bool{}
	windows := 0
	cases := readJSON[goldenCase](t, "golden/cases.json")
	for _, c := range cases {
		in, _ := readArray(t, c.Array)
		types[in.Type] = true
		ranks[len(in.Shape)] = true
		if in.BigEndian {
			bigEndian[c.Array] = true
		}
		if in.Fortran {
			fortran[c.Array] = true
		}
		if c.Window != nil {
			windows++
		}
	}
	assert.Len(t, types, 11)
	for rank := 1; rank <= 8; rank++ {
		assert.True(t, ranks[rank], "rank %d", rank)
	}
	assert.GreaterOrEqual(t, len(cases), 60)
	assert.GreaterOrEqual(t, len(bigEndian), 2)
	assert.GreaterOrEqual(t, len(fortran), 2)
	assert.GreaterOrEqual(t, windows, 20)
}
