#!/bin/bash
# ONNX Runtime 1.30.0 (onnxruntime-node, CPU): Resize with antialias=1 on int8.
#
# Guess: the weighted means of int8 numbers, rounded: negative numbers stay negative, as in float32.
# Seen:  every negative number becomes 0, with no error. [-3 -2 -2 -2] at half its length is [0 0],
#        and [-60 -50 40 50] is [0 34], not [-44 34]. Without antialias, and as int32 or float32
#        with it, the numbers are right. Quantised tensors of int8 are half negative.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts onnxruntime-node@1.30.0 onnx-proto@8.0.1 || exit 2

cat >resize.mjs <<'JS'
import ort from 'onnxruntime-node'
import proto from 'onnx-proto'
const element = { float32: 1, int8: 3, int32: 6 }
async function half(type, antialias, data) {
  const value = name => ({ name, type: { tensorType: { elemType: element[type] } } })
  const model = proto.onnx.ModelProto.encode({ irVersion: 9, opsetImport: [{ version: 19 }], graph: {
    name: 'half',
    node: [{ opType: 'Resize', input: ['x', '', 'scales'], output: ['y'], attribute: [
      { name: 'mode', type: 3, s: Buffer.from('linear') }, { name: 'antialias', type: 2, i: antialias }] }],
    initializer: [{ name: 'scales', dataType: 1, dims: [4], floatData: [1, 1, 1, 0.5] }],
    input: [value('x')], output: [value('y')] } }).finish()
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 3 })
  const { y } = await session.run({ x: new ort.Tensor(type, data, [1, 1, 1, data.length]) })
  console.log(type, antialias, data.join(' '), '->', Array.from(y.data, v => Math.round(v)).join(' '))
}
const numbers = [-60, -50, 40, 50]
await half('int8', 1, Int8Array.of(-3, -2, -2, -2))
await half('int8', 1, Int8Array.from(numbers))
await half('int8', 0, Int8Array.from(numbers))
await half('int32', 1, Int32Array.from(numbers))
await half('float32', 1, Float32Array.from(numbers))
JS
seen=$(node resize.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
int8 1 -3 -2 -2 -2 -> 0 0
int8 1 -60 -50 40 50 -> 0 34
int8 0 -60 -50 40 50 -> -55 45
int32 1 -60 -50 40 50 -> -44 34
float32 1 -60 -50 40 50 -> -44 34
SEEN
