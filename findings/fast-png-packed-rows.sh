#!/bin/bash
# fast-png 8.0.0 (npm), decode of PNG with 1, 2 or 4 bits a pixel, beside pngjs 7.0.0.
#
# Guess: data holds a number for each sample, width * height * channels of them, as it does for 8
#        and 16 bits, and as other decoders have it.
# Seen:  data holds the file's packed rows: ten pixels of 1 bit are the two bytes 178 and 64, and
#        three indices of 2 bits are one. Only the field depth says so; nothing fails. Taken for
#        pixels, a mask is a few wrong greys and then undefined. pngjs unpacks.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund fast-png@8.0.0 pngjs@7.0.0 || exit 2

cat >bits.mjs <<'JS'
import zlib from 'node:zlib'
import { decode } from 'fast-png'
import { PNG } from 'pngjs'
const chunk = (type, data) => {
  const body = Buffer.concat([Buffer.from(type), data]), bytes = Buffer.alloc(body.length + 8)
  let crc = ~0
  for (const byte of body) for (let bit = (crc ^= byte, 0); bit < 8; bit++) crc = crc >>> 1 ^ (crc & 1 && 0xedb88320)
  bytes.writeUInt32BE(data.length), body.copy(bytes, 4), bytes.writeUInt32BE(~crc >>> 0, body.length + 4)
  return bytes
}
function show(name, width, depth, colour, row, ...palette) {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width), head.writeUInt32BE(1, 4), head[8] = depth, head[9] = colour
  const file = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), ...palette,
    chunk('IDAT', zlib.deflateSync(Buffer.from([0, ...row]))), chunk('IEND', Buffer.alloc(0))])
  const { data, channels } = decode(file), red = PNG.sync.read(file).data.filter((_, i) => i % 4 === 0)
  console.log(`${name}, ${width} pixels, ${channels} channel: fast-png ${data.join(' ')}; pngjs, red ${red.join(' ')}`)
}
show('1 bit', 10, 1, 0, [0b10110010, 0b01000000])
show('4 bits', 3, 4, 0, [0x7f, 0x30])
show('2 bits, palette', 3, 2, 3, [0b00011000], chunk('PLTE', Buffer.from([10, 0, 0, 20, 0, 0, 30, 0, 0])))
show('8 bits', 3, 8, 0, [1, 2, 3])
JS
seen=$(node bits.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
1 bit, 10 pixels, 1 channel: fast-png 178 64; pngjs, red 255 0 255 255 0 0 255 0 0 255
4 bits, 3 pixels, 1 channel: fast-png 127 48; pngjs, red 119 255 51
2 bits, palette, 3 pixels, 1 channel: fast-png 24; pngjs, red 10 20 30
8 bits, 3 pixels, 1 channel: fast-png 1 2 3; pngjs, red 1 2 3
SEEN
