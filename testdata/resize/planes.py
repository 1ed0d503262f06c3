#!/usr/bin/env python3
"""planes.py SEED COUNT [MAX]: random cases of ResizePlane, one JSON object a line, with the CRC-32
of what Pillow's mode F or OpenCV's CV_32F makes of each, little-endian and every NaN as 0x7fc00000.
MAX is the longest side. planes.jsonl has some of them.

The box is cut out of `planes` planes of `width` x `height` numbers, and becomes `to`. Number k of
all planes has the integer h of cases.py, and is, by `kind`:
  logits    (h >> 40) * 2^-19 - 16
  wild      ((h >> 40) - 2^23) * 2^((h & 63) - 32)
  infinite  a logit, but infinity if h & 31 is 0, and a NaN if it is 1

    planes.py -distance SEED COUNT

prints how far ResizePlane is from Pillow, OpenCV and PyTorch, and PyTorch and OpenCV from the real
numbers: how many numbers differ, and by how much at most, in units of the last place of the largest
neighbour. Both need python3-pil, python3-opencv and python3-numpy, -distance also Go, and
python3-torch if there is to be a row for it.
"""
import importlib.util, json, math, os, random, subprocess, sys, tempfile, zlib
import cv2, numpy as np
from PIL import Image
from cases import PIL

HERE = os.path.dirname(os.path.abspath(__file__))
cv2.setNumThreads(1)


def numbers(planes, width, height, kind):
    h = (np.arange(planes * width * height, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    h ^= h >> np.uint64(29)
    h *= np.uint64(0x94D049BB133111EB)
    top, low = (h >> np.uint64(40)).astype(np.float64), h.astype(np.int64) & 63
    if kind == "wild":
        a = (top - 2.**23) * 2.**(low - 32)
    else:
        a = top * 2.**-19 - 16
    if kind == "infinite":
        a[low & 31 == 0], a[low & 31 == 1] = np.inf, np.nan
    return a.astype(np.float32).reshape(planes, height, width)


def resampled(a, w, h, rule):
    """The planes of a in another size."""
    if rule == "linear":
        return np.stack([cv2.resize(np.ascontiguousarray(p), (w, h), interpolation=cv2.INTER_LINEAR).reshape(h, w) for p in a])
    return np.stack([np.asarray(Image.fromarray(np.ascontiguousarray(p)).resize((w, h), PIL[rule])) for p in a])


def case(r, most):
    side = lambda: round(2 ** r.uniform(0, math.log2(most)))
    width, height, w, h = side(), side(), side(), side()
    if r.random() < .1: w = width
    if r.random() < .1: h = height
    box = (0, 0, width, height)
    if r.random() < .4:
        x, y = r.randrange(width), r.randrange(height)
        box = (x, y, r.randint(x + 1, width), r.randint(y + 1, height))
    kind, rule = r.choice(["logits", "wild", "infinite"]), r.choice([*PIL, "linear"])
    if rule == "linear" and (box[2] - box[0], box[3] - box[1]) == (2 * w, 2 * h): w += 1  # OpenCV's sums have another order
    return dict(planes=r.randint(1, 3), width=width, height=height, kind=kind, box=box, to=[w, h], rule=rule)


def cases(seed, count, most):
    r = random.Random(seed)
    for _ in range(count):
        c = case(r, most)
        x, y, right, bottom = c["box"]
        out = resampled(numbers(c["planes"], c["width"], c["height"], c["kind"])[:, y:bottom, x:right], *c["to"], c["rule"])
        bits = np.ascontiguousarray(out).view(np.uint32).copy()
        bits[np.isnan(out)] = 0x7fc00000
        print(json.dumps(c | dict(crc32="%08x" % zlib.crc32(bits.astype("<u4").tobytes()))))


def ours(program, a, w, h, rule):
    n, height, width = a.shape
    filters = "bilinear", "bicubic", "lanczos", "box", "hamming", "nearest", "linear"
    args = [program, *map(str, (n, width, height, w, h, filters.index(rule)))]
    return np.frombuffer(subprocess.run(args, input=a.tobytes(), capture_output=True, check=True).stdout, np.float32).reshape(n, h, w)


def exact(a, w, h):
    """The real numbers of Linear, in float64, and the largest neighbour of each."""
    def along(a, size, out):
        at = np.clip((np.arange(out) * 2 + 1) * size / (2 * out) - .5, 0, size - 1)
        i = np.minimum(np.floor(at).astype(int), max(size - 2, 0))
        j = np.minimum(i + 1, size - 1)
        return a[..., i] * (1 - (at - i)) + a[..., j] * (at - i), np.maximum(np.abs(a[..., i]), np.abs(a[..., j]))
    turn = lambda a: a.swapaxes(-1, -2)
    values, _ = along(a.astype(np.float64), a.shape[-1], w)
    _, most = along(np.abs(a), a.shape[-1], w)
    values, _ = along(turn(values), a.shape[-2], h)
    _, most = along(turn(most), a.shape[-2], h)
    return turn(values), turn(most)


def distance(seed, count):
    torch = importlib.util.find_spec("torch") and importlib.import_module("torch")
    r, found = random.Random(seed), {}

    def compare(name, a, b, most):
        off = np.abs(a.astype(np.float64) - b) / np.spacing(most.astype(np.float32))
        row = found.setdefault(name, [0, 0, 0.])
        row[0] += np.count_nonzero(a != b)
        row[1] += a.size
        row[2] = max(row[2], off.max())

    with tempfile.TemporaryDirectory() as at:
        program = os.path.join(at, "planes")
        subprocess.run(["go", "build", "-o", program, os.path.join(HERE, "planes.go")], cwd=HERE, check=True)
        for k in range(count):
            side = lambda: round(2 ** r.uniform(0, 9))
            width, height, w, h = side(), side(), side(), side()
            if k % 2:
                w, h = max(1, round(width * 2. ** r.randint(-2, 3))), max(1, round(height * 2. ** r.randint(-2, 3)))
            ratios = "ratios of powers of two" if all(math.log2(p / q).is_integer() for p, q in ((width, w), (height, h))) else "other ratios"
            a = numbers(2, width, height, "logits")
            for rule in "box", "bilinear", "bicubic", "hamming", "lanczos":
                want = resampled(a, w, h, rule)
                compare(f"{rule}: ResizePlane and Pillow", ours(program, a, w, h, rule), want, np.abs(want))
            real, most = exact(a, w, h)
            linear = {"ResizePlane": ours(program, a, w, h, "linear"), "OpenCV": resampled(a, w, h, "linear")}
            if torch:
                linear["PyTorch"] = torch.nn.functional.interpolate(torch.from_numpy(a.copy())[None], (h, w), mode="bilinear", align_corners=False)[0].numpy()
            for name, numbers_ in linear.items():
                compare(f"linear, {ratios}: {name} and the real numbers", numbers_, real, most)
                if name != "ResizePlane":
                    compare(f"linear, {ratios}: ResizePlane and {name}", linear["ResizePlane"], numbers_, most)
    for name in sorted(found):
        print(f"{name}: {found[name][0]} of {found[name][1]} differ, by {found[name][2]:.3g} at most")


if __name__ == "__main__":
    if sys.argv[1] == "-distance":
        if importlib.util.find_spec("torch"):
            import torch
        distance(int(sys.argv[2]), int(sys.argv[3]))
    else:
        cases(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 300)
