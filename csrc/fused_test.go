//go:build cgo && !purego && (amd64 || arm64) && !windows

package csrc

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A fused product and sum is rounded once, and gives other bits than one that is rounded twice.
func TestNothingIsFused(t *testing.T) {
	if !*disassemble {
		t.Skip("without -disassemble")
	}
	fused := regexp.MustCompile(`\s(vfn?m(add|sub)|fn?m(add|sub|la|ls)\b)`)
	for _, set := range sets(t) {
		text := disassembly(t, set)
		require.Greater(t, strings.Count(text, "mul"), 30)
		require.Greater(t, strings.Count(text, "add"), 30)
		require.Empty(t, fused.FindAllString(text, -1))
	}
}
