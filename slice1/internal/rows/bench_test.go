package rows

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkResize(b *testing.B) {
	for _, size := range [][4]int{{1920, 1080, 960, 540}, {1920, 1080, 640, 360}, {1920, 1080, 1280, 720}, {1920, 1080, 224, 224}, {4032, 3024, 224, 224}, {512, 512, 224, 224}, {160, 160, 640, 640}} {
		for _, pixel := range []int{4, 3, 1} {
			pix := make([]uint8, pixel*size[0]*size[1])
			for i := range pix {
				pix[i] = uint8(i * 7)
			}
			dst := make([]uint8, 4*size[2]*size[3])
			for f := range filters {
				if f == Area && size[2] > size[0] {
					continue
				}
				for _, set := range sets() {
					b.Run(fmt.Sprintf("from=%dx%d/to=%dx%d/pixel=%d/filter=%d/set=%d", size[0], size[1], size[2], size[3], pixel, f, set), func(b *testing.B) {
						x, y := Axis{Size: size[0], Scaled: size[2], End: size[2]}, Axis{Size: size[1], Scaled: size[3], End: size[3]}
						p, err := NewPlan(f, x, y, false, pixel, true, set)
						require.NoError(b, err)
						var w Worker
						for b.Loop() {
							w.Open(p)
							w.Resample(dst, p.pixel*size[2], 0, size[3], &picture{pix: pix, stride: pixel * size[0], pixel: pixel, stays: true, plan: p})
						}
					})
				}
			}
		}
	}
}
