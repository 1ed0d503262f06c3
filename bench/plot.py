#!/usr/bin/env python3
"""Draws throughput from bench.txt, which `go -C bench run . -o DIR` writes, as SVG beside bench.txt:

    python3 bench/plot.py DIR/bench.txt

Of a compressed file it prints a table of bench/README.md instead: of bench.txt the slices of its works,
and of a record of random slices (records/NAME.jsonl.gz) those that each kind of way is fastest for.

speed.svg is the README's: for each slice of its table, of 1-byte elements and 512 KiB, GB/s of dml, of
the fastest other library and of a plain Go loop. The others need Matplotlib: a plot for each element
width and size of which there are two strides or more, and one for each width and work of which there
are two sizes or more. All are medians of the rounds.
"""
import collections
import gzip
import json
import math
import os
import re
import statistics
import sys

LINE = re.compile(r"BenchmarkSlice/work=(\S+)/width=(\d+)/size=(\S+)/kernel=(\S+) \d+ (\S+) ns/op (\S+) MB/s (\S+) roof")
BYTES = {"S": 4 << 10, "M": 512 << 10}
UNITS = ((1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


def kinds(lines):
    """Slices by the kind of the fastest way: how many, GB/s of output, and how many times as long plain Go takes."""
    found = collections.defaultdict(list)
    for record in map(json.loads, lines):
        way, ns = min(record["NS"].items(), key=lambda item: item[1])
        size = record["Nest"]["Width"] * math.prod(loop["Extent"] for loop in record["Nest"]["Dims"])
        row = size / ns, record["NS"].get("go", 0) / ns
        for kind in "plain Go" if way == "go" else f"`{way.split()[1]}`", "all":
            found[kind].append(row)
    print("| fastest way | slices | GB/s | x plain Go |\n" + "|---" * 4 + "|")
    for kind, rows in sorted(found.items(), key=lambda item: len(item[1]), reverse=True):
        rates, slower = zip(*rows)
        print(f"| {kind} | {len(rows):,} | {statistics.median(rates):.1f} | {statistics.geometric_mean(slower):.1f} |" if all(slower)
              else f"| {kind} | {len(rows):,} | {statistics.median(rates):.1f} | |")


if sys.argv[1].endswith(".jsonl.gz"):
    kinds(gzip.open(sys.argv[1], "rt"))
    sys.exit()

machine = ""
rates, roofs = collections.defaultdict(list), collections.defaultdict(list)
RECORD = sys.argv[1].endswith(".gz")
for text in (gzip.open if RECORD else open)(sys.argv[1], "rt"):
    if text.startswith("large: "):
        BYTES["L"] = int(text[7:])
    if text.startswith("cpu: "):
        machine = text[5:].strip()
    if m := LINE.match(text):
        work, width, size, kernel, _, rate, roof = m.groups()
        cell = work, int(width), BYTES.get(size) or int(size)
        rates[cell, kernel].append(float(rate) / 1000)
        roofs[cell].append(float(rate) / 1000 / float(roof))

medians = {key: statistics.median(v) for key, v in rates.items()}
AT = os.path.dirname(sys.argv[1])

WORKS = {
    "stride-1": "mirrored", "stride2": "every second element", "channel": "one channel of three", "bgr": "RGB to BGR",
    "crop64": "rows of 64 bytes", "rowflip": "rows of 1 KiB, last first", "transpose": "transposed", "nchw": "NHWC to NCHW",
}
PEERS = {"numpy": "NumPy", "libyuv": "libyuv", "volk": "VOLK", "fftw": "FFTW"}
LEFT, WIDE, BAR, GROUP, TOP = 190, 400, 13, 52, 44


def bars():
    """The text of speed.svg, or none if a slice of the table was not measured."""
    groups = []
    for work, label in WORKS.items():
        of = {kernel: rate for (cell, kernel), rate in medians.items() if cell == (work, 1, BYTES["M"])}
        peer = max(PEERS.keys() & of.keys(), key=of.get, default=None)
        if not peer or not {"dml", "naive"} <= of.keys():
            return ""
        groups.append((label, (("dml", "dml", of["dml"]), ("peer", PEERS[peer], of[peer]), ("loop", "Go loop", of["naive"]))))
    most = max(rate for _, rows in groups for _, _, rate in rows)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {TOP + GROUP * len(WORKS)}" font-family="sans-serif" font-size="13">',
             "<style>text{fill:#333}.dml{fill:#0a7d5a}.peer{fill:#8a94a3}.loop{fill:#c9ced6}"
             "@media(prefers-color-scheme:dark){text{fill:#ddd}.peer{fill:#7a8494}.loop{fill:#4b525d}}</style>",
             '<text x="0" y="16">GB/s of output, 1-byte elements, 512 KiB, one thread</text>'
             f'<text x="0" y="33" font-size="11">{machine.split(";")[0].strip()}</text>']
    for i, (label, rows) in enumerate(groups):
        y = TOP + GROUP * i
        lines.append(f'<text x="{LEFT - 8}" y="{y + 2 * BAR}" text-anchor="end">{label}</text>')
        for k, (kind, name, rate) in enumerate(rows):
            width, top = WIDE * rate / most, y + k * (BAR + 2)
            lines.append(f'<rect class="{kind}" x="{LEFT}" y="{top}" width="{width:.1f}" height="{BAR}"/>'
                         f'<text x="{LEFT + width + 6:.1f}" y="{top + 11}" font-size="11">{name} {rate:.1f}</text>')
    return "\n".join(lines + ["</svg>", ""])


MORE = {
    "crop256": "rows of 256 bytes", "stride3": "stride 3", "stride4": "stride 4", "stride16": "stride 16", "stride-2": "stride -2",
    "downsample": "2 x 2 subsampling", "alpha": "the last channel of four", "3of4": "RGBA to RGB", "mirror3": "rows of RGB pixels, mirrored",
    "7cols": "3 columns of 7", "tiny8d": "8 tiny axes, every second reversed", "transpose2": "transposed, stride 2",
    "outstride2": "into every second element",
}


def table():
    """The works of 1 and 4 bytes: GB/s, and how many times as long a plain Go loop and the fastest library take."""
    times = lambda x: f"{x:.2f}" if x < 1.35 else f"{x:.2g}" if x < 99.5 else f"{x:.0f}"
    print("| slice | 4 KiB: GB/s | x Go loop | x best peer | 512 KiB: GB/s | x Go loop | x best peer |\n" + "|---" * 7 + "|")
    for work, label in {**WORKS, **MORE}.items():
        cells = [label]
        for size in BYTES["S"], BYTES["M"]:
            of = [{kernel: rate for (cell, kernel), rate in medians.items() if cell == (work, width, size)} for width in (1, 4)]
            peers = [max(PEERS.keys() & each.keys(), key=each.get) for each in of]
            cells += [" / ".join(f"{each['dml']:.0f}" for each in of), " / ".join(times(each["dml"] / each["naive"]) for each in of),
                      " / ".join(f"{times(each['dml'] / each[peer])} {PEERS[peer]}" for each, peer in zip(of, peers))]
        print("| " + " | ".join(cells) + " |")


if RECORD:
    table()
    sys.exit()

if text := bars():
    with open(os.path.join(AT, "speed.svg"), "w") as f:
        f.write(text)

import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt

plots = collections.defaultdict(lambda: collections.defaultdict(list))  # lines by their names, by plot
for (cell, kernel), rate in [*medians.items(), *(((cell, ""), statistics.median(v)) for cell, v in roofs.items())]:
    work, width, size = cell
    if m := re.fullmatch(r"stride(-?\d+)", work):
        plots["stride", width, size][kernel].append((int(m[1]), rate))
    plots["size", width, work][kernel].append((size, rate))

for (axis, width, of), lines in plots.items():
    if len(lines[""]) < 2:
        continue
    figure, at = plt.subplots(figsize=(10, 5.5))
    for kernel, points in lines.items():
        xs, ys = zip(*sorted(points))
        at.plot(xs, ys, **({"marker": "o", "label": kernel} if kernel else {"ls": "--", "color": "black", "label": "roofline (memcpy)"}))
    at.set_yscale("log")
    if axis == "size":
        at.set_xscale("log", base=2)
        title, label = f"{of}, elements of {width} B", "bytes of output"
    else:
        n, unit = next((of // n, unit) for n, unit in UNITS if of >= n)
        title, label = f"Every k-th element of one axis, elements of {width} B, {n} {unit} of output", "stride, elements"
    at.set(title=title + "\n" + machine, xlabel=label, ylabel="GB/s of output")
    at.grid(color="0.85")
    at.legend()
    figure.savefig(os.path.join(AT, f"{axis}-width{width}-{of}.svg"), metadata={"Date": None})
