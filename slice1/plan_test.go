package slice1_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/oracle"
)

func newPlan(t testing.TB, d *slice1.Desc, opts ...slice1.Option) *slice1.Plan {
	t.Helper()
	p, err := slice1.NewPlan(d, opts...)
	require.NoError(t, err)
	return p
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	randomize(b, rand.New(rand.NewPCG(8, uint64(n))))
	return b
}

// randomize fills b with random bytes.
func randomize(b []byte, rng *rand.Rand) {
	for len(b) >= 8 {
		binary.LittleEndian.PutUint64(b, rng.Uint64())
		b = b[8:]
	}
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
}

func TestPlanKeepsNothingOfTheDescriptor(t *testing.T) {
	d := valid()
	src := randomBytes(480)
	want := make([]byte, 64)
	oracle.Slice(d, want, src)
	p := newPlan(t, d)
	clear(d.WindowOffsets)
	clear(d.WindowStrides)
	clear(d.Input.Strides)
	clear(d.Output.Sizes)
	got := make([]byte, 64)
	require.NoError(t, p.Run(got, src))
	assert.Equal(t, want, got)
}

// 64 goroutines run one plan at once, and every result is right, gaps included.
func TestPlanIsSharedBy64Goroutines(t *testing.T) {
	padded := whole(slice1.Uint16, 50, 40)
	padded.WindowStrides = []int{-1, 1}
	padded.Input.Strides, padded.Output.Strides = []int{1, 50}, []int{43, 1}
	for _, d := range []*slice1.Desc{reversal(slice1.Uint8, 1000), padded, reversal(slice1.Uint8, 5<<20)} {
		in, err := d.Input.MinSize()
		require.NoError(t, err)
		n, err := d.Output.MinSize()
		require.NoError(t, err)
		src := randomBytes(int(in))
		want := make([]byte, n)
		oracle.Slice(d, want, src)
		for _, kernel := range usableKernels() {
			p := newPlan(t, d, slice1.WithKernel(kernel))
			together(64, func(i int) {
				dst := make([]byte, n)
				assert.NoError(t, p.Run(dst, src), kernel)
				assert.True(t, bytes.Equal(want, dst), "%s, goroutine %d", kernel, i)
				tested(t, kernel)
			})
		}
	}
}

func TestParallelRunsWriteWhatSerialOnesDo(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	d := whole(slice1.Uint16, 61, 3, 40_009)
	d.WindowStrides = []int{-1, 1, -1}
	in, err := d.Input.MinSize()
	require.NoError(t, err)
	src := randomBytes(int(in))
	want := make([]byte, in)
	oracle.Slice(d, want, src)
	for _, kernel := range usableKernels() {
		for _, n := range []int{-1, 0, 1, 2, 3, 4, 100} {
			got := make([]byte, in)
			require.NoError(t, newPlan(t, d, slice1.WithKernel(kernel), slice1.WithParallelism(n)).Run(got, src))
			require.True(t, bytes.Equal(want, got), "%s, parallelism %d", kernel, n)
			tested(t, kernel)
		}
	}
}

func TestBuffersAreChecked(t *testing.T) {
	d := valid() // 480 bytes in, 64 out
	for _, kernel := range usableKernels() {
		p := newPlan(t, d, slice1.WithKernel(kernel))
		for _, c := range []struct {
			name     string
			dst, src []byte
			field    string
			got      int64
			limit    int64
			want     error
		}{
			{"nil dst", nil, make([]byte, 480), "dst", 0, 64, slice1.ErrBuffer},
			{"nil src", make([]byte, 64), nil, "src", 0, 480, slice1.ErrBuffer},
			{"dst short by a byte", make([]byte, 63), make([]byte, 480), "dst", 63, 64, slice1.ErrBuffer},
			{"src short by a byte", make([]byte, 64), make([]byte, 479), "src", 479, 480, slice1.ErrBuffer},
			{"both nil", nil, nil, "dst", 0, 64, slice1.ErrBuffer},
		} {
			for i := range c.src {
				c.src[i] = 0xEE
			}
			before := bytes.Clone(c.dst)
			for _, err := range []error{p.Run(c.dst, c.src), p.RunContext(context.Background(), c.dst, c.src)} {
				requireDescError(t, err, fault{c.name, nil, c.field, -1, c.got, c.limit, c.want})
			}
			assert.Equal(t, before, c.dst, c.name)
		}
	}
}

