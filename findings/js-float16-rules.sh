#!/bin/bash
# float16 from float32 by three renderers of npm: three 0.187.0 (DataUtils.toHalfFloat),
# @babylonjs/core 9.31.0 (ToHalfFloat) and playcanvas 2.23.3 (FloatPacking.float2Half).
#
# Guess: all round to the nearest, halves to even, and make infinity of 65520 and more, as the
#        hardware that reads the numbers does.
# Seen:  none does, and no two agree. three cuts off, and 65504 is its largest: infinity becomes
#        65504. Babylon cuts off and has infinity from 65536 on. PlayCanvas rounds halves away from
#        zero: 2049 is 2050. So a table of float16 depends on the library that made it, and what is
#        cut off is too small on average.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts three@0.187.0 @babylonjs/core@9.31.0 playcanvas@2.23.3 || exit 2

cat >half.mjs <<'JS'
import { DataUtils } from 'three'
import { ToHalfFloat } from '@babylonjs/core/Misc/textureTools.js'
import { FloatPacking } from 'playcanvas'
console.warn = () => {} // three says that 65520 is out of range
const number = bits => {
  const sign = bits & 0x8000 ? -1 : 1, exponent = bits >> 10 & 31, rest = bits & 1023
  if (exponent === 31) return rest ? NaN : sign * Infinity
  return exponent ? sign * 2 ** (exponent - 15) * (1 + rest / 1024) : sign * rest * 2 ** -24
}
for (const x of [2049, 2051, -2049, 1.0015, 65519, 65520, 65536, Infinity, NaN, 6e-5, 6e-8]) {
  const half = [DataUtils.toHalfFloat(x), ToHalfFloat(x), FloatPacking.float2Half(x)]
  console.log(`${x}: three ${number(half[0])}, Babylon ${number(half[1])}, PlayCanvas ${number(half[2])}`)
}
JS
seen=$(node half.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
2049: three 2048, Babylon 2048, PlayCanvas 2050
2051: three 2050, Babylon 2050, PlayCanvas 2052
-2049: three -2048, Babylon -2048, PlayCanvas -2050
1.0015: three 1.0009765625, Babylon 1.0009765625, PlayCanvas 1.001953125
65519: three 65504, Babylon 65504, PlayCanvas 65504
65520: three 65504, Babylon 65504, PlayCanvas Infinity
65536: three 65504, Babylon Infinity, PlayCanvas Infinity
Infinity: three 65504, Babylon Infinity, PlayCanvas Infinity
NaN: three NaN, Babylon NaN, PlayCanvas NaN
0.00006: three 0.00005996227264404297, Babylon 0.00005996227264404297, PlayCanvas 0.00006002187728881836
6e-8: three 5.960464477539063e-8, Babylon 5.960464477539063e-8, PlayCanvas 5.960464477539063e-8
SEEN
