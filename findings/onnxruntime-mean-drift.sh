#!/bin/bash
# ONNX Runtime 1.30.0 (onnxruntime-node, CPU): ReduceMean and ReduceSum of many float32.
#
# Guess: the error of a sum of ten million equal numbers is far below one in a thousand, as that of
#        NumPy's pairwise and of torch's blocked sums.
# Seen:  one per cent for the whole array, nearly nine per cent along an axis whose neighbours are
#        one element long. 0.1 becomes 0.101 and 0.109. Means over all pixels of a large batch are
#        as wrong as that.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts onnxruntime-node@1.30.0 onnx-proto@8.0.1 || exit 2

cat >mean.mjs <<'JS'
import ort from 'onnxruntime-node'
import proto from 'onnx-proto'
const value = name => ({ name, type: { tensorType: { elemType: 1 } } })
const count = 1e7, numbers = new Float32Array(count).fill(0.1)
async function reduce(opType, ...shape) {
  const model = proto.onnx.ModelProto.encode({ irVersion: 9, opsetImport: [{ version: 18 }], graph: {
    name: 'mean', node: [{ opType, input: ['x', 'axes'], output: ['y'] }], input: [value('x')], output: [value('y')],
    initializer: [{ name: 'axes', dataType: 7, dims: [1], int64Data: [0] }] } }).finish()
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 3, intraOpNumThreads: 1 })
  const { y } = await session.run({ x: new ort.Tensor('float32', numbers, shape) })
  const mean = opType === 'ReduceSum' ? y.data[0] / shape[0] : y.data[0]
  console.log(opType, `[${shape}]`, mean.toFixed(3))
}
await reduce('ReduceMean', count)
await reduce('ReduceSum', count)
await reduce('ReduceSum', count, 1)
await reduce('ReduceMean', count / 10, 10)
JS
seen=$(node mean.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
ReduceMean [10000000] 0.101
ReduceSum [10000000] 0.101
ReduceSum [10000000,1] 0.109
ReduceMean [1000000,10] 0.101
SEEN
