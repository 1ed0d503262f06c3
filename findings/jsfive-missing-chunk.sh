#!/bin/bash
# jsfive 0.4.2 (npm) on HDF5 files of h5wasm 0.10.3: chunks that were never written.
#
# Guess: the fill value, which HDF5 gives for such a chunk, or at least 0.
# Seen:  undefined, in the middle of an array of numbers, with no error: a dataset that was made
#        longer and then written in part reads as 1 2 undefined undefined 5 6. Put into a typed
#        array that is 0 for integers and NaN for floats. h5wasm itself reads 1 2 0 0 5 6.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund jsfive@0.4.2 h5wasm@0.10.3 || exit 2

cat >chunks.mjs <<'JS'
import h5wasm from 'h5wasm/node'
import * as jsfive from 'jsfive'
import { readFileSync } from 'node:fs'
await h5wasm.ready
const file = new h5wasm.File('chunks.h5', 'w')
const dataset = file.create_dataset({ name: 'x', data: Int32Array.of(1, 2), shape: [2], maxshape: [6], chunks: [2] })
dataset.resize([6])
dataset.write_slice([[4, 6]], Int32Array.of(5, 6))
console.log('h5wasm:', Array.from(file.get('x').value).join(' '))
file.close()
const bytes = readFileSync('chunks.h5')
const numbers = new jsfive.File(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)).get('x').value
console.log('jsfive:', Array.from(numbers, String).join(' '))
console.log('of them in Float32Array:', Float32Array.from(numbers).join(' '))
JS
seen=$(node chunks.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
h5wasm: 1 2 0 0 5 6
jsfive: 1 2 undefined undefined 5 6
of them in Float32Array: 1 2 NaN NaN 5 6
SEEN
