"""Prints the table of slice1/CASTS.md as the libraries at hand make it, and what differs from the
page. Ours is in the page, where a test holds it.

    python3 bench/casts.py

NumPy and torch are imported by python3. ONNX Runtime (npm), oneDNN (Debian) and loops in Go, on
amd64 and by qemu-aarch64 on arm64, run in a temporary folder. A column whose library is not to be
had is left as the page has it. Each number is converted in arrays of 16, 19 and 1 of it: a cell
with several numbers has those of the 16, of the first and the last of the 19, and of the one.
"""

import json, os, pathlib, subprocess, sys, tempfile, warnings

PAGE = pathlib.Path(__file__).parent.parent / "slice1" / "CASTS.md"
LENGTHS = 16, 19, 1
HEAD = "| from | number | to |"

GO = """package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

type source interface{ ~float32 | ~float64 | ~int32 | ~int64 | ~uint32 }

func to[S source](x S, t string) string {
	switch t {
	case "uint8":
		return fmt.Sprint(uint8(x))
	case "int8":
		return fmt.Sprint(int8(x))
	case "uint16":
		return fmt.Sprint(uint16(x))
	case "int32":
		return fmt.Sprint(int32(x))
	case "uint32":
		return fmt.Sprint(uint32(x))
	case "int64":
		return fmt.Sprint(int64(x))
	case "uint64":
		return fmt.Sprint(uint64(x))
	case "float32":
		return strconv.FormatFloat(float64(float32(x)), 'f', -1, 32)
	case "float64":
		return strconv.FormatFloat(float64(x), 'f', -1, 64)
	}
	return ""
}

func main() {
	var cases [][3]string
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	var cells [][]string
	for _, c := range cases {
		f, _ := strconv.ParseFloat(c[1], 64)
		i, _ := strconv.ParseInt(c[1], 10, 64)
		y := ""
		switch c[0] {
		case "float32":
			y = to(float32(f), c[2])
		case "float64":
			y = to(f, c[2])
		case "int32":
			y = to(int32(i), c[2])
		case "uint32":
			y = to(uint32(i), c[2])
		case "int64":
			y = to(i, c[2])
		}
		cells = append(cells, []string{y})
	}
	json.NewEncoder(os.Stdout).Encode(cells)
}
"""

NODE = """import ort from '%s'
import proto from 'onnx-proto'
import fs from 'node:fs'
const code = { float32: 1, uint8: 2, int8: 3, uint16: 4, int32: 6, int64: 7, float16: 10, float64: 11, uint32: 12, uint64: 13 }
const arrays = { float32: Float32Array, float64: Float64Array, int32: Int32Array, uint32: Uint32Array, int64: BigInt64Array }
const value = (name, type, n) => ({ name, type: { tensorType: { elemType: code[type], shape: { dim: [{ dimValue: n }] } } } })
const number = text => text === 'inf' ? Infinity : text === '-inf' ? -Infinity : Number(text)
const half = h => { const e = h >> 10 & 31, f = h & 1023, s = h >> 15 ? -1 : 1
  return e === 31 ? (f ? NaN : s * Infinity) : e ? s * 2 ** (e - 15) * (1 + f / 1024) : s * 2 ** -14 * f / 1024 }
async function cast([from, text, to], n) {
  if (!code[to]) return ''
  const node = { opType: 'Cast', input: ['x'], output: ['y'], attribute: [{ name: 'to', type: 2, i: code[to] }] }
  const model = proto.onnx.ModelProto.encode({ irVersion: 8, opsetImport: [{ version: 17 }],
    graph: { name: 'cast', node: [node], input: [value('x', from, n)], output: [value('y', to, n)] } }).finish()
  const session = await ort.InferenceSession.create(model, { logSeverityLevel: 3, executionProviders: ['%s'] })
  const x = from === 'int64' ? BigInt64Array.from({ length: n }, () => BigInt(text)) : arrays[from].from({ length: n }, () => number(text))
  const y = (await session.run({ x: new ort.Tensor(from, x, [n]) })).y.data
  return Array.from(y, v => String(to === 'float16' && y instanceof Uint16Array ? half(v) : v))
}
const cells = []
for (const c of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  const [sixteen, more, one] = [await cast(c, 16), await cast(c, 19), await cast(c, 1)]
  cells.push(sixteen === '' ? [''] : [sixteen[0], more[0], more.at(-1), one[0]])
}
console.log(JSON.stringify(cells))
process.exit(0)
"""

ONEDNN = """#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <oneapi/dnnl/dnnl.h>
static void must(dnnl_status_t s) { if (s) exit(3); }
int main(int argc, char **argv) {
  dnnl_engine_t e; dnnl_stream_t t;
  must(dnnl_engine_create(&e, dnnl_cpu, 0)); must(dnnl_stream_create(&t, e, dnnl_stream_default_flags));
  for (int a = 1; a + 2 < argc; a += 3) {
    const int integer = !strcmp(argv[a], "int32");
    const dnnl_data_type_t to = !strcmp(argv[a + 2], "uint8") ? dnnl_u8 : !strcmp(argv[a + 2], "int8") ? dnnl_s8 : dnnl_s32;
    for (int k = 0; k < 3; k++) {
      const int64_t n = (int64_t[]){16, 19, 1}[k];
      dnnl_memory_desc_t from_d, to_d; dnnl_memory_t x, y; dnnl_primitive_desc_t pd; dnnl_primitive_t p;
      float f[19]; int32_t i[19]; int32_t out[19] = {0};
      for (int j = 0; j < 19; j++) f[j] = strtof(argv[a + 1], 0), i[j] = (int32_t)strtol(argv[a + 1], 0, 10);
      must(dnnl_memory_desc_init_by_tag(&from_d, 1, &n, integer ? dnnl_s32 : dnnl_f32, dnnl_a));
      must(dnnl_memory_desc_init_by_tag(&to_d, 1, &n, to, dnnl_a));
      must(dnnl_memory_create(&x, &from_d, e, integer ? (void *)i : f)); must(dnnl_memory_create(&y, &to_d, e, out));
      must(dnnl_reorder_primitive_desc_create(&pd, &from_d, e, &to_d, e, 0)); must(dnnl_primitive_create(&p, pd));
      dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, x}, {DNNL_ARG_TO, y}};
      must(dnnl_primitive_execute(p, t, 2, args)); must(dnnl_stream_wait(t));
      for (int j = 0; j < n; j += n == 19 ? 18 : 19)
        printf("%ld ", to == dnnl_u8 ? (long)((uint8_t *)out)[j] : to == dnnl_s8 ? (long)((int8_t *)out)[j] : (long)out[j]);
    }
    puts("");
  }
}
"""


