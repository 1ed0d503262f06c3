//go:build amd64 || arm64

package directml

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

// buffers returns buffers of those sizes, with defined contents. It skips the benchmark if the
// adapter has too little memory for them.
func buffers(b *testing.B, d *Device, sizes ...int64) (all []*Buffer) {
	for _, size := range sizes {
		buffer, err := d.NewBuffer(size)
		skipForMemory(b, err)
		require.NoError(b, err)
		err = buffer.Upload(make([]byte, size))
		skipForMemory(b, err)
		require.NoError(b, err)
		all = append(all, buffer)
	}
	return all
}

// skipForMemory skips a benchmark that has failed because the adapter has too little memory for its
// sizes.
func skipForMemory(b *testing.B, err error) {
	if errors.Is(err, ErrMemory) {
		b.Skip(err)
	}
}

// BenchmarkChain times chains of dispatches. Each dispatch reverses the 4 KiB of the one before.
// One goroutine makes b.N dispatches, and then four goroutines share as many.
//
//	go test -run '^$' -bench Chain -benchtime 10000x ./directml
func BenchmarkChain(b *testing.B) {
	const size = 4 << 10
	for _, goroutines := range []int{1, 4} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			d := openDevice(b)
			p, err := d.NewPlan(samples.Flipped(slice1.Uint8, size))
			require.NoError(b, err)
			src := make([]byte, size)
			for i := range src {
				src[i] = byte(i % 251)
			}
			want := onCPU(b, samples.Flipped(slice1.Uint8, size), make([]byte, size), src)
			pairs := make([][]*Buffer, goroutines)
			for g := range pairs {
				pairs[g] = buffers(b, d, size, size)
				require.NoError(b, pairs[g][0].Upload(src))
				require.NoError(b, p.Dispatch(pairs[g][1], pairs[g][0])) // compiled before the clock runs
			}
			b.ResetTimer()
			var wg sync.WaitGroup
			for g, pair := range pairs {
				wg.Go(func() {
					n := b.N/goroutines + min(1, max(0, b.N%goroutines-g))
					for i := range n {
						if err := p.Dispatch(pair[(i+1)%2], pair[i%2]); err != nil {
							b.Error(err)
						}
					}
					got := make([]byte, size)
					if err := pair[n%2].Download(got); err != nil {
						b.Error(err)
					}
					if expect := [][]byte{src, want}[n%2]; string(got) != string(expect) {
						b.Errorf("wrong bytes after %d dispatches", n)
					}
				})
			}
			wg.Wait()
		})
	}
}

// BenchmarkCut times dispatches that are cut into 2,000 parts, of 8 elements each.
func BenchmarkCut(b *testing.B) {
	d := openDevice(b)
	d.mostElements = 8
	desc := samples.Flipped(slice1.Uint32, 2000, 8)
	p, err := d.NewPlan(desc)
	require.NoError(b, err)
	require.Len(b, p.parts, 2000)
	pair := buffers(b, d, p.geometry.DstSize, p.geometry.SrcSize)
	benchmarkDispatches(b, p, pair[0], pair[1])
}

// workloads returns slices with an output of n elements of type t, in rows of `row` elements. The
// crop takes the middle half of its rows.
func workloads(t slice1.DataType, n, row int) map[string]*slice1.Desc {
	crop := slice1.Whole(t, n/row, 2*row)
	crop.WindowOffsets[1], crop.WindowSizes[1], crop.Output.Sizes[1] = row/2, row, row
	flip := slice1.Whole(t, n/row, row)
	flip.WindowStrides[1] = -1
	planes, _ := slice1.Whole(t, n/3, 3).Permute(1, 0)
	return map[string]*slice1.Desc{"crop": crop, "flip": flip, "HWC-CHW": planes}
}

// BenchmarkSlices times Dispatch of the workloads, Run of one of them, Upload and Download, for
// several sizes. MB/s count the bytes of the output.
func BenchmarkSlices(b *testing.B) {
	for _, size := range []int{4 << 10, 16 << 20, 256 << 20} {
		if size > 16<<20 && testing.Short() {
			continue
		}
		name := fmt.Sprintf("bytes=%d", size)
		for _, t := range []slice1.DataType{slice1.Uint8, slice1.Uint32} {
			for work, desc := range workloads(t, size/t.Size(), min(size>>6, 4096)) {
				b.Run(fmt.Sprintf("Dispatch/%s/%v/%s", work, t, name), func(b *testing.B) { benchmarkDispatch(b, desc) })
			}
			desc := workloads(t, size/t.Size(), min(size>>6, 4096))["flip"]
			b.Run(fmt.Sprintf("Run/flip/%v/%s", t, name), func(b *testing.B) { benchmarkRun(b, desc) })
		}
		b.Run("Upload/"+name, func(b *testing.B) { benchmarkCopy(b, size, (*Buffer).Upload) })
		b.Run("Download/"+name, func(b *testing.B) { benchmarkCopy(b, size, (*Buffer).Download) })
	}
}

