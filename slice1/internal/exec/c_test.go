package exec

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Package program knows without csrc which sets a build has in C.
func TestTheModelKnowsWhatIsBuilt(t *testing.T) {
	for set := range int32(len(program.Sets)) {
		assert.Equal(t, csrc.Built(set), program.InC(set), program.Sets[set].Name)
	}
}

func TestSetsThatAreNotBuiltPanic(t *testing.T) {
	not := 0
	for set := range int32(len(program.Sets)) {
		if program.InC(set) {
			continue
		}
		not++
		p := &program.Program{Set: set}
		assert.Panics(t, func() { (*cProgram)(p).Slice(nil, nil) }, program.Sets[set].Name)
		part := new(program.Part)
		assert.Panics(t, func() { csrc.SliceParts(unsafe.Pointer(p), unsafe.Pointer(part), 1, nil, nil) }, program.Sets[set].Name)
		convert := func(set int32, before, after *program.Program) {
			csrc.Convert(unsafe.Pointer(&program.Conversion{Set: set}), unsafe.Pointer(before), unsafe.Pointer(after), nil, nil, nil, nil)
		}
		assert.Panics(t, func() { convert(set, nil, nil) }, program.Sets[set].Name)
		if plan.Kernel(set).CallsC() {
			assert.Panics(t, func() {
				Colours(plan.Kernel(set), new(program.Colours), make([]uint8, 1), make([]uint8, 1), make([]uint8, 1), make([]uint8, 1))
			}, program.Sets[set].Name)
		}
		for built := range int32(len(program.Sets)) {
			assert.Panics(t, func() { convert(built, p, nil) }, program.Sets[set].Name)
			assert.Panics(t, func() { convert(built, nil, p) }, program.Sets[set].Name)
		}
	}
	assert.Positive(t, not)
}
