package directml

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

// For every sample device, planOf refuses a wrong descriptor with ValidateFor's error for the
// newest level. It refuses a right one for a level without SLICE1.
func TestPlansKeepValidationsErrors(t *testing.T) {
	for name, spoil := range map[string]func(d *slice1.Desc){
		"rank":       func(d *slice1.Desc) { d.WindowSizes = d.WindowSizes[:1] },
		"type":       func(d *slice1.Desc) { d.Input.DataType = 13 },
		"extent":     func(d *slice1.Desc) { d.Input.Sizes[0] = 0 },
		"stride":     func(d *slice1.Desc) { d.WindowStrides[1] = 0 },
		"window":     func(d *slice1.Desc) { d.WindowOffsets[1] = 1 },
		"output":     func(d *slice1.Desc) { d.WindowStrides[0] = 2 },
		"total":      func(d *slice1.Desc) { d.Output.TotalSize = 1 },
		"alignment":  func(d *slice1.Desc) { d.Input.BaseAlign = 8 },
		"overlap":    func(d *slice1.Desc) { d.Output.Strides = []int{1, 1} },
		"everything": func(d *slice1.Desc) { *d = slice1.Desc{} },
	} {
		for _, device := range samples.Devices {
			c := translate.Capability(device)
			d := &slice1.Desc{
				Input: slice1.TensorDesc{DataType: slice1.Int16, Sizes: []int{4, 5}}, Output: slice1.TensorDesc{DataType: slice1.Int16, Sizes: []int{4, 5}},
				WindowOffsets: []int{0, 0}, WindowSizes: []int{4, 5}, WindowStrides: []int{1, 1},
			}
			_, err := planOf(d, c, translate.MostElements)
			require.NoError(t, err)
			spoil(d)
			want := d.ValidateFor(max(c.Level, slice1.FeatureLevel6_4))
			require.Error(t, want, name)
			_, err = planOf(d, c, translate.MostElements)
			assert.Equal(t, want, err, name)
		}
	}
	_, err := planOf(nil, translate.Capability(samples.Newest), translate.MostElements)
	assert.ErrorIs(t, err, slice1.ErrRank)
	_, err = planOf(slice1.Whole(slice1.Int8, 2, 2, 2, 2), translate.Capability{Level: slice1.FeatureLevel2_0, Types: samples.AllTypes}, translate.MostElements)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}

func TestSizeClassesHoldTheirSizes(t *testing.T) {
	for size, want := range map[int64]int64{
		1: 64 << 10, 64 << 10: 64 << 10, 64<<10 + 1: 128 << 10, 5 << 20: 8 << 20, 16 << 20: 16 << 20,
		16<<20 + 1: 32 << 20, 33 << 20: 48 << 20, 1<<34 - 4: 1 << 34,
	} {
		assert.Equal(t, want, sizeClass(size), "%d", size)
	}
}
