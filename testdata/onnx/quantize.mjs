// Prints quantize.txt: what ONNX Runtime's QuantizeLinear and DequantizeLinear make with random
// scales and zero points, as CRC-32 of the results. It needs, beside it or above it,
//
//	npm install --ignore-scripts onnxruntime-node@1.30.0 onnx-proto@8.0.1
//
// Each line is a type, a scale, a zero point, and three CRC-32: of the levels q 0 to 255 (or -128
// to 127) as float32 of DequantizeLinear; of the integers that QuantizeLinear makes of the floats
// n * scale / 2 for n from -600 to 600, product and half rounded to float32; and of those that it
// makes of the floats n / 255 for n from -255 to 255. Bytes are in little-endian order.
import ort from 'onnxruntime-node'
import proto from 'onnx-proto'
import zlib from 'node:zlib'

const code = { float32: 1, uint8: 2, int8: 3 }
const value = (name, type, length) =>
  ({ name, type: { tensorType: { elemType: code[type], shape: { dim: [{ dimValue: length }] } } } })

// operator returns a function that runs one operator, whose scale and zero point are inputs.
async function operator(opType, from, to, length) {
  const integers = from === 'float32' ? to : from
  const scalar = (name, type) => ({ name, type: { tensorType: { elemType: code[type], shape: { dim: [] } } } })
  const model = proto.onnx.ModelProto.encode({ irVersion: 8, opsetImport: [{ version: 17 }],
    graph: { name: 'numbers', node: [{ opType, input: ['x', 's', 'z'], output: ['y'] }],
      input: [value('x', from, length), scalar('s', 'float32'), scalar('z', integers)],
      output: [value('y', to, length)] } }).finish()
  const session = await ort.InferenceSession.create(model,
    { logSeverityLevel: 3, intraOpNumThreads: 1, graphOptimizationLevel: 'disabled' })
  const Integers = integers === 'int8' ? Int8Array : Uint8Array
  return async (x, scale, zero) => (await session.run({ x: new ort.Tensor(from, x, [length]),
    s: new ort.Tensor('float32', Float32Array.of(scale), []),
    z: new ort.Tensor(integers, Integers.of(zero), []) })).y.data
}

// The CRC-32 of package hash/crc32's IEEE table, of the array's bytes in little-endian order.
const table = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1
  return n
})
function crc32(array) {
  let c = 0xffffffff
  for (const b of new Uint8Array(array.buffer, array.byteOffset, array.byteLength)) c = table[(c ^ b) & 255] ^ (c >>> 8)
  return ((c ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0')
}

let state = 79
function random() { // a linear congruential generator, so that the file is the same again
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 2 ** 32
}

const half = Math.fround(0.5)
for (const type of ['uint8', 'int8']) {
  const first = type === 'int8' ? -128 : 0
  const levels = (type === 'int8' ? Int8Array : Uint8Array).from({ length: 256 }, (_, i) => first + i)
  const floats = await operator('DequantizeLinear', type, 'float32', 256)
  const ties = await operator('QuantizeLinear', 'float32', type, 1201)
  const parts = await operator('QuantizeLinear', 'float32', type, 511)
  for (let i = 0; i < 100; i++) {
    const scale = i === 0 ? Math.fround(2 / 255) : Math.fround(2 ** (random() * 16 - 12))
    const zero = i === 0 ? first + 127 : first + Math.floor(random() * 256)
    console.log([type, scale, zero, crc32(await floats(levels, scale, zero)),
      crc32(await ties(Float32Array.from({ length: 1201 }, (_, n) => Math.fround(Math.fround((n - 600) * scale) * half)), scale, zero)),
      crc32(await parts(Float32Array.from({ length: 511 }, (_, n) => (n - 255) / 255), scale, zero))].join(' '))
  }
}
