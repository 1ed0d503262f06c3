#!/bin/bash
# clang 14.0.6 of Debian 12 and a Go program that calls a shared library by cgo, on x86-64.
#
# Guess: -ffast-math is for the code that is compiled with it, and what switches denormal numbers
#        off for a whole process (crtfastmath.o) goes only into programs that clang links.
# Seen:  it is in shared libraries as well. Once such a library is linked, before any of its
#        functions is called, denormal float32 numbers of Go are 0 in all threads of Go, also where
#        Go's own code multiplies by 1. A plain build of the same source leaves them.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install clang-14=1:14.0.6-12 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree

mkdir program && cat >half.c <<'C'
float half(float x) { return x * 0.5f; }
C
cat >program/go.mod <<'GO'
module program
go 1.26
GO
cat >program/main.go <<'GO'
package main

/*
#cgo LDFLAGS: -L${SRCDIR} -lhalf
float half(float);
*/
import "C"
import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

//go:noinline
func product(x, y float32) float32 { return x * y }

func main() {
	denormal := math.Float32frombits(1000)
	var zeros atomic.Int32
	var threads sync.WaitGroup
	for range 8 {
		threads.Go(func() {
			runtime.LockOSThread() // a thread of its own, for it is never unlocked
			if product(denormal, 1) == 0 {
				zeros.Add(1)
			}
		})
	}
	threads.Wait()
	fmt.Println(product(denormal, 1), "and 0 in", zeros.Load(), "of 8 threads")
	C.half(1)
}
GO
clang() {
	LD_LIBRARY_PATH=$work/tree/usr/lib/llvm-14/lib:$work/tree/usr/lib/x86_64-linux-gnu PATH=$work/tree/usr/bin:$PATH \
		tree/usr/bin/clang-14 --sysroot="$work/tree" --gcc-toolchain="$work/tree/usr" -fPIC -shared -o program/libhalf.so "$@" half.c
}
seen=$(for flags in -O2 '-O2 -ffast-math' -Ofast; do
	clang $flags && (cd program && CGO_ENABLED=1 go build -o program . && echo "$flags: $(LD_LIBRARY_PATH=. ./program)")
done)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
-O2: 1.401e-42 and 0 in 0 of 8 threads
-O2 -ffast-math: 0 and 0 in 8 of 8 threads
-Ofast: 0 and 0 in 8 of 8 threads
SEEN
