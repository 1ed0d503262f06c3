#!/bin/bash
# wavefile 11.0.0 of npm: toBitDepth of samples of 16 bits, and back.
#
# Guess: 24 and 32 bits and float32 hold each of the 65536 numbers, so that they come back, and to 8
#        bits they are rounded.
# Seen:  through 24 or 32 bits every positive number but the largest comes back 1 lower, negative
#        ones as they were; through float32 a fourth of all does. To 8 bits all from -255 to 258 are
#        128, two steps wide, and 255 is of 32767 alone. So each passage lowers the positive half of
#        a wave by a step.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts wavefile@11.0.0 || exit 2

cat >depth.mjs <<'JS'
import wavefile from 'wavefile'
const numbers = Array.from({ length: 65536 }, (_, i) => i - 32768)
const file = () => { const file = new wavefile.WaveFile(); file.fromScratch(1, 8000, '16', numbers); return file }
const samples = file => file.getSamples(false, Float64Array)
for (const depth of ['24', '32', '32f', '64']) {
  const wave = file()
  wave.toBitDepth(depth)
  wave.toBitDepth('16')
  const back = samples(wave), lower = numbers.filter((x, i) => back[i] < x), higher = numbers.filter((x, i) => back[i] > x)
  const show = [1, 100, 1000, 32766, -1, -100].map(x => x + ' is ' + back[x + 32768]).join(', ')
  console.log(`through ${depth}: lower ${lower.length}, of them positive ${lower.filter(x => x > 0).length}, higher ${higher.length}: ${show}`)
}
const wave = file()
wave.toBitDepth('8')
const small = samples(wave), count = new Map()
for (const x of small) count.set(x, (count.get(x) ?? 0) + 1)
const range = byte => [small.indexOf(byte) - 32768, small.lastIndexOf(byte) - 32768].join(' to ')
console.log(`to 8: ${[0, 126, 127, 128, 129, 254, 255].map(b => `${b} of ${range(b)}`).join(', ')}`)
JS
seen=$(node depth.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
through 24: lower 32766, of them positive 32766, higher 0: 1 is 0, 100 is 99, 1000 is 999, 32766 is 32765, -1 is -1, -100 is -100
through 32: lower 32766, of them positive 32766, higher 0: 1 is 0, 100 is 99, 1000 is 999, 32766 is 32765, -1 is -1, -100 is -100
through 32f: lower 16639, of them positive 16639, higher 0: 1 is 0, 100 is 99, 1000 is 999, 32766 is 32766, -1 is -1, -100 is -100
through 64: lower 0, of them positive 0, higher 0: 1 is 1, 100 is 100, 1000 is 1000, 32766 is 32766, -1 is -1, -100 is -100
to 8: 0 of -32768 to -32768, 126 of -767 to -512, 127 of -511 to -256, 128 of -255 to 258, 129 of 259 to 516, 254 of 32509 to 32766, 255 of 32767 to 32767
SEEN
