//go:build s1_coverage

package colours

import (
	"os"
	"testing"

	"github.com/seed2e45c115/dml/csrc"
)

func TestMain(m *testing.M) {
	code := m.Run()
	csrc.WriteCounts()
	os.Exit(code)
}