func benchmarkDispatch(b *testing.B, desc *slice1.Desc) {
	d := openDevice(b)
	p, err := d.NewPlan(desc)
	require.NoError(b, err)
	pair := buffers(b, d, p.geometry.DstSize, p.geometry.SrcSize)
	benchmarkDispatches(b, p, pair[0], pair[1])
}

// benchmarkDispatches waits for the adapter after the last dispatch.
func benchmarkDispatches(b *testing.B, p *Plan, dst, src *Buffer) {
	require.NoError(b, p.Dispatch(dst, src)) // compiled before the clock runs
	require.NoError(b, p.device.Wait(b.Context()))
	b.SetBytes(p.geometry.DstSize)
	b.ResetTimer()
	for range b.N {
		require.NoError(b, p.Dispatch(dst, src))
	}
	require.NoError(b, p.device.Wait(b.Context()))
}

func benchmarkRun(b *testing.B, desc *slice1.Desc) {
	p, err := openDevice(b).NewPlan(desc)
	require.NoError(b, err)
	dst, src := make([]byte, p.geometry.DstSize), make([]byte, p.geometry.SrcSize)
	err = p.Run(dst, src) // makes the buffers before the clock runs
	skipForMemory(b, err)
	require.NoError(b, err)
	b.SetBytes(p.geometry.DstSize)
	b.ResetTimer()
	for range b.N {
		require.NoError(b, p.Run(dst, src))
	}
}

// BenchmarkPlaces times dispatches between slices of buffers that begin at multiples of 16, 32 and
// 256 bytes, and not of twice as many. DirectML's documentation recommends 32 or more.
func BenchmarkPlaces(b *testing.B) {
	const size = 16 << 20
	for t, work := range map[slice1.DataType]string{slice1.Uint8: "flip", slice1.Uint32: "HWC-CHW"} {
		for _, at := range []int64{16, 32, 256} {
			b.Run(fmt.Sprintf("%s/%v/at=%d", work, t, at), func(b *testing.B) {
				d := openDevice(b)
				p, err := d.NewPlan(workloads(t, size/t.Size(), 4096)[work])
				require.NoError(b, err)
				pair := buffers(b, d, at+p.geometry.DstSize, at+p.geometry.SrcSize)
				dst, err := pair[0].Slice(at, p.geometry.DstSize)
				require.NoError(b, err)
				src, err := pair[1].Slice(at, p.geometry.SrcSize)
				require.NoError(b, err)
				benchmarkDispatches(b, p, dst, src)
			})
		}
	}
}

// benchmarkCopy waits for the adapter after the last copy.
func benchmarkCopy(b *testing.B, size int, copies func(*Buffer, []byte) error) {
	buffer := buffers(b, openDevice(b), int64(size))[0]
	data := make([]byte, size)
	require.NoError(b, copies(buffer, data))
	b.SetBytes(int64(size))
	b.ResetTimer()
	for range b.N {
		require.NoError(b, copies(buffer, data))
	}
	require.NoError(b, buffer.Download(data[:1]))
}

// BenchmarkNewPlan times NewPlan of slices with operators that are not compiled yet.
func BenchmarkNewPlan(b *testing.B) {
	d := openDevice(b)
	for i := range b.N {
		p, err := d.NewPlan(samples.Flipped(slice1.Uint8, 100, 100+i))
		require.NoError(b, err)
		require.NoError(b, p.Close())
	}
}

// BenchmarkFarViews times Run of slices of more elements than Direct3D 12 guarantees that an
// adapter sees, without cutting them. The metric seen is 1 if the adapter saw all elements, and
// otherwise 0.
func BenchmarkFarViews(b *testing.B) {
	for _, n := range []int{translate.MostElements + 4096, 2 * translate.MostElements} {
		b.Run(fmt.Sprintf("elements=%d", n), func(b *testing.B) {
			d := openDevice(b)
			d.mostElements = int64(n)
			desc := samples.Flipped(slice1.Uint32, n)
			p, err := d.NewPlan(desc)
			require.NoError(b, err)
			dst, src := make([]byte, 4*n), make([]byte, 4*n)
			for i := 0; i < len(src); i += 64 {
				src[i] = byte(i>>6)%251 + 1
			}
			for range b.N {
				err := p.Run(dst, src)
				skipForMemory(b, err)
				require.NoError(b, err)
			}
			b.StopTimer()
			seen := 0.0
			if bytes.Equal(onCPU(b, desc, dst, src), dst) {
				seen = 1
			}
			b.ReportMetric(seen, "seen")
		})
	}
}
