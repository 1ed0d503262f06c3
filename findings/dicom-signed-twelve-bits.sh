#!/bin/bash
# DICOM of 12 signed bits in words of 16: GDCM 3.0.21 and pydicom 2.3.1 of Debian 12, daikon 1.2.46
# (npm). Bits 12 to 15 of a word are no part of the number; a file may leave them 0.
#
# Guess: 0x0fff is -1 by daikon, whose data are called interpreted, and 0x1005 is 5.
# Seen:  that is so by GDCM alone. pydicom's int16 and daikon's interpreted data have 4095 and 4101,
#        so what is a little below 0 is the brightest of the picture.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install python3-gdcm=3.0.21-1 python3-pydicom=2.3.1-1 python3-numpy=1:1.24.2-1+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
npm install --silent --no-audit --no-fund daikon@1.2.46 || exit 2

cat >make.mjs <<'JS'
import { writeFileSync } from 'node:fs'
const short = (group, element, vr, bytes) => {
  const head = Buffer.alloc(8)
  head.writeUInt16LE(group, 0), head.writeUInt16LE(element, 2)
  head.write(vr, 4), head.writeUInt16LE(bytes.length, 6)
  return Buffer.concat([head, bytes])
}
const even = (vr, words) => words.length % 2 ? words + (vr === 'UI' ? '\0' : ' ') : words
const text = (group, element, vr, words) => short(group, element, vr, Buffer.from(even(vr, words)))
const number = (element, value) => short(0x28, element, 'US', Buffer.from(Uint16Array.of(value).buffer))
// The standard's own names: a picture of any kind, and explicit little endian.
const secondaryCapture = '1.2.840.10008.5.1.4.1.1.7', littleEndian = '1.2.840.10008.1.2.1'
const meta = Buffer.concat([text(2, 2, 'UI', secondaryCapture), text(2, 3, 'UI', '1.2.3'),
  text(2, 0x10, 'UI', littleEndian)])
const length = short(2, 0, 'UL', Buffer.from(Uint32Array.of(meta.length).buffer))
const pixels = Buffer.from(Uint16Array.of(0x0fff, 0x0800, 0x1005, 0x07ff).buffer)
const head = Buffer.from([0xe0, 0x7f, 0x10, 0, 0x4f, 0x57, 0, 0, pixels.length, 0, 0, 0])
writeFileSync('signed.dcm', Buffer.concat([Buffer.alloc(128), Buffer.from('DICM'), length, meta,
  text(8, 0x16, 'UI', secondaryCapture), text(8, 0x18, 'UI', '1.2.3'), text(8, 0x60, 'CS', 'OT'),
  number(2, 1), text(0x28, 4, 'CS', 'MONOCHROME2'), number(0x10, 2), number(0x11, 2),
  number(0x100, 16), number(0x101, 12), number(0x102, 11), number(0x103, 1), head, pixels]))
JS
cat >read.py <<'PY'
import gdcm, numpy, pydicom
reader = gdcm.ImageReader()
reader.SetFileName("signed.dcm")
assert reader.Read()
image = reader.GetImage()
buffer = image.GetBuffer().encode("utf8", "surrogateescape")
print("GDCM", image.GetPixelFormat().GetScalarTypeAsString(), *numpy.frombuffer(buffer, "<i2"))
pixels = pydicom.dcmread("signed.dcm").pixel_array
print("pydicom", pixels.dtype, *pixels.ravel())
PY
cat >read.cjs <<'JS'
const daikon = require('daikon'), bytes = require('fs').readFileSync('signed.dcm')
const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
const image = daikon.Series.parseImage(new DataView(data))
console.log('daikon', Array.from(image.getInterpretedData(true)).join(' '))
JS
node make.mjs
libraries=$work/tree/usr/lib/x86_64-linux-gnu
seen=$(LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack PYTHONHOME=$work/tree/usr \
	PYTHONPATH=$work/tree/usr/lib/python3/dist-packages tree/usr/bin/python3.11 read.py && node read.cjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
GDCM INT16 -1 -2048 5 2047
pydicom int16 4095 2048 4101 2047
daikon 4095 2048 4101 2047
SEEN
