#!/usr/bin/env python3
"""Draws throughput from bench.txt, which `go -C bench run . -o DIR` writes:

    python3 bench/plot.py DIR/bench.txt

A plot for each element width and size of which there are two strides or more, and one for each width
and work of which there are two sizes or more, as SVG beside bench.txt. Needs Matplotlib.
"""
import collections
import os
import re
import statistics
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

LINE = re.compile(r"BenchmarkSlice/work=(\S+)/width=(\d+)/size=(\S+)/kernel=(\S+) \d+ (\S+) ns/op (\S+) MB/s (\S+) roof")
BYTES = {"S": 4 << 10, "M": 512 << 10}
UNITS = ((1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))

machine = ""
rates, roofs = collections.defaultdict(list), collections.defaultdict(list)
for text in open(sys.argv[1]):
    if text.startswith("large: "):
        BYTES["L"] = int(text[7:])
    if text.startswith("cpu: "):
        machine = text[5:].strip()
    if m := LINE.match(text):
        work, width, size, kernel, _, rate, roof = m.groups()
        cell = work, int(width), BYTES.get(size) or int(size)
        rates[cell, kernel].append(float(rate) / 1000)
        roofs[cell].append(float(rate) / 1000 / float(roof))

plots = collections.defaultdict(lambda: collections.defaultdict(list))  # lines by their names, by plot
for (cell, kernel), values in [*rates.items(), *(((cell, ""), v) for cell, v in roofs.items())]:
    work, width, size = cell
    rate = statistics.median(values)
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
    figure.savefig(os.path.join(os.path.dirname(sys.argv[1]), f"{axis}-width{width}-{of}.svg"), metadata={"Date": None})
