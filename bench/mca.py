#!/usr/bin/env python3
"""Estimates what the loops of NEON take where all data is in the first-level cache:

    bench/mca.py

It compiles csrc/neon.h as cgo does. Of each form and variant it takes the loop that stores the most
bytes an iteration, and prints what an iteration takes by llvm-mca's models of some cores. Then it
prints the quantities of slice1/internal/plan/costs.go that the loops show, in picoseconds: geometric
means of the three cores of Neoverse at 3.2 GHz. At this clock the models give plain Go's packed and
single elements the times that costs.go has for them. A model has no caches, mispredicts no branch,
and delays no load for a store.

It needs aarch64-linux-gnu-gcc or CC, such as "clang --target=aarch64-linux-gnu", and llvm-mca-19 or
MCA. Before LLVM 17, all these cores had one model. LLVM 19 has no model of Apple M1. It takes the
one of Cyclone, a core of 2013, so the quantities leave it out.
"""
import os, re, subprocess
from math import exp, log

CORES = ["neoverse-n1", "neoverse-v1", "neoverse-v2", "apple-m1"]
GHZ = 3.2
WIDTHS = [1, 2, 4, 8]
CSRC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "csrc")
CC = os.environ.get("CC", "aarch64-linux-gnu-gcc").split()
MCA = os.environ.get("MCA", "llvm-mca-19")

# Functions in place of those loops that the set has for several widths in one function.
SOURCE = '#include "neon.h"\n#undef LOOP\n#define LOOP(name, call) \\\n' \
    "  void name(uint8_t *d, int64_t ds, const uint8_t *s, int64_t ss, int64_t sy, int64_t n) { (void)ds, (void)ss, (void)sy; \\\n" \
    "    call; }\n" \
    "LOOP(copy, copy_long(d, s, n))\n" + "".join(
        f"LOOP(gather_{w}, row_gather(d, s, n, ss, 0, {w}))\nLOOP(element_{w}, row_element(d, s, n, ds, ss, {w}))\n"
        f"LOOP(tile_{w}, strip(d, ds, s, ss, sy, n, ADJACENT, {w}))\n"
        f"LOOP(apart_{w}, strip(d, ds, s, ss, sy, n, SCATTERED, {w}))\n" for w in WIDTHS)


def output(command, text):
    return subprocess.run(command, input=text, check=True, text=True, stdout=subprocess.PIPE).stdout


def functions(assembly):
    """The instructions and local labels of each function, by its name."""
    found, body = {}, []
    for line in assembly.splitlines():
        line = re.sub(r"\s*//.*", "", line).strip()
        if m := re.match(r"(\w+):$", line):
            body = found.setdefault(m[1], [])
        elif re.match(r"\.L\w+:$|\w", line):
            body.append(line)
    return found


def stored(instruction):
    """How many bytes an instruction stores, the stack left out."""
    size = {"q": 16, "d": 8, "x": 8, "s": 4, "w": 4, "h": 2, "b": 1}
    if "[sp" in instruction:
        return 0
    if m := re.match(r"st(?:u?r|p)([hb]|(?=\s+([qdxswhb])))", instruction):
        return size[m[1] or m[2]] * (2 if instruction.startswith("stp") else 1)
    if m := re.match(r"st([1-4])\s+\{.*?\.(\d*)([dshb])", instruction):
        return int(m[1]) * size[m[3]] * int(m[2] or 1)
    return 0


def main_loop(body):
    """Of the innermost loops the one that stores the most bytes, the shortest of equals, and how many."""
    at = {line[:-1]: i for i, line in enumerate(body) if line.endswith(":")}
    branches = [(i, re.match(r"(?:b|cb|tb).*\s(\.L\w+)$", line)) for i, line in enumerate(body)]
    loops = [(at[m[1]], i) for i, m in branches if m and at.get(m[1], i) < i]
    inner = [l for l in loops if not any(o != l and l[0] <= o[0] and o[1] <= l[1] for o in loops)]
    texts = [[re.sub(r"\.L\w+$", "#0", line) for line in body[a:b + 1] if not line.endswith(":")] for a, b in inner]
    texts = [t for t in texts if not any(re.match(r"blr?\s|ret", line) for line in t)]
    bytes_of = lambda t: sum(map(stored, t))
    best = max(texts, key=lambda t: (bytes_of(t), -len(t)))
    return best, bytes_of(best)


def cycles(core, loops):
    """The cycles of an iteration of each loop."""
    regions = "".join(f"# LLVM-MCA-BEGIN {i}\n" + "\n".join(loop) + "\n# LLVM-MCA-END\n" for i, (loop, _) in enumerate(loops))
    text = output([MCA, "-mtriple=aarch64", f"-mcpu={core}", "-iterations=1000", "-instruction-info=0", "-resource-pressure=0"], regions)
    return [int(total) / 1000 for total in re.findall(r"Total Cycles:\s+(\d+)", text)]


def main():
    flags = ["-O2", "-DNDEBUG", "-std=gnu11", "-fno-fast-math", "-g0", "-DS1_TABLE=", "-I", CSRC]
    assembly = output([*CC, "-S", *flags, "-o", "-", "-x", "c", "-"], SOURCE)
    wanted = r"copy$|(gather|element|tile|apart)_\d$|neon_(lanes|bytes|every\d|units_lanes)_\d$"
    loops = {name.removeprefix("neon_"): main_loop(body) for name, body in functions(assembly).items() if re.match(wanted, name)}
    by_core = [dict(zip(loops, cycles(core, loops.values()))) for core in CORES]
    print("| loop | instructions | bytes |", " | ".join(CORES), "|\n|" + "---|" * (3 + len(CORES)))
    for name in sorted(loops):
        loop, size = loops[name]
        print(f"| {name} | {len(loop)} | {size} |", " | ".join(f"{core[name]:.1f}" for core in by_core), "|")

    def mean(names, each=lambda name: 1):
        """The geometric mean of what 16 bytes take by these loops, divided by each(name)."""
        logs = [log(core[name] * 16 / loops[name][1] / each(name)) for core in by_core[:3] for name in names]
        return round(exp(sum(logs) / len(logs)) * 1000 / GHZ)

    windows = lambda name: int(name[5 if name.startswith("every") else -1])
    named = lambda pattern: [name for name in loops if re.match(pattern, name)]
    by_width = lambda form, per: [mean([f"{form}_{w}"], lambda name: per(w)) for w in WIDTHS]
    print("\nCopied", mean(["copy"]))
    print("Gathered", by_width("gather", lambda w: 16 / w), "\nElement", by_width("element", lambda w: 16 / w))
    print("Tile", by_width("tile", lambda w: w / 16), "\nTileApart", by_width("apart", lambda w: w / 16))
    print("Window", mean(named("lanes"), windows), "\nMerged", mean(named("bytes|every"), windows), "\nUnit", mean(named("units"), windows))


main()
