#!/bin/bash
# ONNX Runtime 1.30.0 (onnxruntime-node, CPU): Cast to int4 and uint4.
#
# Guess: numbers saturate at 7 and -8, and halves go to even, as QuantizeLinear to int4 has it.
# Seen:  neither. Numbers are rounded with halves away from zero and then wrap modulo 16: 9 is -7,
#        7.5 is -8, 2.5 is 3; an int32 of 8 is -8. QuantizeLinear to int4 saturates and rounds to
#        even, and Cast to int8 cuts off. So weights that are cast rather than quantised change
#        sign.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts onnxruntime-node@1.30.0 onnx-proto@8.0.1 || exit 2

cat >cast.mjs <<'JS'
import ort from 'onnxruntime-node'
import proto from 'onnx-proto'
const value = (name, elemType) => ({ name, type: { tensorType: { elemType } } })
const cast = (from, into, to) => ({ opType: 'Cast', input: [from], output: [into], attribute: [{ name: 'to', type: 2, i: to }] })
const quantize = { opType: 'QuantizeLinear', input: ['x', 'scale', 'zero'], output: ['small'] }
async function through(label, node, type, tensor) {
  const model = proto.onnx.ModelProto.encode({ irVersion: 10, opsetImport: [{ version: 21 }], graph: {
    name: 'cast', node: [node, cast('small', 'y', 1)],
    input: [value('x', type)], output: [value('y', 1)],
    initializer: [{ name: 'scale', dataType: 1, floatData: [1] }, { name: 'zero', dataType: 22, int32Data: [0] }] } }).finish()
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 3, graphOptimizationLevel: 'disabled' })
  console.log(label + ':', Array.from((await session.run({ x: tensor })).y.data).join(' '))
}
const numbers = [7, 7.5, 9, -9, 2.5, 1.5, -1.5, 0.7], float = new ort.Tensor('float32', numbers, [8])
console.log('of:', numbers.join(' '))
await through('Cast to int4', cast('x', 'small', 22), 1, float)
await through('Cast to uint4', cast('x', 'small', 21), 1, float)
await through('Cast to int8', cast('x', 'small', 3), 1, float)
await through('QuantizeLinear to int4', quantize, 1, float)
await through('Cast of int32 8 9 -9 16', cast('x', 'small', 22), 6, new ort.Tensor('int32', [8, 9, -9, 16], [4]))
JS
seen=$(node cast.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
of: 7 7.5 9 -9 2.5 1.5 -1.5 0.7
Cast to int4: 7 -8 -7 7 3 2 -2 1
Cast to uint4: 7 8 9 7 3 2 14 1
Cast to int8: 7 7 9 -9 2 1 -1 0
QuantizeLinear to int4: 7 7 7 -8 2 2 -2 1
Cast of int32 8 9 -9 16: -8 -7 7 0
SEEN
