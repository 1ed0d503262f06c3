#!/usr/bin/env python3
"""sizes.py: the sizes that Ultralytics' LetterBox (auto off) and Qwen2-VL's smart_resize choose, by
NumPy from their published steps. sizes.txt is what it prints: a rule, its numbers, the longest side,
and the CRC-32 of what it makes of all windows to that side, widths within heights, little-endian
int32: width, height, left and top of a letterbox, width and height of smart_resize. A window that
smart_resize refuses has -1, -1. Needs python3-numpy.
"""
import zlib
import numpy as np


def letterbox(side, most):
    h, w = np.mgrid[1:most + 1, 1:most + 1]
    r = np.minimum(side / h, side / w)
    x, y = (np.maximum(1, np.rint(n * r)).astype(np.int64) for n in (w, h))
    left, top = (np.rint((side - n) / 2 - 0.1).astype(np.int64) for n in (x, y))
    return x, y, left, top


def smart_resize(factor, least, largest, most):
    h, w = np.mgrid[1:most + 1, 1:most + 1]
    h_bar, w_bar = (np.rint(n / factor).astype(np.int64) * factor for n in (h, w))
    pixels = h_bar * w_bar
    beta = np.sqrt((h * w) / largest)
    down = [np.maximum(factor, np.floor(n / beta / factor).astype(np.int64) * factor) for n in (w, h)]
    beta = np.sqrt(least / (h * w))
    up = [np.ceil(n * beta / factor).astype(np.int64) * factor for n in (w, h)]
    refused = np.maximum(h, w) / np.minimum(h, w) > 200
    return [np.where(refused, -1, np.where(pixels > largest, d, np.where(pixels < least, u, n))) for n, d, u in zip((w_bar, h_bar), down, up)]


for rule, *numbers, most in (letterbox, 640, 2000), (letterbox, 320, 2000), (smart_resize, 28, 56 * 56, 14 * 14 * 4 * 1280, 1500), (smart_resize, 32, 256 * 256, 640 * 640, 1500):
    print(rule.__name__, *numbers, most, zlib.crc32(np.stack(rule(*numbers, most), -1).astype("<i4").tobytes()))
