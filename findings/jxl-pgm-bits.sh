#!/bin/bash
# cjxl -d 0 and djxl of libjxl 0.7.0 (Debian 12's libjxl-tools): PGM of 10, 12 and 16 bits.
#
# Guess: distance 0 is lossless, so a PGM of maxval 1023 comes back as it was.
# Seen:  of 1024 greys 17 come back, some above maxval: the number is taken for one of 16 bits and
#        rounded to 10. As 16 bits, 1023 is decoded to 1025 of 65535, so that white is nearly black
#        for every reader of the file. 12 bits lose four of their bits likewise; 8 and 16 bits are
#        exact. So a picture of a camera or scanner must be made 16 bits wide first.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
mkdir -p debs/partial tree
apt-get -qqy -o Dir::State::status=/dev/null -o Dir::Cache::archives="$work/debs" \
	-o Debug::NoLocking=1 -o APT::Sandbox::User=root --no-install-recommends --download-only \
	install libjxl-tools=0.7.0-10+deb12u1 || exit 2
ls debs/*.deb | xargs -P 2 -I{} dpkg -x {} tree
export LD_LIBRARY_PATH=$work/tree/usr/lib/x86_64-linux-gnu

cat >pgm.mjs <<'JS'
import { readFileSync, writeFileSync } from 'node:fs'
const [name, largest] = process.argv.slice(2)
const wide = largest > 255 ? 2 : 1
const greys = Array.from({ length: 4096 }, (_, i) => i % (+largest + 1))
if (name === 'write') {
  const bytes = Buffer.alloc(4096 * wide)
  greys.forEach((grey, i) => bytes.writeUIntBE(grey, i * wide, wide))
  writeFileSync('in.pgm', Buffer.concat([Buffer.from(`P5\n64 64\n${largest}\n`), bytes]))
} else {
  const file = readFileSync('out.pgm'), maxval = +/^P5\s+\d+\s+\d+\s+(\d+)/.exec(file.toString('latin1'))[1]
  const size = maxval > 255 ? 2 : 1, bytes = file.subarray(file.length - 4096 * size)
  const seen = greys.map((_, i) => bytes.readUIntBE(i * size, size))
  const last = Math.min(largest, 4095)
  console.log(`${name}: maxval ${maxval}, ${last} is ${seen[last]}, ${new Set(seen).size} greys, ` +
    `${seen.filter((grey, i) => grey !== greys[i]).length} of 4096 differ`)
}
JS
seen=$(for largest in 255 1023 4095 65535; do
	node pgm.mjs write $largest
	tree/usr/bin/cjxl -d 0 in.pgm coded.jxl 2>/dev/null && tree/usr/bin/djxl coded.jxl out.pgm 2>/dev/null
	node pgm.mjs "$largest" $largest
	[ $largest != 1023 ] || { tree/usr/bin/djxl --bits_per_sample=16 coded.jxl out.pgm 2>/dev/null && node pgm.mjs "$largest as 16 bits" $largest; }
done)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
255: maxval 255, 255 is 255, 256 greys, 0 of 4096 differ
1023: maxval 1023, 1023 is 1025, 17 greys, 4032 of 4096 differ
1023 as 16 bits: maxval 65535, 1023 is 1025, 17 greys, 4032 of 4096 differ
4095: maxval 4095, 4095 is 4097, 257 greys, 3840 of 4096 differ
65535: maxval 65535, 4095 is 4095, 4096 greys, 0 of 4096 differ
SEEN
