#!/usr/bin/env python3
"""cases.py SEED COUNT [MAX]: random cases of resampling, one JSON object a line, with the CRC-32 of
what Pillow or OpenCV makes of each. MAX is the longest side. cases.jsonl and area.jsonl have some of them.

The box is cut out of a picture of `width` x `height` pixels of `channels` samples, and becomes `to`.
Sample k (pixel after pixel, row after row) is, by `kind`:
  noise   h = (k + 1) * 0x9E3779B97F4A7C15 mod 2^64; h ^= h >> 29; h = h * 0x94D049BB133111EB mod 2^64; h >> 56
  smooth  (7 * x + 13 * y + 50 * channel) mod 256
Needs python3-pil, python3-opencv and python3-numpy.
"""
import json, math, random, sys, zlib
import cv2, numpy as np
from PIL import Image

cv2.setNumThreads(1)
PIL = {"nearest": Image.NEAREST, "box": Image.BOX, "bilinear": Image.BILINEAR, "hamming": Image.HAMMING, "bicubic": Image.BICUBIC, "lanczos": Image.LANCZOS}


def picture(width, height, channels, kind):
    if kind == "noise":
        h = (np.arange(width * height * channels, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        h ^= h >> np.uint64(29)
        h *= np.uint64(0x94D049BB133111EB)
        a = (h >> np.uint64(56)).astype(np.uint8).reshape(height, width, channels)
    else:
        y, x, c = np.mgrid[:height, :width, :channels]
        a = ((7 * x + 13 * y + 50 * c) & 255).astype(np.uint8)
    return a[..., 0] if channels == 1 else a


def resampled(a, w, h, rule, box):
    if rule == "linear":
        part = np.ascontiguousarray(a[box[1]:box[3], box[0]:box[2]])
        return cv2.resize(part, (w, h), interpolation=cv2.INTER_LINEAR)
    if rule == "area":
        return cv2.resize(np.ascontiguousarray(a[box[1]:box[3], box[0]:box[2]]), (w, h), interpolation=cv2.INTER_AREA)
    return np.array(Image.fromarray(a).crop(box).resize((w, h), PIL[rule]))


def main(seed, count, most):
    r = random.Random(seed)
    side = lambda: round(2 ** r.uniform(0, math.log2(most)))
    for _ in range(count):
        width, height, w, h = side(), side(), side(), side()
        if r.random() < .2: w, h = max(1, width // 2), max(1, height // 2)
        if r.random() < .1: w = width
        if r.random() < .1: h = height
        channels, kind, rule = r.choice([1, 3]), r.choice(["noise", "smooth"]), r.choice([*PIL, "linear", "area"])
        box = (0, 0, width, height)
        if r.random() < .4:
            x, y = r.randrange(width), r.randrange(height)
            box = (x, y, r.randint(x + 1, width), r.randint(y + 1, height))
        if rule == "area":  # no side may grow
            w, h = min(w, box[2] - box[0]), min(h, box[3] - box[1])
            if r.random() < .3: w, h = max(1, (box[2] - box[0]) // r.randint(1, 9)), max(1, (box[3] - box[1]) // r.randint(1, 9))
        out = resampled(picture(width, height, channels, kind), w, h, rule, box)
        crc = zlib.crc32(np.ascontiguousarray(out).tobytes())
        print(json.dumps(dict(width=width, height=height, channels=channels, kind=kind, box=box, to=[w, h], rule=rule, crc32="%08x" % crc)))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 700)
