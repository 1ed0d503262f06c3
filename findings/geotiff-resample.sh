#!/bin/bash
# geotiff 3.0.5 (npm): readRasters to another size.
#
# Guess: centres of pixels meet, as in Pillow and OpenCV: enlarging by two repeats each number
#        twice, and to half its size bilinear takes means of two.
# Seen:  place i of n is read at i times the step, so "nearest", which rounds, makes of four numbers
#        to eight one, two, two and three copies. To two it takes the first and the third, and
#        bilinear does too. Bilinear to eight begins with the first number and its mean with the
#        second, and cuts fractions off. So a raster lies up to half a pixel from where other
#        readers have it.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund geotiff@3.0.5 || exit 2

cat >resample.mjs <<'JS'
import { fromArrayBuffer, writeArrayBuffer } from 'geotiff'
const numbers = [0, 10, 201, 240]
const file = writeArrayBuffer(Uint8Array.from(numbers), { width: 4, height: 1 })
const image = await (await fromArrayBuffer(file)).getImage()
console.log('file:', Array.from((await image.readRasters())[0]).join(' '))
for (const [resampleMethod, width] of [['nearest', 8], ['nearest', 2], ['bilinear', 8], ['bilinear', 2]])
  console.log(resampleMethod, width + ':',
    Array.from((await image.readRasters({ width, height: 1, resampleMethod }))[0]).join(' '))
JS
seen=$(node resample.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
file: 0 10 201 240
nearest 8: 0 10 10 201 201 240 240 240
nearest 2: 0 201
bilinear 8: 0 5 10 105 201 220 240 240
bilinear 2: 0 201
SEEN
