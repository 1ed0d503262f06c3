#!/bin/bash
# @napi-rs/image 1.15.0 of npm: what fastResize keeps of a picture of another shape (fit Cover, the
# default), beside resize of the same.
#
# Guess: the middle, as resize has it and as other programs have it that cover.
# Seen:  the right end or the bottom: of ten columns to four the last four, of three by twelve
#        pixels to one by two the last six rows. resize keeps the middle. With fit Fill both keep
#        all. So whoever takes the faster of two functions gets another part of the picture.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts @napi-rs/image@1.15.0 pngjs@7.0.0 || exit 2

cat >cover.mjs <<'JS'
import image from '@napi-rs/image'
import pngjs from 'pngjs'
// picture: red is ten times the column, green ten times the row.
function picture(width, height) {
  const png = new pngjs.PNG({ width, height })
  for (let i = 0; i < width * height; i++) png.data.set([10 * (i % width), 10 * Math.floor(i / width), 0, 255], 4 * i)
  return pngjs.PNG.sync.write(png, { colorType: 2 })
}
async function show(name, transformer, width, height) {
  const pixels = await transformer.rawPixels(), channels = pixels.length / (width * height)
  const columns = Array.from({ length: width }, (_, x) => pixels[channels * x])
  const rows = Array.from({ length: height }, (_, y) => pixels[channels * width * y + 1])
  console.log(`  ${name}: columns ${columns.join(' ')}, rows ${rows.join(' ')}`)
}
for (const [from, to] of [[[10, 2], [4, 2]], [[2, 10], [2, 4]], [[3, 12], [1, 2]], [[12, 4], [2, 2]]]) {
  console.log(`${from.join(' by ')} to ${to.join(' by ')}`)
  const [width, height] = to
  for (const [name, fit] of [['Cover', image.ResizeFit.Cover], ['Fill', image.ResizeFit.Fill]]) {
    const transformer = () => new image.Transformer(picture(...from))
    await show(`resize, ${name}`, transformer().resize({ width, height, fit }), width, height)
    await show(`fastResize, ${name}`, transformer().fastResize({ width, height, fit }), width, height)
  }
}
JS
seen=$(node cover.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
10 by 2 to 4 by 2
  resize, Cover: columns 30 40 50 60, rows 0 10
  fastResize, Cover: columns 60 70 80 90, rows 0 10
  resize, Fill: columns 8 32 58 82, rows 0 10
  fastResize, Fill: columns 8 32 58 82, rows 0 10
2 by 10 to 2 by 4
  resize, Cover: columns 0 10, rows 30 40 50 60
  fastResize, Cover: columns 0 10, rows 60 70 80 90
  resize, Fill: columns 0 10, rows 8 32 58 82
  fastResize, Fill: columns 0 10, rows 8 32 58 82
3 by 12 to 1 by 2
  resize, Cover: columns 10, rows 39 71
  fastResize, Cover: columns 10, rows 71 100
  resize, Fill: columns 10, rows 26 84
  fastResize, Fill: columns 10, rows 26 84
12 by 4 to 2 by 2
  resize, Cover: columns 45 65, rows 5 25
  fastResize, Cover: columns 85 105, rows 5 25
  resize, Fill: columns 26 84, rows 5 25
  fastResize, Fill: columns 26 84, rows 5 25
SEEN
