#!/usr/bin/env python3
"""files.py: writes files.txt, small pictures of every kind that PNG, JPEG, GIF and WebP have, one a line, with spaces between:

  format   png, jpeg, gif or webp
  kind     what it is
  rgb l    CRC-32 of what Pillow's convert("RGB") and convert("L") make of it
  over     CRC-32 of R, G and B after it was pasted, by its alpha, on 200, 100, 50
  pixels   of jpeg: R, G and B in base64, since its decoders differ; else -
  file     in base64

Grey PNGs of 16 bits are left out: Pillow 9.4 cuts them off at 255. Needs python3-pil (written with 9.4.0) with libwebp.
"""
import base64, io, random, struct, zlib
import numpy as np
from PIL import Image

r = random.Random(80)
PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]  # of Adam7: x, y and their steps

def chunk(name, data): return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

def png(w, h, depth, colour, interlaced, *chunks):
    """A PNG of random samples. colour: 0 grey, 2 RGB, 3 a palette, 4 grey and alpha, 6 RGBA."""
    n = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    a = [[[r.randrange(1 << depth) for _ in range(n)] for _ in range(w)] for _ in range(h)]
    out = b""
    for x0, y0, dx, dy in PASSES if interlaced else [(0, 0, 1, 1)]:
        for y in range(y0, h, dy):
            bits = "".join(format(s, "0%db" % depth) for x in range(x0, w, dx) for s in a[y][x])
            if bits: out += b"\0" + int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")
    head = struct.pack(">IIBBBBB", w, h, depth, colour, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(chunks) + chunk(b"IDAT", zlib.compress(out)) + chunk(b"IEND", b"")

def saved(m, form, **options):
    b = io.BytesIO()
    m.save(b, form, **options)
    return b.getvalue()

def pictures():
    size = lambda: (r.randint(1, 21), r.randint(1, 19))
    for interlaced in 0, 1:
        for colour, depths in {0: (1, 2, 4, 8), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}.items():
            for depth in depths:
                palette = chunk(b"PLTE", bytes(r.randrange(256) for _ in range(3 << depth))) if colour == 3 else b""
                clear = {0: lambda: struct.pack(">H", r.randrange(1 << depth)), 2: lambda: struct.pack(">HHH", *(r.randrange(1 << depth) for _ in range(3))),
                         3: lambda: bytes(r.randrange(256) for _ in range(1 << depth))}
                for transparent in (0, 1) if colour in clear else (0,):
                    extra = [palette] + ([chunk(b"tRNS", clear[colour]())] if transparent else [])
                    yield "png", "colour-%d-depth-%d-interlaced-%d-transparent-%d" % (colour, depth, interlaced, transparent), png(*size(), depth, colour, interlaced, *extra)
    def smooth(mode, w, h):
        a = np.array(Image.fromarray(np.frombuffer(r.randbytes(4 * 4 * len(mode)), np.uint8).reshape(4, 4, len(mode)).squeeze(), mode).resize((w, h), Image.BICUBIC))
        return Image.fromarray(a, mode)
    for name, mode, options in [("grey", "L", {}), ("444", "RGB", dict(subsampling=0)), ("422", "RGB", dict(subsampling=1)), ("420", "RGB", dict(subsampling=2)),
                                ("progressive", "RGB", dict(progressive=True, subsampling=2)), ("cmyk", "CMYK", {})]:
        yield "jpeg", name, saved(smooth(mode, *size()), "JPEG", quality=r.choice([75, 95]), **options)
    for clear in 0, 1:
        m = smooth("RGB", *size()).quantize(16)
        yield "gif", "transparent-%d" % clear, saved(m, "GIF", **(dict(transparency=3) if clear else {}))
    for name, mode, options in [("lossy", "RGB", dict(quality=60)), ("lossy-with-alpha", "RGBA", dict(quality=60)), ("lossless", "RGB", dict(lossless=True)),
                                ("lossless-with-alpha", "RGBA", dict(lossless=True, exact=True))]:
        for _ in range(4): yield "webp", name, saved(smooth(mode, *size()), "WEBP", **options)

with open("files.txt", "w") as f:
    for form, kind, data in pictures():
        m = Image.open(io.BytesIO(data))
        rgb, l = (m.convert(mode).tobytes() for mode in ("RGB", "L"))
        alpha, over = m.convert("RGBA"), Image.new("RGB", m.size, (200, 100, 50))
        over.paste(alpha, (0, 0), alpha.getchannel("A"))
        print(form, kind, *("%08x" % zlib.crc32(b) for b in (rgb, l, over.tobytes())), base64.b64encode(rgb).decode() if form == "jpeg" else "-", base64.b64encode(data).decode(), file=f)
