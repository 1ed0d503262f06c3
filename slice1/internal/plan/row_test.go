package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRowsThatDescend(t *testing.T) {
	for text, want := range map[string]bool{
		"1 8:1:1": false, "1 8:-1:1": true, // one period
		"1 100:1:1": false, "1 100:-1:1": true, // of many, the first is an element
		"1 100:9:3 3:-1:1": false, "1 100:-9:3 3:1:1": true,
	} {
		n := parseNest(text)
		var r row
		r.collect(&n, 32)
		assert.Equal(t, want, r.descends(), text)
	}
}
