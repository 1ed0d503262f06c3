#!/bin/bash
# ONNX Runtime 1.30.0 (onnxruntime-node, CPU): Cast of strings to numbers.
#
# Guess: a string that is not wholly a number of the target's kind is an error.
# Seen:  what follows the number is dropped, silently: to int32 "12.7" is 12, "1e3" is 1, "0x10" is
#        0, and " 12 px" is 12. To float32 "1e3" is 1000 and "0x10" is 16. So the same text is two
#        numbers by the type that a column has in the model.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts onnxruntime-node@1.30.0 onnx-proto@8.0.1 || exit 2

cat >text.mjs <<'JS'
import ort from 'onnxruntime-node'
import proto from 'onnx-proto'
const value = (name, elemType) => ({ name, type: { tensorType: { elemType } } })
const texts = ['12.7', '1e3', '0x10', ' 12 px']
for (const [name, to] of [['int32', 6], ['float32', 1]]) {
  const model = proto.onnx.ModelProto.encode({ irVersion: 9, opsetImport: [{ version: 21 }], graph: {
    name: 'text', node: [{ opType: 'Cast', input: ['x'], output: ['y'], attribute: [{ name: 'to', type: 2, i: to }] }],
    input: [value('x', 8)], output: [value('y', to)] } }).finish()
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 3 })
  const { y } = await session.run({ x: new ort.Tensor('string', texts, [texts.length]) })
  console.log(name, Array.from(y.data).map((number, i) => `"${texts[i]}" ${number.toFixed(1)}`).join(', '))
}
JS
seen=$(node text.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
int32 "12.7" 12.0, "1e3" 1.0, "0x10" 0.0, " 12 px" 12.0
float32 "12.7" 12.7, "1e3" 1000.0, "0x10" 16.0, " 12 px" 12.0
SEEN
