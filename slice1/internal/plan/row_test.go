package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRowsThatDescend(t *testing.T) {
	for text, want := range map[string]bool{
		"1 8:1:1": false, "1 8:-1:1": true, // one period of eight elements
		"1 100:1:1": false, "1 100:-1:1": true, // a hundred periods of one element
		"1 100:9:3 3:-1:1": false, "1 100:-9:3 3:1:1": true, // a hundred periods of three elements
	} {
		n := parseNest(text)
		var r row
		r.collect(&n, 32)
		assert.Equal(t, want, r.descends(), text)
	}
}