// If there are no gaps between elements, a run returns ErrOverlap exactly where the spans of the
// elements taken and of the output meet.
func TestOverlapOfBuffersIsDecidedOnTouchedSpans(t *testing.T) {
	// Elements 40..59 of 100 become 20 elements at the start of dst.
	d := slice1.NewDesc(slice1.Uint8, []int{100}, slice1.Window{Offsets: []int{40}, Sizes: []int{20}, Strides: []int{1}, Out: []int{20}})
	for _, kernel := range usableKernels() {
		p := newPlan(t, d, slice1.WithKernel(kernel))
		memory := randomBytes(200)
		for at := 0; at <= 120; at++ {
			src := memory[10:110] // its elements taken are memory[50:70]
			dst := memory[at : at+20]
			before := bytes.Clone(memory)
			err := p.Run(dst, src)
			if at+20 > 50 && at < 70 {
				shared := min(at+20, 70) - max(at, 50)
				requireDescError(t, err, fault{"", nil, "dst", -1, int64(shared), 0, slice1.ErrOverlap})
				require.Equal(t, before, memory)
				continue
			}
			require.NoError(t, err, "at %d", at)
			require.Equal(t, before[50:70], dst)
		}
	}
}

func TestGapsOfTheOutputKeepTheirBytes(t *testing.T) {
	d := whole(slice1.Uint8, 50, 30)
	d.Output.Strides = []int{100, 3}
	for _, kernel := range usableKernels() {
		src := randomBytes(1500)
		dst := bytes.Repeat([]byte{0xAB}, 6000)
		require.NoError(t, newPlan(t, d, slice1.WithKernel(kernel)).Run(dst, src))
		for i, b := range dst {
			row, column := i/100, i%100
			if row < 50 && column%3 == 0 && column < 90 {
				require.Equal(t, src[row*30+column/3], b)
			} else {
				require.Equal(t, byte(0xAB), b, "byte %d is in a gap", i)
			}
		}
	}
}

// RunContext asks the context before the first part and then before each part. The context of
// the second run is done when it is asked for the fifth time, so that at most three parts start.
// Each element of dst is then either copied as a whole or unchanged.
func TestRunContextStopsBetweenParts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const bytesOfParts = 3 * (2 << 20)
	for size, dtype := range widths {
		n := 16 << 20 / size
		src, dst := bytes.Repeat([]byte{1}, n*size), make([]byte, n*size)
		for _, parallelism := range []int{1, 0} {
			for _, kernel := range usableKernels() {
				clear(dst)
				p := newPlan(t, reversal(dtype, n), slice1.WithKernel(kernel), slice1.WithParallelism(parallelism))
				done, cancel := context.WithCancel(context.Background())
				cancel()
				require.ErrorIs(t, p.RunContext(done, dst, src), context.Canceled)
				require.Zero(t, bytes.Count(dst, []byte{1}), "a context done from the start")

				ctx := &countdown{Context: context.Background()}
				require.ErrorIs(t, p.RunContext(ctx, dst, src), context.DeadlineExceeded)
				copied := bytes.Count(dst, []byte{1})
				require.Positive(t, copied)
				require.LessOrEqual(t, copied, bytesOfParts)
				whole := bytes.Repeat([]byte{1}, size)
				for at := 0; at < len(dst); at += size {
					if element := dst[at : at+size]; !bytes.Equal(element, whole) && !bytes.Equal(element, make([]byte, size)) {
						t.Fatalf("%s: part of the element at byte %d: %v", kernel, at, element)
					}
				}
			}
		}
	}
}

