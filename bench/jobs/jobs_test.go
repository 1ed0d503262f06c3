package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The two programs of each job agree, and their texts are found.
func TestJobsAreRight(t *testing.T) {
	assert.Len(t, jobs, 10)
	for _, j := range jobs {
		before, after, difference := j.make()
		before()
		after()
		assert.LessOrEqual(t, difference(), j.tolerance, j.title)
		assert.Positive(t, lines(j.name+"Before"), j.title)
		assert.Positive(t, lines(j.name+"After"), j.title)
	}
}
