#!/bin/bash
# DuckDB 1.5.6 of npm (@duckdb/node-api 1.5.6-r.1, x86-64): CAST of DOUBLE and FLOAT to integers.
#
# Guess: rounded, and an error where the result does not fit, so 255.5 is one, as 256 is.
# Seen:  the number is compared with the ends before it is rounded: 255.5 as UTINYINT is 0, 127.5 as
#        TINYINT is -128 and 32767.5 as SMALLINT -32768, with TRY_CAST as with CAST. 256 is an error,
#        255.4 is 255, and DECIMAL 255.5 is an error, as guessed. So a column of pixels that were
#        scaled a little too bright gets black ones, and no error.
set -euo pipefail
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts @duckdb/node-api@1.5.6-r.1 || exit 2

cat >cast.mjs <<'JS'
import { DuckDBInstance } from '@duckdb/node-api'
const connection = await (await DuckDBInstance.create(':memory:')).connect()
async function show(expression) {
  let seen
  try {
    seen = (await connection.runAndReadAll(`SELECT (${expression})::VARCHAR`)).getRows()[0][0]
  } catch { seen = 'error' }
  console.log(expression + ':', seen)
}
for (const [type, numbers] of Object.entries({
  UTINYINT: [254.5, 255.4, 255.5, 256, -0.4, -0.5, -0.6, -1], TINYINT: [127.5, 128, -128.5, -129], USMALLINT: [65535.5],
  SMALLINT: [32767.5, -32768.5], UINTEGER: [4294967295.5], INTEGER: [2147483647.5],
})) {
  for (const number of numbers) await show(`CAST(${number}::DOUBLE AS ${type})`)
}
for (const expression of ['CAST(255.5::FLOAT AS UTINYINT)', 'TRY_CAST(255.5::DOUBLE AS UTINYINT)', 'TRY_CAST(256::DOUBLE AS UTINYINT)',
  'CAST(255.5::DECIMAL(4,1) AS UTINYINT)', '[254.6, 255.5, 3]::DOUBLE[]::UTINYINT[]']) await show(expression)
JS
seen=$(node cast.mjs)
diff - <(echo "$seen") <<'SEEN' && echo "as seen"
CAST(254.5::DOUBLE AS UTINYINT): 254
CAST(255.4::DOUBLE AS UTINYINT): 255
CAST(255.5::DOUBLE AS UTINYINT): 0
CAST(256::DOUBLE AS UTINYINT): error
CAST(-0.4::DOUBLE AS UTINYINT): error
CAST(-0.5::DOUBLE AS UTINYINT): error
CAST(-0.6::DOUBLE AS UTINYINT): error
CAST(-1::DOUBLE AS UTINYINT): error
CAST(127.5::DOUBLE AS TINYINT): -128
CAST(128::DOUBLE AS TINYINT): error
CAST(-128.5::DOUBLE AS TINYINT): error
CAST(-129::DOUBLE AS TINYINT): error
CAST(65535.5::DOUBLE AS USMALLINT): 0
CAST(32767.5::DOUBLE AS SMALLINT): -32768
CAST(-32768.5::DOUBLE AS SMALLINT): error
CAST(4294967295.5::DOUBLE AS UINTEGER): 0
CAST(2147483647.5::DOUBLE AS INTEGER): -2147483648
CAST(255.5::FLOAT AS UTINYINT): 0
TRY_CAST(255.5::DOUBLE AS UTINYINT): 0
TRY_CAST(256::DOUBLE AS UTINYINT): null
CAST(255.5::DECIMAL(4,1) AS UTINYINT): error
[254.6, 255.5, 3]::DOUBLE[]::UTINYINT[]: [255, 0, 3]
SEEN