// countdown is a context that is done from the fifth time on that it is asked.
type countdown struct {
	context.Context
	mu    sync.Mutex
	looks int
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.looks++; c.looks >= 5 {
		return context.DeadlineExceeded
	}
	return nil
}

func TestGoroutinesDoNotOutliveTheCall(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	before := runtime.NumGoroutine()
	d := reversal(slice1.Uint8, 32<<20)
	src, dst := make([]byte, 32<<20), make([]byte, 32<<20)
	for range 5 {
		require.NoError(t, newPlan(t, d).Run(dst, src))
		require.Error(t, newPlan(t, d).RunContext(&countdown{Context: context.Background()}, dst, src))
	}
	// A goroutine may signal that it is done a little before it ends.
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
}

func TestKernelsAreNamedAndChosen(t *testing.T) {
	ks := slice1.Kernels()
	require.NotEmpty(t, ks)
	assert.Equal(t, slice1.KernelInfo{Name: "go", Usable: true}, ks[0])
	for _, k := range ks {
		p, err := slice1.NewPlan(valid(), slice1.WithKernel(k.Name))
		if k.Usable {
			require.NoError(t, err)
			assert.Equal(t, k.Name, p.Kernel())
			assert.Empty(t, k.Reason)
			assert.Contains(t, p.String(), "kernel "+k.Name+",")
		} else {
			require.ErrorIs(t, err, slice1.ErrKernel)
			assert.NotEmpty(t, k.Reason)
			assert.ErrorContains(t, err, k.Reason)
		}
	}
	_, err := slice1.NewPlan(valid(), slice1.WithKernel("mmx"))
	require.ErrorIs(t, err, slice1.ErrKernel)
	assert.ErrorContains(t, err, `"mmx"`)
	if os.Getenv("SLICE1_KERNEL") == "" {
		small, err := slice1.NewPlan(valid())
		require.NoError(t, err)
		assert.Contains(t, []string{"go", "simd"}, small.Kernel(), "a call into C does not pay for 64 bytes")
		named, err := slice1.NewPlan(valid(), slice1.WithKernel(""))
		require.NoError(t, err)
		assert.Equal(t, small.Kernel(), named.Kernel())
	}
}

func TestLastKernelIsTheOneThatRan(t *testing.T) {
	require.Empty(t, (*slice1.Plan)(nil).LastKernel())
	for i, kernel := range usableKernels() {
		p := newPlan(t, reversal(slice1.Uint8, 9001+i), slice1.WithKernel(kernel)) // a shape of no other test
		require.Empty(t, p.LastKernel())
		src, dst := make([]byte, 9001+i), make([]byte, 9001+i)
		require.Error(t, p.Run(dst[1:], src))
		require.Empty(t, p.LastKernel())
		require.NoError(t, p.Run(dst, src))
		require.Equal(t, kernel, p.LastKernel())
	}
}

func TestPlanExplainsItself(t *testing.T) {
	d := whole(slice1.Uint8, 300, 451, 3)
	d.WindowStrides = []int{1, -1, 1}
	p := newPlan(t, d, slice1.WithKernel("go"), slice1.WithParallelism(1))
	assert.Regexp(t, `^kernel go, kind \w+, 405900 elements of 1 byte, 2 parts on 1 goroutine
for 300: source \+1353, destination \+1353
  for 451: source -3, destination \+3
    for 3: source \+1, destination \+1
      copy 1 byte, first from source 1350 to destination 0$`, p.String())
}

