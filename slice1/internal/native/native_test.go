package native

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/csrc"
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
		assert.Panics(t, func() { Slice(p, nil, nil) }, program.Sets[set].Name)
		assert.Panics(t, func() { SliceParts([]program.Program{*p}, make([]program.Part, 1), nil, nil) }, program.Sets[set].Name)
		assert.Panics(t, func() { Convert(set, nil, new(program.Conversion), nil, nil, nil, nil, nil, nil) }, program.Sets[set].Name)
		assert.Panics(t, func() { Colours(set, new(program.Colours), nil, nil, nil, nil) }, program.Sets[set].Name)
		for built := range int32(len(program.Sets)) {
			assert.Panics(t, func() { Convert(built, p, new(program.Conversion), nil, nil, nil, nil, nil, nil) }, program.Sets[set].Name)
			assert.Panics(t, func() { Convert(built, nil, new(program.Conversion), p, nil, nil, nil, nil, nil) }, program.Sets[set].Name)
		}
	}
	assert.Positive(t, not)
}
