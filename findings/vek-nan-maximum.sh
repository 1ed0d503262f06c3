#!/bin/bash
# github.com/viterin/vek v0.4.3 (Go, AVX2 assembly): vek32.Max and ArgMax of numbers with a NaN.
#
# Guess: the assembly answers as the plain Go code that it replaces, which SetAcceleration(false)
#        chooses.
# Seen:  Max is NaN, the maximum, or a number that is neither, and differs between the two. Of 9 7 6
#        NaN 4 and less, the assembly has 7 and Go 9; of NaN 1 2 ... 8 it has 8 and Go NaN. ArgMax
#        of 1 2 3 NaN is 0 and 2. So the same binary answers otherwise on a machine without AVX2,
#        and 7 is wrong whichever way a NaN is meant.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"

cat >go.mod <<'GO'
module maximum
go 1.26
require github.com/viterin/vek v0.4.3
GO
cat >main.go <<'GO'
package main

import (
	"fmt"
	"math"
	"os"

	"github.com/viterin/vek/vek32"
)

func main() {
	if !vek32.Info().Acceleration {
		fmt.Fprintln(os.Stderr, "no AVX2 here")
		os.Exit(2)
	}
	nan := float32(math.NaN())
	for _, numbers := range [][]float32{
		{9, 7, 6, nan, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7},
		{nan, 1, 2, 3, 4, 5, 6, 7, 8},
		{8, 7, 6, 5, 4, 3, 2, 1, nan},
		{1, 2, 3, nan},
	} {
		fmt.Print(numbers, ":")
		for _, accelerated := range []bool{true, false} {
			vek32.SetAcceleration(accelerated)
			fmt.Print(" Max ", vek32.Max(numbers), " at ", vek32.ArgMax(numbers))
		}
		fmt.Println()
	}
}
GO
export GOFLAGS=-mod=mod
go build -o maximum . 2>build.log || { cat build.log >&2 && exit 2; }
seen=$(./maximum) || exit
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
[9 7 6 NaN 4 3 2 1 0 1 2 3 4 5 6 7]: Max 7 at 1 Max 9 at 0
[NaN 1 2 3 4 5 6 7 8]: Max 8 at 0 Max NaN at 0
[8 7 6 5 4 3 2 1 NaN]: Max NaN at 0 Max 8 at 0
[1 2 3 NaN]: Max NaN at 0 Max 3 at 2
SEEN
