#!/usr/bin/env python3
"""weights.py SEED COUNT: samples of random axes with the weights of Pillow's filters, by libm's sine
and cosine. A line has filter, size of the axis, size of the result, sample of the result, the first
sample that it takes, and the CRC-32 of its weights, little-endian int32. weights.txt has some.
"""
import array, math, random, struct, sys, zlib

single = lambda v: struct.unpack("f", struct.pack("f", v))[0]
A, B = single(.54), single(.46)  # Pillow's constants are floats


def sinc(x): return math.sin(x * math.pi) / (x * math.pi) if x else 1.


def bicubic(x):
    x = abs(x)
    return ((1.5 * x - 2.5) * x * x + 1) if x < 1 else (((x - 5) * x + 8) * x - 4) * -.5 if x < 2 else 0.


def hamming(x):
    x = abs(x)
    return 1. if x == 0 else sinc(x) * (A + B * math.cos(x * math.pi)) if x < 1 else 0.


FILTERS = (("bilinear", 1, lambda x: max(0., 1 - abs(x))), ("bicubic", 2, bicubic),
           ("lanczos", 3, lambda x: sinc(x) * sinc(x / 3) if -3 <= x < 3 else 0.), ("hamming", 1, hamming))
r = random.Random(int(sys.argv[1]))
for k in range(int(sys.argv[2])):
    name, support, f = FILTERS[k % 4]
    size = round(2 ** r.uniform(0, 13))
    out = max(1, round(size * 2 ** r.uniform(-4, 4)))
    i = r.randrange(out)
    scale = size / out
    stretch = max(1., scale)
    center, reach = (i + .5) * scale, support * stretch
    first = max(0, int(center - reach + .5))
    w = [f((x - center + .5) * (1 / stretch)) for x in range(first, min(size, int(center + reach + .5)))]
    total = 0.
    for v in w:
        total += v
    w = array.array("i", (int(v / total * (1 << 22) + math.copysign(.5, v)) for v in w))
    if sys.byteorder == "big":
        w.byteswap()
    print(name, size, out, i, first, "%08x" % zlib.crc32(w.tobytes()))
