#!/usr/bin/env python3
"""casts.py COUNT: for each pair of the eleven types of SLICE1, COUNT numbers by a formula and the CRC-32 of what they become, one pair
a line: from, to, COUNT, crc32 of the bytes in little-endian order. casts.txt has those of 4099.

Where NumPy's astype is defined, they become what it makes: integers that the target holds, whole floats that it holds, and all that
becomes a float. Elsewhere C leaves the result open, and the rule is: the nearest integer, ties to even, or the nearest that the target
has; 0 of a NaN. In another type than its own a NaN has only the first bit of its fraction, and no sign.

The first numbers of a type are special(), number i behind them is random(). h and g are hashes of i:
  h = (i + 1 + salt * 2^32) * 0x9E3779B97F4A7C15 mod 2^64; h ^= h >> 29; h = h * 0x94D049BB133111EB mod 2^64; h ^= h >> 32
with salt 0 for h and 1 for g. >> keeps the sign of what is signed.
"""
import sys, zlib
import numpy as np

NAMES = "uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 float32 float64".split()
FRACTION = {"float16": 10, "float32": 23, "float64": 52}  # bits
U = np.uint64

def special(t):
    """Bits of numbers beside powers of two, halves beside them and, of floats, the next ones; and the ends of a float's encoding."""
    size = 8 * t.itemsize
    whole = [s * (2 ** k + d) for k in (0, 7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64) for s in (1, -1) for d in (-1, 0, 1)]
    if t.kind != "f": return np.array([n % 2 ** size for n in whole if np.iinfo(t).min <= n <= np.iinfo(t).max], U)
    near = [int(t.type(float(n) + half).view("u%d" % t.itemsize)) + d for n in whole for half in (0, .5) for d in (-1, 0, 1)]
    f, sign = FRACTION[t.name], 2 ** (size - 1)
    ends = [s + e + d for s in (0, sign) for e in (0, 2 ** f, sign - 2 ** f, sign - 2 ** (f - 1)) for d in (-1, 0, 1)]
    return np.array([b % 2 ** size for b in near + ends], U)

def hashes(i, salt):
    h = (i + U(1 + (salt << 32))) * U(0x9E3779B97F4A7C15)
    h ^= h >> U(29)
    h *= U(0x94D049BB133111EB)
    return h ^ h >> U(32)

def random(t, i):
    h, g = hashes(i, 0), hashes(i, 1)
    if t.kind in "ui":
        x = h >> g % U(64) if t.kind == "u" else (h.view(np.int64) >> (g % U(64)).view(np.int64)).view(U)
        # Every fourth of the wide ones is half-way between two float32, or float64, or next to that.
        width = 8 * t.itemsize - (t.kind == "i")
        for precision, every, rest in (24, 4, 2), (53, 8, 6):
            k = i % U(every) == rest
            if width <= precision: continue
            shift = (g[k] >> U(8)) % U(width - precision)
            d = U(width - precision) - shift
            y = (h[k] >> U(64 - width) | U(2 ** (width - 1))) >> shift
            y = (y >> d << d) + (U(1) << d - U(1)) + (g[k] >> U(16)) % U(3) - U(1)
            x[k] = np.where(g[k] >> U(63) == 1, U(0) - y, y) if t.kind == "i" else y
        return x
    f = FRACTION[t.name]
    bits = h >> U(64 - 8 * t.itemsize)
    # Every fourth is m * 2^e with an m of few bits, and e from -2 on.
    k = i % U(4) == 1
    m = h[k].view(np.int64) >> 63 - f >> (g[k] % U(f + 1)).view(np.int64)
    e = (g[k] >> U(8)) % U({10: 8, 23: 48, 52: 16}[f])
    bits[k] = np.ldexp(m.astype(np.float64), e.astype(np.int64) - 2).astype(t).view("u%d" % t.itemsize)
    # Two of four are half-way between two floats of fewer bits, or next to that: of float16's exponents, and of float32's.
    for rest, narrow, exponents, least in (2, 10, 44, -27), (3, 23, 282, -152):
        if f <= narrow: continue
        k = i % U(4) == rest
        d = U(f - narrow) + g[k] % U(narrow + 1)
        fraction = ((h[k] % U(2 ** f)) >> d << d) + (U(1) << d - U(1)) + (g[k] >> U(8)) % U(3) - U(1)
        bias = 2 ** (8 * t.itemsize - 2 - f) - 1
        bits[k] = g[k] >> U(63) << U(8 * t.itemsize - 1) | (U(bias + least) + (g[k] >> U(16)) % U(exponents)) << U(f) | fraction
    return bits

def numbers(t, first, last):
    """Numbers first to last - 1 of type t."""
    head = special(t)
    bits = np.concatenate([head[first:last], random(t, np.arange(max(first, len(head)), max(last, len(head)), dtype=U))])
    return bits.astype("u%d" % t.itemsize).view(t)

def become(x, t):
    if t.kind == "f":
        y = x.astype(t)
        if x.dtype != t: y[y != y] = np.copysign(t.type(np.nan), t.type(1))
        return y
    lo, hi = np.iinfo(t).min, np.iinfo(t).max
    if x.dtype.kind != "f":
        own = np.iinfo(x.dtype)
        return np.clip(x, x.dtype.type(max(lo, own.min)), x.dtype.type(min(hi, own.max))).astype(t)
    r = np.rint(x.astype(np.float64))
    inside = (r >= float(lo)) & (r < float(hi + 1))
    y = np.where(inside, r, 0).astype(t)
    y[r < float(lo)], y[r >= float(hi + 1)] = lo, hi
    whole = inside & (r == x)
    assert (y[whole] == x[whole].astype(t)).all()
    return y

if __name__ == "__main__":
    np.seterr(all="ignore")
    count, step = int(sys.argv[1]), 1 << 18
    types = [np.dtype(name) for name in NAMES]
    for t in types:
        sums = [0] * len(types)
        for first in range(0, count, step):
            x = numbers(t, first, min(first + step, count))
            for k, to in enumerate(types): sums[k] = zlib.crc32(become(x, to).tobytes(), sums[k])
        for to, s in zip(types, sums): print(t, to, count, "%08x" % s, flush=True)
