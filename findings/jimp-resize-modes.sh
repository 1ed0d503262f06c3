#!/bin/bash
# jimp 1.6.1 (npm), resize of a row of ten pixels 0, 20, ... 180.
#
# Guess: without a mode it is bilinear between two neighbours, as the name of its first mode says,
#        and the named modes are centred: ten columns made 4 by bilinear are 15, 65, 115, 165.
# Seen:  without a mode it is centred: 16, 64, 116, 164, near the mean of the pixels that a new one
#        covers. The named modes begin at the left edge: bilinear makes 0, 50, 100, 150, which is
#        moved by three quarters of a pixel of the source, and bicubic, hermite and bezier make 12,
#        57, 101 or 102, 144 to 147. Twice as wide, their last pixel is 170 or 171 of 180.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund jimp@1.6.1 || exit 2

cat >modes.cjs <<'JS'
const { Jimp, ResizeStrategy } = require('jimp')
const ramp = () => {
  const data = Buffer.alloc(400, 255)
  for (let i = 0; i < 100; i++) data.fill(i % 10 * 20, 4 * i, 4 * i + 3)
  return Jimp.fromBitmap({ data, width: 10, height: 10 })
}
for (const mode of [undefined, ...Object.values(ResizeStrategy)]) {
  for (const w of [4, 20]) {
    const { data } = ramp().resize({ w, h: w, ...(mode && { mode }) }).bitmap
    console.log(mode, w + ':', Array.from({ length: w }, (_, x) => data[4 * x]).join(' '))
  }
}
JS
diff - <(node modes.cjs) <<'SEEN' && echo "as seen"
undefined 4: 16 64 116 164
undefined 20: 0 3 13 23 33 43 53 63 73 83 93 103 113 123 133 143 153 163 173 180
nearestNeighbor 4: 0 40 100 140
nearestNeighbor 20: 0 0 20 20 40 40 60 60 80 80 100 100 120 120 140 140 160 160 180 180
bilinearInterpolation 4: 0 50 100 150
bilinearInterpolation 20: 0 10 20 30 40 50 60 70 80 90 100 110 120 130 140 150 160 170 180 180
bicubicInterpolation 4: 12 57 101 144
bicubicInterpolation 20: 0 9 16 28 34 46 52 64 71 81 90 98 108 115 127 133 145 151 163 170
hermiteInterpolation 4: 12 57 102 147
hermiteInterpolation 20: 0 9 18 27 36 45 54 63 72 81 90 99 108 117 126 135 144 153 162 171
bezierInterpolation 4: 12 57 101 146
bezierInterpolation 20: 0 9 17 28 35 46 53 64 72 81 90 99 108 116 127 134 145 152 163 171
SEEN
