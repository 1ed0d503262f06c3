#!/usr/bin/env python3
"""patches.py: rows of patches of a picture of 56 x 84 pixels, by NumPy as the processors' code has
them. patches.txt is what it prints: a name, and the CRC-32 of the little-endian float32. Sample c of
pixel x, y is (7*x + 13*y + 50*c) mod 256. Needs python3-numpy.
"""
import zlib
import numpy as np

y, x, c = np.mgrid[:84, :56, :3]
picture = ((7 * x + 13 * y + 50 * c) & 255).astype(np.float32)


def qwen(patch_size, merge_size, temporal_patch_size):
    patches = picture.transpose(2, 0, 1)[None]  # a frame
    patches = np.concatenate([patches, np.repeat(patches[-1][None], temporal_patch_size - 1, axis=0)], axis=0)
    grid_t = patches.shape[0] // temporal_patch_size
    grid_h, grid_w = 84 // patch_size, 56 // patch_size
    patches = patches.reshape(grid_t, temporal_patch_size, 3, grid_h // merge_size, merge_size, patch_size, grid_w // merge_size, merge_size, patch_size)
    patches = patches.transpose(0, 3, 6, 4, 7, 2, 1, 5, 8)
    return patches.reshape(grid_t * grid_h * grid_w, 3 * temporal_patch_size * patch_size * patch_size)


def vit(p):  # nn.Unfold, and the kernel of a convolution that embeds patches
    return picture.transpose(2, 0, 1).reshape(3, 84 // p, p, 56 // p, p).transpose(1, 3, 0, 2, 4).reshape(-1, 3 * p * p)


def zerfoo(p):  # rows, columns and colours of a patch, as zerfoo and SigLIP 2 have them
    return picture.reshape(84 // p, p, 56 // p, p, 3).transpose(0, 2, 1, 3, 4).reshape(-1, p * p * 3)


for name, made in ("qwen", qwen(14, 2, 2)), ("vit", vit(14)), ("zerfoo", zerfoo(14)):
    print(name, zlib.crc32(np.ascontiguousarray(made).astype("<f4").tobytes()))
