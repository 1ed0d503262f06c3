package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/seed2e45c115/dml/slice1"
)

// mosaic is a slice that is cut into tiles of equal extents, but for the last ones of an axis, which
// may be smaller.
type mosaic struct {
	*slice
	steps []int // extents of a tile, along the first axes of the result
	count []int // tiles along each of these axes
}

// parseTiles parses the extents of -tiles, each of which is at least 1.
func parseTiles(text string) (steps []int, err error) {
	for _, word := range shapeWords(text) {
		n, err := number(text, text[word.start:word.end], word.start, 1)
		if err != nil {
			return nil, err
		}
		steps = append(steps, n)
	}
	return steps, nil
}

// newMosaic cuts a slice as -tiles says. It is an error if the slice has output strides, if it is
// empty, or if it has fewer axes than -tiles has extents.
func (j *job) newMosaic(s *slice) (*mosaic, error) {
	steps, err := parseTiles(j.tiles)
	switch {
	case err != nil:
		return nil, err
	case s.strided():
		return nil, usagef("%s: -tiles takes slices without output strides", j.desc)
	case s.empty || len(steps) > len(s.shape):
		return nil, fmt.Errorf("%v of %s has no tiles of %v", brackets(s.shape), s.in.typeName(), brackets(steps))
	}
	m := &mosaic{slice: s, steps: steps}
	for axis, n := range steps {
		m.count = append(m.count, (s.shape[axis]-1)/n+1)
	}
	return m, nil
}

// tile returns the tile at a position: the number of the tile along each axis that is cut, from 0 on.
// Its input is lent by m's.
func (m *mosaic) tile(at []int) (*slice, error) {
	out := &m.desc.Output
	offsets, sizes := make([]int, len(out.Sizes)), slices.Clone(out.Sizes)
	t := &slice{in: m.in.lend(), shape: slices.Clone(m.shape)}
	// The axes of the result with extents above 1 are in the descriptor, too, in the same order.
	axis := 0
	for i, step := range m.steps {
		if m.shape[i] == 1 {
			continue
		}
		for out.Sizes[axis] == 1 {
			axis++
		}
		offsets[axis] = at[i] * step
		sizes[axis] = min(step, m.shape[i]-offsets[axis])
		t.shape[i] = sizes[axis]
		axis++
	}
	w, err := slice1.Crop(out.Sizes, offsets, sizes)
	if err != nil {
		return nil, err
	}
	t.desc, err = slice1.Compose(m.desc, w.Of(slice1.TensorDesc{DataType: out.DataType, Sizes: out.Sizes}))
	return t, err
}

// lend returns a copy of a whose close does nothing, so that the file stays open until a is closed.
func (a *array) lend() *array {
	lent, src := *a, *a.source
	src.lent = true
	lent.source = &src
	return &lent
}

// suffix returns a position as text, such as -3-07. The numbers of one axis have equally many digits
// in the suffixes of all tiles.
func (m *mosaic) suffix(at []int) string {
	name := ""
	for axis, i := range at {
		name += fmt.Sprintf("-%0*d", len(fmt.Sprint(m.count[axis]-1)), i)
	}
	return name
}

// copyTiles does the job of -tiles for one input. After a tile fails, it begins no other and returns
// an error; tiles that are written stay.
func (j *job) copyTiles() error {
	s, err := j.load()
	if err != nil {
		return err
	}
	defer s.in.close()
	m, err := j.newMosaic(s)
	if err != nil {
		return err
	}
	tiles, workers := int64(1), j.goroutines()
	for _, n := range m.count {
		tiles *= int64(n)
	}
	if j.gpu {
		workers = 1
	}
	if j.bar == nil {
		j.bar = j.newMeter(s.size())
		defer func() { j.bar.done() }()
	}
	var next atomic.Int64
	var saying sync.Mutex
	var wg sync.WaitGroup
	failed := make([]error, workers)
	for w := range failed {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < tiles; i = next.Add(1) - 1 {
				if failed[w] = j.copyTile(m, i, &saying); failed[w] != nil {
					next.Store(tiles)
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(failed...)
}

// copyTile writes tile i, counted in row-major order, under the name of the output with the tile's
// position. What the tile has to say goes to standard error in one piece, under the lock saying.
func (j *job) copyTile(m *mosaic, i int64, saying *sync.Mutex) error {
	at := position(i, m.count)
	tile, err := m.tile(at)
	if err != nil {
		return err
	}
	ext := filepath.Ext(j.out)
	one, said := *j, bytes.Buffer{}
	one.out = strings.TrimSuffix(j.out, ext) + m.suffix(at) + ext
	one.stderr, one.workers = &said, 1
	one.bar = nil
	err = one.copyOf(func() (*slice, error) { return tile, nil })
	j.bar.add(tile.size())
	saying.Lock()
	defer saying.Unlock()
	_, _ = j.stderr.Write(said.Bytes())
	return err
}
