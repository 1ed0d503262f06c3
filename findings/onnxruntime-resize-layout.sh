#!/bin/bash
# ONNX Runtime 1.30.0 (onnxruntime-node, CPU): Resize, linear, of the same bytes as NCHW and as
# NHWC.
#
# Guess: a resize does not look at the order of the axes: the same samples, in another order.
# Seen:  63 of 1104 samples differ, each by 1. Of uint8, scales of 1 on the first and last axis
#        choose other arithmetic than scales of 1 on the first two. Of float32 none differs. So a
#        model whose layout was changed for speed sees other pictures.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts onnxruntime-node@1.30.0 onnx-proto@8.0.1 || exit 2

cat >layout.mjs <<'JS'
import ort from 'onnxruntime-node'
import proto from 'onnx-proto'
async function resize(type, array, shape, scales) {
  const value = name => ({ name, type: { tensorType: { elemType: type === 'uint8' ? 2 : 1 } } })
  const model = proto.onnx.ModelProto.encode({ irVersion: 9, opsetImport: [{ version: 19 }], graph: {
    name: 'resize', input: [value('x')], output: [value('y')],
    node: [{ opType: 'Resize', input: ['x', '', 's'], output: ['y'],
      attribute: [{ name: 'mode', type: 3, s: Buffer.from('linear') }] }],
    initializer: [{ name: 's', dataType: 1, dims: [4], floatData: scales }] } }).finish()
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 3 })
  return (await session.run({ x: new ort.Tensor(type, array, shape) })).y.data
}
const height = 7, width = 5, pixels = height * width
const nhwc = Array.from({ length: pixels * 3 }, (_, i) => (i * i * 37 + i * 91 + 13 * (i >> 2)) & 255)
const nchw = Array.from(nhwc, (_, i) => nhwc[(i % pixels) * 3 + Math.floor(i / pixels)])
for (const [type, Array] of [['uint8', Uint8Array], ['float32', Float32Array]]) {
  const last = await resize(type, Array.from(nhwc), [1, height, width, 3], [1, 3.3, 3.3, 1])
  const first = await resize(type, Array.from(nchw), [1, 3, height, width], [1, 1, 3.3, 3.3])
  const enlarged = last.length / 3, differences = {}
  last.forEach((sample, i) => {
    const difference = Math.abs(sample - first[(i % 3) * enlarged + Math.floor(i / 3)])
    if (difference > 0.01) differences[difference] = (differences[difference] ?? 0) + 1
  })
  console.log(type, last.length, JSON.stringify(differences))
}
JS
seen=$(node layout.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
uint8 1104 {"1":63}
float32 1104 {}
SEEN
