#!/bin/bash
# ONNX Runtime 1.30.0 (onnxruntime-node, CPU): halves in quantised operators, with an odd zero
# point.
#
# Guess: all round x / scale to even and then add the zero point, as QuantizeLinear does by ONNX's
#        text: .5 1.5 2.5 3.5 with zero point 1 become 1 3 3 5.
# Seen:  QuantizeLinear, QLinearConv and QLinearMatMul do. QLinearMul, QLinearAdd and
#        QLinearAveragePool add the zero point first and round the sum: 2 2 4 4. So the same numbers
#        differ by 1 by the operator that made them, and no one formula reproduces a quantised
#        model.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts onnxruntime-node@1.30.0 onnx-proto@8.0.1 || exit 2

cat >ties.mjs <<'JS'
import ort from 'onnxruntime-node'
import proto from 'onnx-proto'
const value = (name, elemType, dims) =>
  ({ name, type: { tensorType: { elemType, shape: { dim: dims.map(dimValue => ({ dimValue })) } } } })
const constant = (name, dataType, dims, numbers) =>
  ({ name, dataType, dims, [dataType === 1 ? 'floatData' : 'int32Data']: numbers })
const constants = [constant('half', 1, [], [0.5]), constant('one', 1, [], [1]),
  constant('u0', 2, [], [0]), constant('u1', 2, [], [1]),
  constant('zeros', 2, [1, 1, 1, 4], [0, 0, 0, 0]), constant('ones', 2, [1, 1, 1, 4], [1, 1, 1, 1]),
  constant('kernel', 2, [1, 1, 1, 1], [1]), constant('matrix', 2, [1, 1], [1])]
async function ties(opType, input, { numbers = Uint8Array.of(1, 3, 5, 7), dims = [1, 1, 1, 4], domain, attribute } = {}) {
  const type = numbers instanceof Uint8Array ? 'uint8' : 'float32'
  const initializer = constants.filter(({ name }) => input.includes(name))
  const model = proto.onnx.ModelProto.encode({ irVersion: 8,
    opsetImport: [{ version: 17 }, { domain: 'com.microsoft', version: 1 }],
    graph: { name: 'ties', node: [{ opType, domain, input, output: ['y'], attribute }], initializer,
      input: [value('x', type === 'uint8' ? 2 : 1, dims)],
      output: [{ name: 'y', type: { tensorType: { elemType: 2 } } }] } }).finish()
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 3 })
  console.log(opType + ':', Array.from((await session.run({ x: new ort.Tensor(type, numbers, dims) })).y.data).join(' '))
}
const domain = 'com.microsoft', dims = [4, 1]
await ties('QuantizeLinear', ['x', 'one', 'u1'], { numbers: Float32Array.of(0.5, 1.5, 2.5, 3.5) })
await ties('QLinearConv', ['x', 'half', 'u0', 'kernel', 'one', 'u0', 'one', 'u1'])
await ties('QLinearMatMul', ['x', 'half', 'u0', 'matrix', 'one', 'u0', 'one', 'u1'], { dims })
await ties('QLinearMul', ['x', 'half', 'u0', 'ones', 'one', 'u0', 'one', 'u1'], { domain })
await ties('QLinearAdd', ['x', 'half', 'u0', 'zeros', 'one', 'u0', 'one', 'u1'], { domain })
await ties('QLinearAveragePool', ['x', 'half', 'u0', 'one', 'u1'],
  { domain, attribute: [{ name: 'kernel_shape', type: 7, ints: [1, 1] }] })
JS
seen=$(node ties.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
QuantizeLinear: 1 3 3 5
QLinearConv: 1 3 3 5
QLinearMatMul: 1 3 3 5
QLinearMul: 2 2 4 4
QLinearAdd: 2 2 4 4
QLinearAveragePool: 2 2 4 4
SEEN
