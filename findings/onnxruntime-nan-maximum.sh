#!/bin/bash
# ONNX Runtime 1.30.0 (onnxruntime-node, CPU): NaN in maxima.
#
# Guess: an operator either hands a NaN on, as NumPy and torch do, or skips it and takes the maximum
#        of the rest.
# Seen:  it depends on the operator and on the place. Max hands NaN on. ReduceMax of [NaN 1 2 3] is
#        NaN, of [1 2 3 NaN] is 3, and of [1 NaN 2 3] is 2, which is neither. ArgMax of [1 NaN 3]
#        alone is 1, the NaN's place, and as a row of two is 2. TopK of 1 takes a NaN that comes
#        first; TopK of all puts it last. So a look at a model's largest output neither finds a NaN
#        nor is right beside one.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts onnxruntime-node@1.30.0 onnx-proto@8.0.1 || exit 2

cat >nan.mjs <<'JS'
import ort from 'onnxruntime-node'
import proto from 'onnx-proto'
const value = (name, elemType) => ({ name, type: { tensorType: { elemType } } })
async function maximum(opType, numbers, { input = ['x'], type = 1, k = 1, rows = 0 } = {}) {
  const model = proto.onnx.ModelProto.encode({ irVersion: 8, opsetImport: [{ version: 17 }], graph: {
    name: 'maximum', node: [{ opType, input, output: opType === 'TopK' ? ['y', 'places'] : ['y'],
      attribute: rows ? [{ name: 'axis', type: 2, i: 1 }] : [] }],
    input: [value('x', 1)], output: [value('y', type)],
    initializer: [{ name: 'zero', dataType: 1, floatData: [0] },
      { name: 'k', dataType: 7, dims: [1], int64Data: [k] }] } }).finish()
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 4 })
  const shape = rows ? [rows, numbers.length / rows] : [numbers.length]
  const { y } = await session.run({ x: new ort.Tensor('float32', Float32Array.from(numbers), shape) })
  console.log(opType, input[1] === 'k' ? k : '', `[${shape}] of ${numbers.join(' ')}:`, Array.from(y.data, Number).join(' '))
}
await maximum('Max', [NaN, -1], { input: ['x', 'zero'] })
for (const numbers of [[NaN, 1, 2, 3], [1, 2, 3, NaN], [1, NaN, 2, 3]]) await maximum('ReduceMax', numbers)
await maximum('ArgMax', [1, NaN, 3], { type: 7 })
await maximum('ArgMax', [1, NaN, 3, NaN, 1, 3], { type: 7, rows: 2 })
for (const k of [1, 3]) await maximum('TopK', [NaN, 1, 3], { input: ['x', 'k'], k })
JS
seen=$(node nan.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
Max  [2] of NaN -1: NaN 0
ReduceMax  [4] of NaN 1 2 3: NaN
ReduceMax  [4] of 1 2 3 NaN: 3
ReduceMax  [4] of 1 NaN 2 3: 2
ArgMax  [3] of 1 NaN 3: 1
ArgMax  [2,3] of 1 NaN 3 NaN 1 3: 2 0
TopK 1 [3] of NaN 1 3: NaN
TopK 3 [3] of NaN 1 3: 3 1 NaN
SEEN
