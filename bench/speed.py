#!/usr/bin/env python3
"""Draws the README's picture of speed from bench.txt, which `go -C bench run . -o DIR` writes:

    python3 bench/speed.py DIR/bench.txt >bench/plots/speed.svg

For each slice of the README's table, of 1-byte elements and 512 KiB: GB/s of dml, of the fastest other
library and of a plain Go loop, medians of all rounds.
"""
import collections
import re
import statistics
import sys

WORKS = {
    "stride-1": "mirrored", "stride2": "every second element", "channel": "one channel of three", "bgr": "RGB to BGR",
    "crop64": "rows of 64 bytes", "rowflip": "rows of 1 KiB, last first", "transpose": "transposed", "nchw": "NHWC to NCHW",
}
PEERS = {"numpy": "NumPy", "libyuv": "libyuv", "volk": "VOLK", "fftw": "FFTW"}
LINE = re.compile(r"BenchmarkSlice/work=(\S+)/width=1/size=M/kernel=(\S+) \d+ \S+ ns/op (\S+) MB/s")

machine, rates = "", collections.defaultdict(list)
for text in open(sys.argv[1]):
    if text.startswith("cpu: "):
        machine = text[5:].split(";")[0].strip()
    if m := LINE.match(text):
        rates[m[1], m[2]].append(float(m[3]) / 1000)
medians = {cell: statistics.median(v) for cell, v in rates.items()}
most = max(medians[work, kernel] for work in WORKS for kernel in ["dml", *PEERS] if (work, kernel) in medians)

LEFT, WIDE, BAR, GROUP, TOP = 190, 400, 13, 52, 44
print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {TOP + GROUP * len(WORKS)}" font-family="sans-serif" font-size="13">')
print("<style>text{fill:#333}.dml{fill:#0a7d5a}.peer{fill:#8a94a3}.loop{fill:#c9ced6}"
      "@media(prefers-color-scheme:dark){text{fill:#ddd}.peer{fill:#7a8494}.loop{fill:#4b525d}}</style>")
print(f'<text x="0" y="16">GB/s of output, 1-byte elements, 512 KiB, one thread</text><text x="0" y="33" font-size="11">{machine}</text>')
for i, (work, label) in enumerate(WORKS.items()):
    y = TOP + GROUP * i
    peer = max((kernel for kernel in PEERS if (work, kernel) in medians), key=lambda kernel: medians[work, kernel])
    print(f'<text x="{LEFT - 8}" y="{y + 2 * BAR}" text-anchor="end">{label}</text>')
    for k, (kernel, kind, name) in enumerate((("dml", "dml", "dml"), (peer, "peer", PEERS[peer]), ("naive", "loop", "Go loop"))):
        rate, top = medians[work, kernel], y + k * (BAR + 2)
        width = WIDE * rate / most
        print(f'<rect class="{kind}" x="{LEFT}" y="{top}" width="{width:.1f}" height="{BAR}"/>'
              f'<text x="{LEFT + width + 6:.1f}" y="{top + 11}" font-size="11">{name} {rate:.1f}</text>')
print("</svg>")
