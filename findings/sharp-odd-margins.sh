#!/bin/bash
# sharp 0.35.5 (npm, libvips within), resize with fit "cover" and "contain", nothing to resample.
#
# Guess: both put the odd pixel on the same side, with the centre rounded down: of 3 columns, cover
#        keeps 0 and 1 of them as 2.
# Seen:  cover rounds up: of 3 columns it keeps 1 and 2, of 5 columns 2 and 3. contain rounds down:
#        of 2 columns in 3, the margin is on the right. So contain does not put pixels back where
#        cover took them.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund sharp@0.35.5 || exit 2

cat >margins.cjs <<'JS'
const sharp = require('sharp')
const columns = (width, height) => sharp(Buffer.from(Uint8Array.from({ length: width * height }, (_, i) => 1 + i % width)),
  { raw: { width, height, channels: 1 } })
const first = async (width, side, fit) => {
  const { data, info } = await columns(width, side)
    .resize({ width: side, height: side, fit, background: '#000' }).raw().toBuffer({ resolveWithObject: true })
  return Array.from({ length: side }, (_, x) => data[x * info.channels]).join(' ')
}
;(async () => {
  for (const [width, side] of [[3, 2], [5, 2], [7, 2], [4, 2]]) console.log('cover', width, 'to', side + ':', await first(width, side, 'cover'))
  for (const [width, side] of [[2, 3], [2, 5], [2, 4]]) console.log('contain', width, 'in', side + ':', await first(width, side, 'contain'))
})()
JS
diff - <(node margins.cjs) <<'SEEN' && echo "as seen"
cover 3 to 2: 2 3
cover 5 to 2: 3 4
cover 7 to 2: 4 5
cover 4 to 2: 2 3
contain 2 in 3: 1 2 0
contain 2 in 5: 0 1 2 0 0
contain 2 in 4: 0 1 2 0
SEEN
