#!/bin/bash
# github.com/nfnt/resize v0.0.0-20180221191011-83c6a9932646 (Go), NearestNeighbor.
#
# Guess: it picks one pixel for each new one, as nearest does everywhere else: 10 columns made 4 are
#        columns 1, 3, 6 and 8, those of imaging and bild.
# Seen:  made smaller, it takes the mean of all pixels within half a new pixel: columns 0, 20, 40
#        ... 180 made 5 are 10, 50, 90, 130, 170. Labels 1 1 5 5 made 1 are 3, which the picture
#        does not hold. Made larger, it picks. So masks and label maps need another package.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"

cat >go.mod <<'GO'
module nearest
go 1.26
require (
	github.com/anthonynsimon/bild v0.14.0
	github.com/disintegration/imaging v1.6.2
	github.com/nfnt/resize v0.0.0-20180221191011-83c6a9932646
)
GO
cat >main.go <<'GO'
package main

import (
	"fmt"
	"image"
	"image/color"

	"github.com/anthonynsimon/bild/transform"
	"github.com/disintegration/imaging"
	"github.com/nfnt/resize"
)

func show(name string, width int, picture image.Image) {
	fmt.Printf("%s to %d:", name, width)
	for x := range width {
		fmt.Print(" ", color.GrayModel.Convert(picture.At(x, 0)).(color.Gray).Y)
	}
	fmt.Println()
}

func main() {
	ten := image.NewGray(image.Rect(0, 0, 10, 1))
	for x := range ten.Pix {
		ten.Pix[x] = uint8(20 * x)
	}
	for _, width := range []int{4, 5, 20} {
		show("nfnt", width, resize.Resize(uint(width), 1, ten, resize.NearestNeighbor))
		show("imaging", width, imaging.Resize(ten, width, 1, imaging.NearestNeighbor))
		show("bild", width, transform.Resize(ten, width, 1, transform.NearestNeighbor))
	}
	labels := &image.Gray{Pix: []byte{1, 1, 5, 5}, Stride: 4, Rect: image.Rect(0, 0, 4, 1)}
	show("nfnt, labels", 1, resize.Resize(1, 1, labels, resize.NearestNeighbor))
}
GO
export GOFLAGS=-mod=mod
go build -o nearest . 2>build.log || { cat build.log >&2 && exit 2; }
seen=$(./nearest)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
nfnt to 4: 20 70 120 170
imaging to 4: 20 60 120 160
bild to 4: 20 60 120 160
nfnt to 5: 10 50 90 130 170
imaging to 5: 20 60 100 140 180
bild to 5: 20 60 100 140 180
nfnt to 20: 0 0 20 20 40 40 60 60 80 80 100 100 120 120 140 140 160 160 180 180
imaging to 20: 0 0 20 20 40 40 60 60 80 80 100 100 120 120 140 140 160 160 180 180
bild to 20: 0 0 20 20 40 40 60 60 80 80 100 100 120 120 140 140 160 160 180 180
nfnt, labels to 1: 3
SEEN
