"""The pictures of BenchmarkPictures, and two works of BenchmarkConversions, with what is there of
OpenCV, NumPy and PyTorch, each with one thread. Prints lines as Go's benchmarks do.

OpenCV makes R, G and B by limited-range BT.601 alone, which is as much work as any other matrix.
blobFromImage returns memory of its own each time; all else writes to memory that is there before.
"""
import importlib
import sys
import time

import numpy as np


def load(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print("no", name, file=sys.stderr)


cv, torch = load("cv2"), load("torch")
if cv:
    cv.setNumThreads(1)
if torch:
    torch.set_num_threads(1)
rng = np.random.default_rng(1)
SCALE = np.float32(1 / 255)
GREY = np.float32(114 / 255)


def measure(name, f, size, rounds=6):
    f()
    start = time.perf_counter_ns()
    f()
    reps = max(1, 200_000_000 // max(1, time.perf_counter_ns() - start))
    for _ in range(rounds):
        start = time.perf_counter_ns()
        for _ in range(reps):
            f()
        ns = (time.perf_counter_ns() - start) / reps
        print(f"Benchmark{name} {reps} {ns:.0f} ns/op {size / ns * 1000:.2f} MB/s", flush=True)


def picture(to, height, width, window, shape, at):
    """Pictures of a window (top, left, height, width) in planes of a shape, from row `at` on."""
    top, left, h, w = window
    rgba = rng.integers(0, 256, (height, width, 4), np.uint8)
    out = np.empty((1, 3, *shape), np.float32)
    inside = out[0, :, at:at + h]
    size, name = out.nbytes, f"Pictures/to={to}/from="

    def by_numpy():
        if at:
            out.fill(GREY)
        np.multiply(rgba[top:top + h, left:left + w, :3].transpose(2, 0, 1), SCALE, out=inside)
    measure(name + "rgba/by=numpy", by_numpy, size)

    if torch:
        t, o = torch.from_numpy(rgba), torch.from_numpy(out)
        i = o[0, :, at:at + h]

        def by_torch():
            if at:
                o.fill_(float(GREY))
            i.copy_(t[top:top + h, left:left + w, :3].permute(2, 0, 1)).mul_(float(SCALE))
        measure(name + "rgba/by=torch", by_torch, size)

    if cv:
        yuv = rng.integers(0, 256, (height * 3 // 2, width), np.uint8)
        rgb = np.empty((height, width, 3), np.uint8)
        plane, part = np.empty((h, w), np.uint8), np.empty((h, w, 3), np.uint8)
        bordered = np.empty((*shape, 3), np.uint8)

        def blob(m):
            if at:
                m = cv.copyMakeBorder(m, at, shape[0] - h - at, 0, 0, cv.BORDER_CONSTANT, bordered, (114, 114, 114))
            return cv.dnn.blobFromImage(m, float(SCALE))

        def split(m):
            if at:
                out.fill(GREY)
            for c in range(3):
                cv.multiply(cv.extractChannel(m, c, plane), 1.0, inside[c], float(SCALE), cv.CV_32F)
        window = slice(top, top + h), slice(left, left + w)
        measure(name + "rgba/by=opencv", lambda: split(rgba[window]), size)
        measure(name + "rgba/by=blobFromImage", lambda: blob(cv.cvtColor(rgba[window], cv.COLOR_RGBA2RGB, part)), size)
        kinds = {"ycbcr": cv.COLOR_YUV2RGB_I420}
        if to == "1080p":
            kinds["nv12"] = cv.COLOR_YUV2RGB_NV12
        for kind, code in kinds.items():
            measure(f"{name}{kind}/by=opencv", lambda: split(cv.cvtColor(yuv, code, rgb)[window]), size)
            measure(f"{name}{kind}/by=blobFromImage", lambda: blob(cv.cvtColor(yuv, code, rgb)[window]), size)


def numbers():
    rgba = rng.integers(0, 256, (1080, 1920, 4), np.uint8)
    half, single = np.empty((3, 1080, 1920), np.float16), np.empty((3, 1080, 1920), np.float32)
    planes = rng.random((3, 1024, 1024), np.float32) * np.float32(1.2) - np.float32(0.1)
    back, scaled = np.empty((1024, 1024, 4), np.uint8), np.empty((3, 1024, 1024), np.float32)
    back[..., 3] = 255

    def half_numpy():
        np.multiply(rgba[..., :3].transpose(2, 0, 1), SCALE, out=single)
        half[:] = single.astype(np.float16)
    measure("Conversions/rgba/to=float16/by=numpy", half_numpy, half.nbytes)

    def back_numpy():
        np.multiply(planes, np.float32(255), out=scaled)
        np.rint(scaled, out=scaled)
        np.clip(scaled, 0, 255, out=scaled)
        back[..., :3] = scaled.transpose(1, 2, 0)
    measure("Conversions/picture/by=numpy", back_numpy, back.nbytes)
    if torch:
        t, s = torch.from_numpy(rgba), torch.from_numpy(single)
        measure("Conversions/rgba/to=float16/by=torch", lambda: s.copy_(t[..., :3].permute(2, 0, 1)).mul_(float(SCALE)).half(), half.nbytes)
    if cv:
        def back_opencv():  # convertTo is convertScaleAbs in Python, for what is positive
            cv.merge([cv.convertScaleAbs(p, None, 255) for p in np.maximum(planes, 0, out=scaled)] + [back[..., 3].copy()], back)
        measure("Conversions/picture/by=opencv", back_opencv, back.nbytes)


for library in filter(None, (np, cv, torch)):
    print(f"{library.__name__}: {library.__version__}")
picture("letterbox", 360, 640, (0, 0, 360, 640), (640, 640), 140)
picture("crop", 360, 640, (68, 208, 224, 224), (224, 224), 0)
picture("1080p", 1080, 1920, (0, 0, 1080, 1920), (1080, 1920), 0)
numbers()
