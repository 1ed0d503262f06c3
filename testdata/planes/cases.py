#!/usr/bin/env python3
"""cases.py SEED COUNT: random cases, one a line, of planes by a formula and the CRC-32 of what model.py makes of them. cases.txt has
some of them. Its fields, with spaces between them:

  rule     libjpeg or libwebp
  cell     columns, rows of pixels that share a sample of chroma
  rect     x0, y0, x1, y1 of the picture: what an image.Rectangle has. x0, y0 may be odd: the first pixels then lie within a cell
  strides  of luma, of chroma. Bytes beyond the picture's columns have values, too, and must not count
  kind     noise, smooth or binary
  salt     see samples()
  window   x0, y0, x1, y1 within rect: the result, cut out of the whole picture's RGB
  resize   w, h, filter or 0 0 none: the window is then resampled by Pillow
  crc32    of the bytes R, G, B, pixel after pixel, row after row

Y has strides[0] * rows bytes; Cb and Cr have strides[1] * rows of cells. Sample i of plane p (0, 1, 2) is
  noise   h = (i + 1 + (p + 3 * salt) * 2^32) * 0x9E3779B97F4A7C15 mod 2^64; h ^= h >> 29; h = h * 0x94D049BB133111EB mod 2^64; h >> 56
  binary  255 * (noise >> 7)
  smooth  (7 * (i mod stride) + 13 * (i div stride) + 50 * p + salt) mod 256
"""
import random, sys, zlib
import numpy as np
from PIL import Image
import model

FILTERS = {"box": Image.BOX, "bilinear": Image.BILINEAR, "hamming": Image.HAMMING, "bicubic": Image.BICUBIC, "lanczos": Image.LANCZOS}
CELLS = [(1, 1), (2, 1), (2, 2), (2, 2), (1, 2), (4, 1), (4, 2)]

def samples(plane, kind, salt, stride, rows):
    i = np.arange(stride * rows, dtype=np.uint64)
    if kind == "smooth": return ((7 * (i % stride) + 13 * (i // stride) + 50 * plane + salt) & 255).astype(np.uint8).reshape(rows, stride)
    h = (i + np.uint64(1 + ((plane + 3 * salt) << 32))) * np.uint64(0x9E3779B97F4A7C15)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0x94D049BB133111EB)
    a = (h >> np.uint64(56)).astype(np.uint8).reshape(rows, stride)
    return 255 * (a >> 7) if kind == "binary" else a

def rgb(rule, cell, rect, strides, kind, salt):
    """The whole picture. Chroma has the cells that rect touches; the pixels of a first cell that lie outside of rect are left out."""
    x0, y0, x1, y1 = rect
    left, top = x0 % cell[0], y0 % cell[1]
    columns, rows = (x1 - 1) // cell[0] - x0 // cell[0] + 1, (y1 - 1) // cell[1] - y0 // cell[1] + 1
    y = samples(0, kind, salt, strides[0], y1 - y0)[:, :x1 - x0]
    c = [samples(p, kind, salt, strides[1], rows)[:, :columns] for p in (1, 2)]
    up = (lambda a: model.chroma_libjpeg(a, cell, columns * cell[0], rows * cell[1])) if rule == "libjpeg" else (lambda a: model.chroma_libwebp(a, columns * 2, rows * 2))
    c = [up(a)[top:top + y1 - y0, left:left + x1 - x0] for a in c]
    return (model.colours_libjpeg if rule == "libjpeg" else model.colours_libwebp)(y.astype(np.int32), *c)

def cases(seed, count):
    r = random.Random(seed)
    side = lambda: r.choice([r.randint(1, 9), r.randint(1, 70), r.randint(1, 70), r.randint(60, 200)])
    for _ in range(count):
        rule = r.choice(["libjpeg"] * 3 + ["libwebp"])
        cell = r.choice(CELLS) if rule == "libjpeg" else (2, 2)
        w, h = side(), side()
        x0, y0 = (r.randint(0, 9), r.randint(0, 9)) if r.random() < .4 else (0, 0)
        rect = (x0, y0, x0 + w, y0 + h)
        columns = (x0 + w - 1) // cell[0] - x0 // cell[0] + 1
        strides = (w + r.choice([0, 0, 1, 7, 16]), columns + r.choice([0, 0, 1, 5, 8]))
        kind, salt = r.choice(["noise", "noise", "smooth", "binary"]), r.randint(0, 255)
        window = rect
        if r.random() < .4:
            x, y = r.randrange(x0, x0 + w), r.randrange(y0, y0 + h)
            window = (x, y, r.randint(x + 1, x0 + w), r.randint(y + 1, y0 + h))
        a = rgb(rule, cell, rect, strides, kind, salt)[window[1] - y0:window[3] - y0, window[0] - x0:window[2] - x0]
        resize = None
        if r.random() < .15:
            resize = [r.randint(1, 60), r.randint(1, 60), r.choice(list(FILTERS))]
            a = np.array(Image.fromarray(np.ascontiguousarray(a)).resize((resize[0], resize[1]), FILTERS[resize[2]]))
        yield rule, *cell, *rect, *strides, kind, salt, *window, *(resize or (0, 0, "none")), "%08x" % zlib.crc32(np.ascontiguousarray(a).tobytes())


if __name__ == "__main__":
    for case in cases(int(sys.argv[1]), int(sys.argv[2])): print(*case)