func TestElementsMustHaveThePlansSize(t *testing.T) {
	p := newPlan(t, reversal(slice1.Float32, 8))
	requireDescError(t, slice1.Run(p, make([]uint16, 8), make([]uint16, 8)),
		fault{"", nil, "dst", -1, 2, 4, slice1.ErrDataType})
	require.ErrorIs(t, slice1.Copy(make([]float64, 8), make([]float64, 8), reversal(slice1.Float32, 8)), slice1.ErrDataType)

	type celsius float32
	got := make([]celsius, 3)
	require.NoError(t, slice1.Copy(got, []celsius{1, 2, 3}, reversal(slice1.Float32, 3)))
	assert.Equal(t, []celsius{3, 2, 1}, got)
	require.ErrorIs(t, slice1.Copy(got[:2], []celsius{1, 2, 3}, reversal(slice1.Float32, 3)), slice1.ErrBuffer)
	require.ErrorIs(t, slice1.Copy[int32, int32](nil, nil, reversal(slice1.Int32, 3)), slice1.ErrBuffer)
}

func TestEveryBitPatternSurvives(t *testing.T) {
	for _, kernel := range usableKernels() {
		src := make([]uint16, 1<<16)
		for i := range src {
			src[i] = uint16(i)
		}
		dst := make([]uint16, len(src))
		require.NoError(t, slice1.Copy(dst, src, reversal(slice1.Float16, len(src)), slice1.WithKernel(kernel)))
		for i := range dst {
			require.Equal(t, src[len(src)-1-i], dst[i])
		}
	}
}

func TestDataTypesHaveTheirNamesAndSizes(t *testing.T) {
	want := []string{"", "float32", "float16", "uint32", "uint16", "uint8", "int32", "int16", "int8", "float64", "uint64", "int64"}
	sizes := []int{0, 4, 2, 4, 2, 1, 4, 2, 1, 8, 8, 8}
	for i := slice1.Float32; i <= slice1.Int64; i++ {
		assert.Equal(t, want[i], i.String())
		assert.Equal(t, sizes[i], i.Size())
	}
	for _, unknown := range []slice1.DataType{0, 12, 13, 1 << 31} {
		assert.Zero(t, unknown.Size())
	}
	assert.Equal(t, "DataType(12)", slice1.DataType(12).String())
}

// BFloat16 has a name and a size, slices as other types of 2 bytes do, and is no type of DirectML.
func TestBFloat16IsATypeOfTheCPU(t *testing.T) {
	assert.Equal(t, "bfloat16", slice1.BFloat16.String())
	assert.Equal(t, 2, slice1.BFloat16.Size())
	d := reversal(slice1.BFloat16, 3)
	text, err := json.Marshal(d)
	require.NoError(t, err)
	assert.Contains(t, string(text), `"DataType":"bfloat16"`)
	var back slice1.Desc
	require.NoError(t, json.Unmarshal(text, &back))
	assert.Equal(t, *d, back)
	dst := make([]uint16, 3)
	require.NoError(t, slice1.Copy(dst, []uint16{1, 2, 3}, d))
	assert.Equal(t, []uint16{3, 2, 1}, dst)
	for _, level := range []slice1.FeatureLevel{slice1.FeatureLevel2_1, slice1.FeatureLevel3_0, slice1.FeatureLevel6_4} {
		wide := d
		if level < slice1.FeatureLevel3_0 {
			wide = slice1.Whole(slice1.BFloat16, 1, 1, 1, 4)
		}
		err := wide.ValidateFor(level)
		assert.ErrorIs(t, err, slice1.ErrDataType)
		assert.EqualError(t, err, "slice1: Input.DataType is bfloat16, which DirectML does not have; it has int64")
	}
	for _, unknown := range []slice1.DataType{slice1.BFloat16 - 1, slice1.BFloat16 + 1} {
		assert.Zero(t, unknown.Size())
		_, err := unknown.MarshalText()
		assert.ErrorIs(t, err, slice1.ErrDataType)
		assert.ErrorIs(t, slice1.Whole(unknown, 3).Validate(), slice1.ErrDataType)
	}
}
