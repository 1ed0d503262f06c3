//go:build amd64 || arm64

package directml

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/slice1"
)

// BenchmarkDispatch times chains of dispatches, each of which reverses the 4 KiB of the one
// before: b.N dispatches by one goroutine, and as many by four together.
//
//	go test -run '^$' -bench Dispatch -benchtime 10000x ./directml
func BenchmarkDispatch(b *testing.B) {
	const size = 4 << 10
	for _, goroutines := range []int{1, 4} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			d, err := Open(WithSoftware(), WithDLL(os.Getenv("DIRECTML_DLL")))
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			p, err := d.NewPlan(samples.Flipped(slice1.Uint8, size))
			require.NoError(b, err)
			src := make([]byte, size)
			for i := range src {
				src[i] = byte(i % 251)
			}
			want := onCPU(b, samples.Flipped(slice1.Uint8, size), make([]byte, size), src)
			pairs := make([][2]*Buffer, goroutines)
			for g := range pairs {
				for i := range pairs[g] {
					pairs[g][i], err = d.NewBuffer(size)
					require.NoError(b, err)
				}
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
