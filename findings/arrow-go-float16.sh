#!/bin/bash
# arrow-go v18.8.0: float16.New, which makes a float16 of a float32.
#
# Guess: rounds to the nearest, halves to even, as IEEE 754, F16C and NumPy do, and keeps subnormal
#        numbers.
# Seen:  cuts off, and makes every subnormal number 0. 2051 is 2050 (nearest: 2052), 65520 is 65504
#        (infinity), 1.0015 is 1.0009766 (1.0019531), 6e-5 is 0 (6.0022e-5). On average numbers
#        become smaller, so sums of many are too small.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"

cat >go.mod <<'GO'
module halves
go 1.26
require github.com/apache/arrow-go/v18 v18.8.0
GO
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/float16"
)

func main() {
	for _, x := range []float32{2051, 65520, 1.0015, -1.0015, 6e-5, 6.2e-5, 70000} {
		half := float16.New(x)
		fmt.Printf("%g %g %#04x\n", x, half.Float32(), half.Uint16())
	}
}
GO
export GOFLAGS=-mod=mod
go build -o halves . 2>build.log || { cat build.log >&2 && exit 2; }
seen=$(./halves)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
2051 2050 0x6801
65520 65504 0x7bff
1.0015 1.0009766 0x3c01
-1.0015 -1.0009766 0xbc01
6e-05 0 0x0000
6.2e-05 6.198883e-05 0x0410
70000 +Inf 0x7c00
SEEN
