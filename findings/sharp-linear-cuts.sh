#!/bin/bash
# sharp 0.35.5 (npm, libvips within), linear(a, b) on bytes.
#
# Guess: a * x + b is rounded to the nearest byte: 1.5 times 1, 2, 3 is 2, 3, 5 (or 4 with halves to
#        even).
# Seen:  it is cut off: 1, 3, 4. So linear(1, .9) changes nothing, linear(1, -.1) makes all one less,
#        and + .5 is needed to round. Beyond 0 and 255 it saturates.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund sharp@0.35.5 || exit 2

cat >linear.cjs <<'JS'
const sharp = require('sharp')
const bytes = async (a, b, ...x) => console.log(`${a} * x + ${b}:`, [...await sharp(Buffer.from(x), { raw: { width: 1, height: 1, channels: 3 } })
  .linear(a, b).raw().toBuffer()].join(' '))
;(async () => {
  await bytes(1.5, 0, 1, 2, 3)
  await bytes(1, 0.9, 1, 2, 3)
  await bytes(1, -0.1, 1, 2, 3)
  await bytes(2, -10, 3, 100, 200)
})()
JS
diff - <(node linear.cjs) <<'SEEN' && echo "as seen"
1.5 * x + 0: 1 3 4
1 * x + 0.9: 1 2 3
1 * x + -0.1: 0 1 2
2 * x + -10: 0 190 255
SEEN
