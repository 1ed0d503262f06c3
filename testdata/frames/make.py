#!/usr/bin/env python3
"""Makes frames.jsonl, frames as FFmpeg's rawvideo has them, and prints the CRC-32 of Pillow's RGB of every ink and black.

    python3 make.py >frames.jsonl        needs ffmpeg (5.1.9 made the file), NumPy and Pillow (9.4.0)

A sample of plane 0, 1 or 2 in column x and row y of its plane is formula(plane, x, y). In 10 bits it is four times as much, and
(x + y) % 4 more, in the upper bits of 16. FFmpeg makes each format of planes with the same cells, so that it computes no sample.
It makes no nv16 and no odd yuv422p and p010le of others: there it cuts off the first two columns of the format itself, so that it
has to know how samples lie. Of long odd rows of 4:2:2 it loses the last samples, so these are even.
"""
import base64, json, subprocess, sys, zlib
import numpy as np
from PIL import Image

def formula(plane, x, y):
    return ((31 * x + 57 * y + 7, 13 * x + 101 * y + 80, 91 * x + 29 * y + 160)[plane]) % 256

def planes(width, height, cell, wide, left=0):
    for plane in range(3):
        columns, rows = (width, height) if plane == 0 else (-(-width // cell[0]), -(-height // cell[1]))
        y, x = np.mgrid[:rows, :columns]
        v = formula(plane, x - (left if plane == 0 else left // cell[0]), y)
        yield ((4 * v + (x + y) % 4 << 6).astype("<u2") if wide else v.astype("u1")).tobytes()

FORMATS = {  # the cell, what FFmpeg gets, and how it makes the format
    "nv12": ((2, 2), "yuv420p", ["-pix_fmt", "nv12"]), "nv21": ((2, 2), "yuv420p", ["-pix_fmt", "nv21"]),
    "nv16": ((2, 1), "nv16", []), "i420": ((2, 2), "yuv420p", ["-vf", "format=nv12,format=yuv420p", "-pix_fmt", "yuv420p"]),
    "yv12": ((2, 2), "yuv420p", ["-vf", "shuffleplanes=0:2:1", "-pix_fmt", "yuv420p"]), "i422": ((2, 1), "yuv422p", []),
    "i444": ((1, 1), "yuv444p", ["-vf", "format=nv24,format=yuv444p", "-pix_fmt", "yuv444p"]), "yuy2": ((2, 1), "yuv422p", ["-pix_fmt", "yuyv422"]),
    "uyvy": ((2, 1), "yuv422p", ["-pix_fmt", "uyvy422"]), "p010": ((2, 2), "p010le", []),
}
for name, (cell, given, how) in FORMATS.items():
    for width, height in [(1, 1), (2, 3), (7, 5), (16, 9), (34 if how[-1:] in (["yuyv422"], ["uyvy422"]) else 33, 7)]:
        left = 0 if how else 2
        samples = list(planes(width + left, height, cell, given == "p010le", left))
        if name in ("nv16", "p010"):
            samples[1:] = [np.dstack([np.frombuffer(c, "u1" if name == "nv16" else "<u2") for c in samples[1:]]).tobytes()]
        cut = ["-vf", f"crop={width}:{height}:{left}:0:exact=1", "-pix_fmt", given] if left else how
        out = subprocess.run(["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", given, "-s", f"{width + left}x{height}", "-i", "-", *cut, "-f", "rawvideo", "-"],
                             input=b"".join(samples), capture_output=True, check=True).stdout
        print(json.dumps({"format": name, "width": width, "height": height, "bytes": base64.b64encode(out).decode()}))
ink, black = np.meshgrid(np.arange(256, dtype="u1"), np.arange(256, dtype="u1"))
rgb = Image.fromarray(np.dstack([ink, ink, 255 - ink, black]), "CMYK").convert("RGB").tobytes()
print("inks: %08x" % zlib.crc32(rgb), file=sys.stderr)
