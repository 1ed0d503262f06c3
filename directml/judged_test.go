package directml

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
)

// The rules for recorded lists find every fault.
func TestStatesOfListsAreJudged(t *testing.T) {
	const buffer, other = 1, 2
	for name, c := range map[string]struct {
		wrong int
		f     func(l *list)
	}{
		"promotion": {0, func(l *list) {
			l.use(buffer, d3d.HeapDefault, d3d.StateCopyDest)
			l.use(buffer, d3d.HeapDefault, d3d.StateCopyDest)
		}},
		"no barrier": {1, func(l *list) {
			l.use(buffer, d3d.HeapDefault, d3d.StateCopyDest)
			l.use(buffer, d3d.HeapDefault, d3d.StateUnorderedAccess)
		}},
		"barrier": {0, func(l *list) {
			l.use(buffer, d3d.HeapDefault, d3d.StateCopyDest)
			l.transition(buffer, d3d.HeapDefault, d3d.StateCopyDest, d3d.StateCopySource)
			l.use(buffer, d3d.HeapDefault, d3d.StateCopySource)
		}},
		"another's barrier": {2, func(l *list) {
			l.use(buffer, d3d.HeapDefault, d3d.StateCopyDest)
			l.transition(other, d3d.HeapDefault, d3d.StateCopyDest, d3d.StateCopySource)
			l.use(buffer, d3d.HeapDefault, d3d.StateCopySource)
		}},
		"wrong barrier": {1, func(l *list) {
			l.use(buffer, d3d.HeapDefault, d3d.StateCopyDest)
			l.transition(buffer, d3d.HeapDefault, d3d.StateUnorderedAccess, d3d.StateCopySource)
		}},
		"idle barrier": {1, func(l *list) { l.transition(buffer, d3d.HeapDefault, d3d.StateCommon, d3d.StateCommon) }},
		"staging": {0, func(l *list) {
			l.use(buffer, d3d.HeapUpload, d3d.StateCopySource)
			l.use(other, d3d.HeapReadback, d3d.StateCopyDest)
		}},
		"staging swapped": {2, func(l *list) {
			l.use(buffer, d3d.HeapUpload, d3d.StateCopyDest)
			l.use(other, d3d.HeapReadback, d3d.StateCopySource)
		}},
		"staging bound":  {1, func(l *list) { l.use(buffer, d3d.HeapUpload, d3d.StateUnorderedAccess) }},
		"unknown buffer": {1, func(l *list) { l.use(buffer, 0, d3d.StateCopySource) }},
	} {
		l := &list{states: map[uintptr]uint32{}}
		c.f(l)
		assert.Len(t, l.faults, c.wrong, "%s: %v", name, l.faults)
	}
}

func TestViewsAreJudged(t *testing.T) {
	const bytes = 1 << 30
	good := view{format: formatR8, dimension: 1, elements: 1 << 27}
	assert.Empty(t, good.fault(bytes))
	assert.Empty(t, (&view{format: formatR16, dimension: 1, first: 1 << 27, elements: 1 << 27}).fault(bytes))
	assert.Empty(t, (&view{dimension: 1, elements: 1 << 27, stride: 8}).fault(bytes))
	for name, spoil := range map[string]func(v *view){
		"too many":     func(v *view) { v.elements++ },
		"none":         func(v *view) { v.elements = 0 },
		"past the end": func(v *view) { v.first = bytes - 1 },
		"raw":          func(v *view) { v.format, v.flags = 39, 1 },
		"flags":        func(v *view) { v.flags = 1 },
		"a structure":  func(v *view) { v.stride = 4 },
		"half of one":  func(v *view) { v.format, v.stride = formatNone, 2 },
		"a texture":    func(v *view) { v.dimension = 4 },
	} {
		v := good
		spoil(&v)
		assert.NotEmpty(t, v.fault(bytes), name)
	}
}
