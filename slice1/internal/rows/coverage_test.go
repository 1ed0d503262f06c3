//go:build s1_coverage

package rows

import (
	"testing"

	"github.com/seed2e45c115/dml/csrc"
)

func TestMain(m *testing.M) { csrc.CountBranches(m) }
