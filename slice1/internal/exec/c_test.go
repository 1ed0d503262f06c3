package exec

import (
	"testing"

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
		assert.Panics(t, func() { sliceParts([]program.Program{*p}, make([]program.Part, 1), nil, nil) }, program.Sets[set].Name)
		assert.Panics(t, func() { convertInC(set, nil, new(program.Conversion), nil, nil, nil, nil, nil, nil) }, program.Sets[set].Name)
		if plan.Kernel(set).InC() {
			assert.Panics(t, func() {
				Colours(plan.Kernel(set), new(program.Colours), make([]uint8, 1), make([]uint8, 1), make([]uint8, 1), make([]uint8, 1))
			}, program.Sets[set].Name)
		}
		for built := range int32(len(program.Sets)) {
			assert.Panics(t, func() { convertInC(built, p, new(program.Conversion), nil, nil, nil, nil, nil, nil) }, program.Sets[set].Name)
			assert.Panics(t, func() { convertInC(built, nil, new(program.Conversion), p, nil, nil, nil, nil, nil) }, program.Sets[set].Name)
		}
	}
	assert.Positive(t, not)
}
