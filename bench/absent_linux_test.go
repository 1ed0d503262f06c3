package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed2e45c115/dml/slice1"
)

// BenchmarkAbsent measures what it costs if source and destination begin right behind a page that
// may not be accessed, or end right before one. Masks of AVX-512 that hide such a page cost
// hundreds of cycles. Compare with the same slices between pages that are present:
//
//	go -C bench test -run - -bench Absent -benchtime 10ms | tee absent.txt
//	benchstat -col /pages absent.txt
func BenchmarkAbsent(b *testing.B) {
	fits := func(name string, v func(n int) view) work {
		return work{name: name, view: func(width, size int) view { return v(size / width) }}
	}
	ws := []work{
		fits("rows", func(n int) view { return view{shape: []int{4, n / 4}, index: "...", srcStrides: []int{n/2 - 7, 1}} }),
		fits("repeat4", func(n int) view { return view{shape: []int{n / 4, 4}, index: "...", srcStrides: []int{1, 0}} }),
		fits("bgr", func(n int) view { return view{shape: []int{n / 3, 3}, index: "[:, ::-1]"} }),
		fits("rgb", func(n int) view { return view{shape: []int{n / 3, 3}, index: "...", srcStrides: []int{4, 1}} }),
		fits("lines", func(n int) view {
			return view{shape: []int{8, n / 24, 3}, index: "[..., ::-1]", srcStrides: []int{400, 3, 1}}
		}),
		fits("transpose", func(n int) view { return view{shape: []int{n / 16, 16}, index: "...", srcStrides: []int{1, n/16 + 1}} }),
		fits("views", func(n int) view {
			return view{shape: []int{n/130 + 1, 13, 10}, index: "...", srcStrides: []int{130, 1, 13}}
		}),
	}
	for _, k := range []int{2, 3, 7, 64} {
		ws = append(ws, fits(fmt.Sprint("stride", k), func(n int) view { return view{shape: []int{n}, index: "...", srcStrides: []int{k}} }))
		ws = append(ws, fits(fmt.Sprint("outstride", k), func(n int) view { return view{shape: []int{n}, index: "...", dstStrides: []int{k}} }))
	}
	for _, k := range []int{1, 2, 3} {
		ws = append(ws, fits(fmt.Sprint("stride-", k), func(n int) view {
			return view{shape: []int{(n-1)*k + 1}, index: fmt.Sprintf("[::%d]", -k)}
		}))
	}
	for _, w := range ws {
		for _, width := range []int{1, 2, 4} {
			d, err := w.desc(width, 1<<10)
			require.NoError(b, err)
			p, err := slice1.NewPlan(d)
			require.NoError(b, err)
			for _, c := range p.Candidates() {
				name := c.Name
				p, err := slice1.NewPlan(d, slice1.WithCandidate(name), slice1.WithParallelism(1))
				require.NoError(b, err)
				for _, edge := range []string{"begin", "end"} {
					for _, pages := range []string{"present", "absent"} {
						b.Run(fmt.Sprintf("work=%s/width=%d/way=%s/edge=%s/pages=%s", w.name, width, strings.ReplaceAll(name, " ", "-"), edge, pages), func(b *testing.B) {
							beside(b, p, edge == "end", pages == "absent")
						})
					}
				}
			}
		}
	}
}

// beside runs p from and to buffers that end where a page does if `end` is true, else begin there.
func beside(b *testing.B, p *slice1.Plan, end, absent bool) {
	src, dst := pages(b, int(p.SrcSize()), end, absent), pages(b, int(p.DstSize()), end, absent)
	fill(src)
	clearTo(dst, gap)
	b.SetBytes(p.DstSize())
	for b.Loop() {
		if err := p.Run(dst, src); err != nil {
			b.Fatal(err)
		}
	}
}

// pages returns n bytes that begin with a page, or end with one. The pages around them are absent
// or, like their own, present.
func pages(b *testing.B, n int, end, absent bool) []byte {
	page := os.Getpagesize()
	own := (n + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, own+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, unix.Munmap(m)) })
	clearTo(m, gap)
	if absent {
		require.NoError(b, unix.Mprotect(m[:page], unix.PROT_NONE))
		require.NoError(b, unix.Mprotect(m[page+own:], unix.PROT_NONE))
	}
	if end {
		return m[page+own-n:][:n]
	}
	return m[page:][:n]
}
