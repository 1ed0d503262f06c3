package slice1_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/oracle"
)

// If SLICE1_REQUIRE is set, it names the strongest of the kernels that plans of three large
// slices choose, so that no machine silently tests a weaker one instead.
func TestRequiredKernelIsChosen(t *testing.T) {
	spread := whole(slice1.Uint8, 1<<18)
	spread.Output.Strides = []int{2}
	chosen := map[string]bool{}
	for _, d := range []*slice1.Desc{reversal(slice1.Uint8, 1<<20), reversal(slice1.Uint32, 1<<20), spread} {
		p, err := slice1.NewPlan(d, slice1.WithLearning(false)) // what other tests taught does not count
		require.NoError(t, err)
		chosen[p.Kernel()] = true
	}
	strongest := ""
	for _, k := range slice1.Kernels() {
		t.Logf("kernel %s: usable %v %s", k.Name, k.Usable, k.Reason)
		if chosen[k.Name] {
			strongest = k.Name
		}
	}
	if want := os.Getenv("SLICE1_REQUIRE"); want != "" {
		require.Equal(t, want, strongest)
	}
}

func reversal(t slice1.DataType, n int) *slice1.Desc {
	return slice1.NewDesc(t, []int{n}, slice1.Window{Offsets: []int{0}, Sizes: []int{n}, Strides: []int{-1}, Out: []int{n}})
}

// usableKernels returns the names of all kernels that can run here.
var usableKernels = sync.OnceValue(func() (names []string) {
	for _, k := range slice1.Kernels() {
		if k.Usable {
			names = append(names, k.Name)
		}
	}
	return names
})

// widths has one data type for each element size.
var widths = map[int]slice1.DataType{1: slice1.Uint8, 2: slice1.Float16, 4: slice1.Int32, 8: slice1.Float64}

// buffers are the buffers of one descriptor. src holds random bytes, dst holds canaries, and want
// holds what dst must hold after a run.
type buffers struct{ src, dst, want []byte }

// fill makes buffers for a valid d. src holds the input exactly, and begins misalign bytes into
// its allocation. In dst and want, the output begins 64+misalign bytes behind their beginning
// and ends 64 bytes before their end. want has the oracle's result.
func fill(d *slice1.Desc, misalign int, rng *rand.Rand) buffers {
	in, errIn := d.Input.MinSize()
	out, errOut := d.Output.MinSize()
	if errIn != nil || errOut != nil {
		panic(fmt.Sprint(errIn, errOut))
	}
	src := make([]byte, int(in)+misalign)[misalign:]
	randomize(src, rng)
	const margin = 64
	dst := make([]byte, int(out)+misalign+2*margin)
	for i := range dst {
		dst[i] = byte(0xC0 + i%61)
	}
	want := append([]byte(nil), dst...)
	at := margin + misalign
	oracle.Slice(d, want[at:at+int(out)], src)
	return buffers{src, dst, want}
}

// checkKernel runs d with the named kernel and compares all of dst with the oracle's
// result, including the gaps between elements and the margins. Since it is called millions
// of times, it formats an explanation only after a failure.
func checkKernel(t testing.TB, d *slice1.Desc, kernel string, misalign int, b buffers) {
	plan, err := slice1.NewPlan(d, slice1.WithKernel(kernel))
	if err != nil || plan.Kernel() != kernel {
		t.Helper()
		t.Fatalf("%s: no plan of this kernel: %v\n%s", kernel, err, describe(d))
	}
	dst := append([]byte(nil), b.dst...)
	at := 64 + misalign
	err = plan.Run(dst[at:len(dst)-64], b.src)
	tested(t, kernel)
	if err == nil && string(dst) == string(b.want) {
		return
	}
	t.Helper()
	require.NoError(t, err, "%s: %s", kernel, describe(d))
	for i := range dst {
		if dst[i] != b.want[i] {
			t.Fatalf("%s: byte %d of dst is %#x, want %#x\n%s\n%s", kernel, i-at, dst[i], b.want[i], describe(d), plan)
		}
	}
}

// checkAll calls checkKernel for every kernel.
func checkAll(t testing.TB, d *slice1.Desc, misalign int, rng *rand.Rand) {
	b := fill(d, misalign, rng)
	for _, k := range usableKernels() {
		checkKernel(t, d, k, misalign, b)
	}
}

func describe(d *slice1.Desc) string {
	return strings.ReplaceAll(fmt.Sprintf("%+v", *d), " ", " ")
}