def run(command, folder, stdin=None, env=None):
    r = subprocess.run(command, cwd=folder, input=stdin, capture_output=True, text=True, env={**os.environ, **(env or {})})
    if r.returncode:
        raise OSError(f"{command[0]}: {r.stderr.strip()[-300:]}")
    return r.stdout



def of_array(make):
    """The cells of what make(case, n) converts, an array of n numbers."""

    def cells(cases):
        out = []
        for c in cases:
            try:
                sixteen, more, one = (make(c, n) for n in LENGTHS)
                out.append([str(v) for v in (sixteen[0], more[0], more[-1], one[0])])
            except (TypeError, AttributeError, RuntimeError):
                out.append([""])
        return out

    return cells


def numpy_cells(cases):
    import numpy

    warnings.simplefilter("ignore")
    return of_array(lambda c, n: numpy.full(n, c[1]).astype(c[0]).astype(c[2]).tolist() if c[0][0] == "f" else numpy.full(n, int(c[1]), c[0]).astype(c[2]).tolist())(cases)


def torch_cells(cases):
    import torch

    make = lambda c, n: torch.full((n,), float(c[1]) if c[0][0] == "f" else int(c[1]), dtype=getattr(torch, c[0])).to(getattr(torch, c[2])).tolist()
    return of_array(make)(cases)


def onnxruntime(folder, package, provider):
    def cells(cases):
        if not (folder / "node_modules").exists():
            run("npm install --silent --no-audit --no-fund --ignore-scripts onnxruntime-node@1.30.0 onnxruntime-web@1.30.0 onnx-proto@8.0.1".split(), folder)
        (folder / f"{provider}.mjs").write_text(NODE % (package, provider))
        return json.loads(run(["node", f"{provider}.mjs"], folder, json.dumps(cases)))

    return cells


def onednn(folder):
    def cells(cases):
        run(["apt-get", "download", "libdnnl2", "libdnnl-dev"], folder)
        for package in folder.glob("libdnnl*.deb"):
            run(["dpkg", "-x", package.name, "."], folder)
        (folder / "casts.c").write_text(ONEDNN)
        lib = folder / "usr/lib/x86_64-linux-gnu"
        run(["gcc", "-o", "casts", "casts.c", "-Iusr/include", "-Iusr/include/x86_64-linux-gnu", f"-L{lib}", "-ldnnl"], folder)
        taken = [c for c in cases if c[0] in ("float32", "int32") and c[2] in ("uint8", "int8", "int32")]
        lines = run(["./casts", *(word for c in taken for word in c)], folder, env={"LD_LIBRARY_PATH": str(lib)}).splitlines()
        made = {tuple(c): line.split() for c, line in zip(taken, lines)}
        return [made.get(tuple(c), [""]) for c in cases]

    return cells


def golang(folder, arch):
    def cells(cases):
        (folder / "casts.go").write_text(GO)
        run(["go", "build", "-o", arch, "casts.go"], folder, env={"GOARCH": arch, "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod"})
        command = [f"./{arch}"] if arch == "amd64" else ["qemu-aarch64", f"./{arch}"]
        return json.loads(run(command, folder, json.dumps(cases)))

    return cells


def main():
    lines = PAGE.read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(HEAD))
    split = lambda line: [cell.strip() for cell in line.strip("|").split("|")]
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        rows.append(split(line))
    titles, cases = split(lines[start]), [row[:3] for row in rows]
    differ = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(os.environ.get("CASTS", name))
        columns = {"NumPy": numpy_cells, "torch": torch_cells, "ONNX Runtime": onnxruntime(folder, "onnxruntime-node", "cpu"),
                   "its wasm": onnxruntime(folder, "onnxruntime-web", "wasm"), "oneDNN": onednn(folder),
                   "Go amd64": golang(folder, "amd64"), "Go arm64": golang(folder, "arm64")}
        for title, cells in columns.items():
            k = titles.index(title)
            try:
                made = cells(cases)
            except (OSError, ImportError) as err:
                print(f"{title} is not at hand: {err}", file=sys.stderr)
                continue
            for row, values in zip(rows, made):
                values = [v.replace("nan", "NaN").replace("Infinity", "inf").replace("+Inf", "inf").removesuffix(".0") for v in values]
                cell = values[0] if len(set(values)) == 1 else ", ".join(values)
                if row[k] != cell:
                    differ += 1
                    print(f"{title} of {' '.join(row[:3])}: the page has {row[k]!r}", file=sys.stderr)
                row[k] = cell
    print("\n".join(lines[start : start + 2] + ["| " + " | ".join(row).replace("|  |", "| |") + " |" for row in rows]))
    sys.exit(differ > 0)


if __name__ == "__main__":
    main()
