"""The photographs of BenchmarkPictures and BenchmarkResize, the planes of BenchmarkFrameOfJPEG and the
first works of BenchmarkConversions by this library and by loops in Go, beside what is there of OpenCV, NumPy,
PyTorch, Pillow, libyuv, libjpeg-turbo, libvips and libswscale, each on one thread:

    python3 bench/pictures.py

prints a table of microseconds, the least of five rounds, in each of which all take turns: a minute or
two after the build. -only takes the rows that begin so: -only Resize/from=512x512. With -lines it also prints every round as Go's benchmarks do, for benchstat.

    NODE_MODULES=folder python3 bench/pictures.py -differences

prints how far their resized pictures are from this library's; see differences.py.

OpenCV makes R, G and B by limited-range BT.601 alone, which is as much work as any other matrix.
blobFromImage, Pillow and PyTorch's interpolate return memory of their own each time; all else writes
to memory that is there before. PyTorch resizes float32 numbers in planes. libjpeg-turbo's step is its
tjDecodeYUVPlanes: colours of planes that are decoded before, with chroma that are repeated.
"""
import collections
import ctypes
import ctypes.util
import importlib
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np


def load(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print("no", name, file=sys.stderr)


def native(name):
    found = ctypes.util.find_library(name)
    return ctypes.CDLL(found) if found else print("no", name, file=sys.stderr)


cv, torch, pillow = load("cv2"), load("torch"), load("PIL.Image")
libyuv, vips, swscale, avutil, turbojpeg = (native(name) for name in ("yuv", "vips", "swscale", "avutil", "turbojpeg"))
if cv:
    cv.setNumThreads(1)
if torch:
    torch.set_num_threads(1)
rng = np.random.default_rng(1)
HERE = os.path.dirname(os.path.abspath(__file__))
if "-differences" in sys.argv:
    import differences
    differences.main(cv, torch, pillow, libyuv)
    sys.exit()
SCALE = np.float32(1 / 255)
GREY = np.float32(114 / 255)
ROUNDS, TURN = 5, .1  # seconds of a turn
ONLY = sys.argv[sys.argv.index("-only") + 1] if "-only" in sys.argv else ""
SIZES = "from=1920x1080", "from=4032x3024", "from=512x512", "from=160x160"
PLANES = "from=256x256", "from=160x160", "from=1920x1080"
GROUPS = [max(g, ONLY, key=len) for g in ("Pictures/to=letterbox", "Pictures/to=crop", "Pictures/to=1080p", "Conversions/^(rgba|picture|sound|voices)$",
                      *("Resize/" + size for size in SIZES), *("Planes/" + size for size in PLANES), "FrameOfJPEG/to=(hwc|rgba)") if g.startswith(ONLY) or ONLY.startswith(g)]
LINE = re.compile(r"Benchmark((?:Pictures|Conversions|Resize|Planes|FrameOfJPEG)/\S+)/by=(\S+)\s+\d+\s+([\d.]+) ns/op")
BY = ("dml", "at", "pix", "loop", "stream", "go", "draw", "opencv", "blobFromImage", "numpy", "torch", "pillow", "libyuv", "libjpeg", "vips", "swscale")

rows = collections.defaultdict(dict)  # by their names, the functions of Python by who runs them


def measure(name, f):
    row, by = name.split("/by=")
    rows[row][by] = f


def photo(height, width):
    """testdata/astronaut.png in R, G, B and A, mirrored where it ends, as BenchmarkPictures has it."""
    with tempfile.TemporaryDirectory() as at:
        npy = os.path.join(at, "photo.npy")
        subprocess.run(["go", "run", "./slice1/cmd/slice1", "[..., :3]", "testdata/astronaut.png", npy], cwd=os.path.dirname(HERE), check=True)
        rgb = np.load(npy)
    h, w = rgb.shape[:2]
    rgb = np.pad(rgb, ((0, max(0, height - h)), (0, max(0, width - w)), (0, 0)), "symmetric")[:height, :width]
    return np.dstack((rgb, np.full((height, width), 255, np.uint8)))


def picture(to, height, width, window, shape, at):
    """Pictures of a window (top, left, height, width) in planes of a shape, from row `at` on."""
    top, left, h, w = window
    rgba = photo(height, width)
    out = np.empty((1, 3, *shape), np.float32)
    inside = out[0, :, at:at + h]
    name = f"Pictures/to={to}/from="

    def by_numpy():
        if at:
            out.fill(GREY)
        np.multiply(rgba[top:top + h, left:left + w, :3].transpose(2, 0, 1), SCALE, out=inside)
    measure(name + "rgba/by=numpy", by_numpy)

    if torch:
        t, o = torch.from_numpy(rgba), torch.from_numpy(out)
        i = o[0, :, at:at + h]

        def by_torch():
            if at:
                o.fill_(float(GREY))
            i.copy_(t[top:top + h, left:left + w, :3].permute(2, 0, 1)).mul_(float(SCALE))
        measure(name + "rgba/by=torch", by_torch)

    if cv:
        yuv = cv.cvtColor(rgba, cv.COLOR_RGBA2YUV_I420)
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
        measure(name + "rgba/by=opencv", lambda: split(rgba[window]))
        measure(name + "rgba/by=blobFromImage", lambda: blob(cv.cvtColor(rgba[window], cv.COLOR_RGBA2RGB, part)))
        kinds = {"ycbcr": (yuv, cv.COLOR_YUV2RGB_I420)}
        if to == "1080p":
            chroma = yuv[height:].reshape(2, -1)
            pairs = np.vstack((yuv[:height], chroma.T.reshape(height // 2, width)))
            kinds["nv12"] = pairs, cv.COLOR_YUV2RGB_NV12
        for kind, (samples, code) in kinds.items():
            measure(f"{name}{kind}/by=opencv", lambda samples=samples, code=code: split(cv.cvtColor(samples, code, rgb)[window]))
            measure(f"{name}{kind}/by=blobFromImage", lambda samples=samples, code=code: blob(cv.cvtColor(samples, code, rgb)[window]))


def numbers():
    rgba = rng.integers(0, 256, (1080, 1920, 4), np.uint8)
    chw = rgba[..., :3].transpose(2, 0, 1)
    whole, half, single = (np.empty((3, 1080, 1920), t) for t in (np.int8, np.float16, np.float32))
    mean, deviation = (np.array(v, np.float32).reshape(3, 1, 1) for v in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    factor, bias = SCALE / deviation, -mean / deviation
    planes = rng.random((3, 1024, 1024), np.float32) * np.float32(1.2) - np.float32(0.1)
    back, scaled = np.empty((1024, 1024, 4), np.uint8), np.empty((3, 1024, 1024), np.float32)
    back[..., 3] = 255
    sound = rng.integers(-32768, 32767, (48000, 2), np.int16)
    swapped, voices, scratch = sound.astype(">i2"), np.empty((2, 48000), np.float32), np.empty((2, 48000), np.float32)

    def normalise():
        np.multiply(chw, factor, out=single)
        np.add(single, bias, out=single)

    def half_numpy():
        normalise()
        half[:] = single

    def whole_numpy():
        np.multiply(chw, np.float32(.5), out=single)
        np.subtract(single, 64, out=single)
        np.rint(single, out=single)
        whole[:] = single  # all of it fits

    def back_numpy():
        np.multiply(planes, np.float32(255), out=scaled)
        np.rint(scaled, out=scaled)
        np.clip(scaled, 0, 255, out=scaled)
        back[..., :3] = scaled.transpose(1, 2, 0)

    def sound_numpy(samples):
        np.multiply(samples.T, np.float32(1 / 32768), out=voices)

    def voices_numpy():
        np.multiply(voices, np.float32(32767), out=scratch)
        np.rint(scratch, out=scratch)
        np.clip(scratch, -32768, 32767, out=scratch)
        sound[:] = scratch.T
    name = "Conversions/"
    measure(name + "rgba/to=float32/by=numpy", normalise)
    measure(name + "rgba/to=float16/by=numpy", half_numpy)
    measure(name + "rgba/to=int8/by=numpy", whole_numpy)
    measure(name + "picture/by=numpy", back_numpy)
    measure(name + "sound/order=LittleEndian/by=numpy", lambda: sound_numpy(sound))
    measure(name + "sound/order=BigEndian/by=numpy", lambda: sound_numpy(swapped))
    measure(name + "voices/by=numpy", voices_numpy)
    if torch:
        t, s, h, w = (torch.from_numpy(a) for a in (chw, single, half, whole))
        f, b, p, k = (torch.from_numpy(a) for a in (factor, bias, planes, back))
        i, v = torch.from_numpy(sound), torch.from_numpy(voices)
        measure(name + "rgba/to=float32/by=torch", lambda: s.copy_(t).mul_(f).add_(b))
        measure(name + "rgba/to=float16/by=torch", lambda: h.copy_(s.copy_(t).mul_(f).add_(b)))
        measure(name + "rgba/to=int8/by=torch", lambda: w.copy_(s.copy_(t).mul_(.5).sub_(64).round_()))
        measure(name + "picture/by=torch", lambda: k[..., :3].copy_(p.mul(255).round_().clamp_(0, 255).permute(1, 2, 0)))
        measure(name + "sound/order=LittleEndian/by=torch", lambda: v.copy_(i.T).mul_(1 / 32768))
        measure(name + "voices/by=torch", lambda: i.copy_(v.mul(32767).round_().clamp_(-32768, 32767).T))
    if cv:
        def back_opencv():  # convertTo is convertScaleAbs in Python, for what is positive
            cv.merge([cv.convertScaleAbs(p, None, 255) for p in np.maximum(planes, 0, out=scaled)] + [back[..., 3].copy()], back)

        def normalise_opencv():
            for c in range(3):
                cv.multiply(cv.extractChannel(rgba, c), 1.0, single[c], float(factor[c, 0, 0]), cv.CV_32F)
                cv.add(single[c], float(bias[c, 0, 0]), single[c])
        measure(name + "rgba/to=float32/by=opencv", normalise_opencv)
        measure(name + "picture/by=opencv", back_opencv)


def by_vips(rgba, to, kernel):
    """A function that resizes to rows of memory of its own, as libvips does. It caches nothing."""
    pointer, size, one = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_double
    glib, objects = native("glib-2.0"), native("gobject-2.0")
    vips.vips_init(b"")
    vips.vips_concurrency_set(1)
    vips.vips_cache_set_max(0)
    vips.vips_image_new_from_memory.restype = vips.vips_image_write_to_memory.restype = pointer
    vips.vips_image_new_from_memory.argtypes = [pointer, size] + [ctypes.c_int] * 4
    h, w = rgba.shape[:2]
    src = pointer(vips.vips_image_new_from_memory(rgba.ctypes.data, rgba.nbytes, w, h, 4, 0))

    def resize(keep=rgba):
        out, length = pointer(), size()
        if vips.vips_resize(src, ctypes.byref(out), one(to[0] / w), b"vscale", one(to[1] / h), b"kernel", kernel, b"gap", one(0), None):
            raise RuntimeError("vips_resize")
        glib.g_free(pointer(vips.vips_image_write_to_memory(out, ctypes.byref(length))))
        objects.g_object_unref(out)
    return resize


def by_swscale(rgba, out, flags):
    swscale.sws_getContext.restype = ctypes.c_void_p
    rgba_format, (h, w), (to_h, to_w) = avutil.av_get_pix_fmt(b"rgba"), rgba.shape[:2], out.shape[:2]
    context = ctypes.c_void_p(swscale.sws_getContext(w, h, rgba_format, to_w, to_h, rgba_format, flags, None, None, None))

    def plane(m):
        return (ctypes.c_void_p * 4)(m.ctypes.data), (ctypes.c_int * 4)(m.strides[0])
    args = context, *plane(rgba), 0, h, *plane(out)
    return lambda keep=(rgba, out): swscale.sws_scale(*args)


def resizes():
    kernels = {"nearest": 0, "bilinear": 1, "bicubic": 2, "lanczos": 5}  # VipsKernel
    flags = {"nearest": 0x10, "box": 0x20, "bilinear": 2, "bicubic": 4, "lanczos": 0x200}  # SWS_POINT, SWS_AREA, ...
    filters = ("nearest", "linear", "box", "bilinear", "hamming", "bicubic", "lanczos", "area")
    for w, h, to_w, to_h in ((1920, 1080, 960, 540), (1920, 1080, 640, 360), (1920, 1080, 224, 224), (4032, 3024, 224, 224), (512, 512, 224, 224), (160, 160, 640, 640)):
        rgba, out = photo(h, w), np.empty((to_h, to_w, 4), np.uint8)
        for name in filters:
            if (name != "area" and (w, to_w) in ((1920, 960), (1920, 224))) or (name == "area" and to_w > w):
                continue
            row = f"Resize/from={w}x{h}/to={to_w}x{to_h}/filter={name}/by="
            if pillow and name not in ("linear", "area"):  # RGBX, since Pillow multiplies RGBA by alpha before it resizes
                m, f = pillow.frombuffer("RGBX", (w, h), rgba.tobytes(), "raw", "RGBX", 0, 1), getattr(pillow.Resampling, name.upper())
                measure(row + "pillow", lambda m=m, f=f, to=(to_w, to_h): m.resize(to, f))
            if cv and name in ("nearest", "linear", "area"):
                f = getattr(cv, "INTER_" + name.upper())
                measure(row + "opencv", lambda rgba=rgba, out=out, f=f, to=(to_w, to_h): cv.resize(rgba, to, out, interpolation=f))
            for pixels, mode, m in ("RGB", "RGB", np.ascontiguousarray(rgba[..., :3])), ("grey", "L", np.ascontiguousarray(rgba[..., 1])):
                of_pixels = f"Resize/from={w}x{h}/to={to_w}x{to_h}/pixels={pixels}/filter={name}/by="
                if pillow and name not in ("linear", "area"):
                    unpacked, f = pillow.frombuffer(mode, (w, h), m.tobytes(), "raw", mode, 0, 1), getattr(pillow.Resampling, name.upper())
                    measure(of_pixels + "pillow", lambda m=unpacked, f=f, to=(to_w, to_h): m.resize(to, f))
                if cv and name in ("nearest", "linear", "area"):
                    small, f = np.empty((to_h, to_w) + m.shape[2:], np.uint8), getattr(cv, "INTER_" + name.upper())
                    measure(of_pixels + "opencv", lambda m=m, out=small, f=f, to=(to_w, to_h): cv.resize(m, to, out, interpolation=f))
            if torch and name in ("bilinear", "bicubic"):
                t = torch.from_numpy(rgba).permute(2, 0, 1)[None].float().contiguous()
                measure(row + "torch", lambda t=t, name=name, to=(to_h, to_w): torch.nn.functional.interpolate(t, to, mode=name, antialias=True))
            if libyuv and name in ("nearest", "linear"):
                f = {"nearest": 0, "linear": 2}[name]
                args = rgba.ctypes.data_as(ctypes.c_void_p), 4 * w, w, h, out.ctypes.data_as(ctypes.c_void_p), 4 * to_w, to_w, to_h, f
                measure(row + "libyuv", lambda args=args, keep=(rgba, out): libyuv.ARGBScale(*args))
            if vips and name in kernels:
                measure(row + "vips", by_vips(rgba, (to_w, to_h), kernels[name]))
            if swscale and avutil and name in flags:
                measure(row + "swscale", by_swscale(rgba, out, flags[name]))
    if pillow:  # to a letterbox of float32
        m = pillow.frombuffer("RGBX", (1920, 1080), photo(1080, 1920).tobytes(), "raw", "RGBX", 0, 1)
        planes = np.empty((3, 640, 640), np.float32)

        def letterbox():
            small = np.asarray(m.resize((640, 360), pillow.Resampling.BILINEAR))
            planes.fill(GREY)
            np.multiply(small[..., :3].transpose(2, 0, 1), SCALE, out=planes[:, 140:500])
        measure("Resize/from=1920x1080/to=letterbox/filter=bilinear/by=pillow", letterbox)


def jpegs():
    """Planes of 1080p in 4:2:0 that become R, G and B, or R, G, B and 255, as libjpeg-turbo does it."""
    if not turbojpeg:
        return
    planes = [rng.integers(0, 256, size, np.uint8) for size in ((1080, 1920), (540, 960), (540, 960))]
    turbojpeg.tjInitDecompress.restype = ctypes.c_void_p
    handle, subsampling = ctypes.c_void_p(turbojpeg.tjInitDecompress()), 2  # TJSAMP_420
    pointers, strides = (ctypes.c_void_p * 3)(*(p.ctypes.data for p in planes)), (ctypes.c_int * 3)(*(p.shape[1] for p in planes))
    for to, channels, pixels in (("hwc", 3, 0), ("rgba", 4, 7)):  # TJPF_RGB, TJPF_RGBA
        out = np.empty((1080, 1920, channels), np.uint8)
        args = handle, pointers, strides, subsampling, ctypes.c_void_p(out.ctypes.data), 1920, 1920 * channels, 1080, pixels, 0

        def decode(args=args, keep=(planes, out)):
            if turbojpeg.tjDecodeYUVPlanes(*args):
                raise RuntimeError("tjDecodeYUVPlanes")
        measure(f"FrameOfJPEG/to={to}/colours=repeated/by=libjpeg", decode)


def resized_planes():
    """Three planes of float32. OpenCV resizes one after another."""
    for w, h, to_w, to_h in ((256, 256, 1024, 1024), (160, 160, 1920, 1080), (1920, 1080, 640, 360)):
        planes, out = rng.standard_normal((3, h, w), np.float32), np.ones((3, to_h, to_w), np.float32)
        for name in ("nearest", "linear", "box", "bilinear", "hamming", "bicubic", "lanczos"):
            row = f"Planes/from={w}x{h}/to={to_w}x{to_h}/filter={name}/by="
            if pillow and name != "linear":
                each, f = [pillow.fromarray(p) for p in planes], getattr(pillow.Resampling, name.upper())
                measure(row + "pillow", lambda each=each, f=f, to=(to_w, to_h): [m.resize(to, f) for m in each])
            if cv and name in ("nearest", "linear"):
                f = getattr(cv, "INTER_" + name.upper())
                measure(row + "opencv", lambda planes=planes, out=out, f=f, to=(to_w, to_h): [cv.resize(p, to, o, interpolation=f) for p, o in zip(planes, out)])
            if torch and name == "linear":
                t = torch.from_numpy(planes)[None]
                measure(row + "torch", lambda t=t, to=(to_h, to_w): torch.nn.functional.interpolate(t, to, mode="bilinear", align_corners=False))


def turn(f):
    """Microseconds of a call of f, by as many as fill a turn."""
    f()
    start = time.perf_counter()
    f()
    reps = max(1, int(TURN / max(1e-7, time.perf_counter() - start)))
    start = time.perf_counter()
    for _ in range(reps):
        f()
    return (time.perf_counter() - start) / reps * 1e6


def race():
    """The least microseconds of each row and of all who run it."""
    least = collections.defaultdict(dict)

    def took(row, by, us):
        least[row][by] = min(us, least[row].get(by, us))
        if "-lines" in sys.argv:
            print(f"Benchmark{row}/by={by} 1 {us * 1000:.0f} ns/op", flush=True)
    with tempfile.TemporaryDirectory() as at:
        program = os.path.join(at, "bench.test")
        subprocess.run(["go", "test", "-c", "-o", program, "."], cwd=HERE, check=True)
        for _ in range(ROUNDS):
            for group in GROUPS:
                lines = subprocess.run([program, "-test.run", "-", "-test.bench", group, "-test.benchtime", f"{TURN}s", "-test.cpu", "1"],
                                       cwd=HERE, check=True, capture_output=True, text=True).stdout
                for row, by, ns in LINE.findall(lines):
                    took(row, by, float(ns) / 1000)
                for row in rows:
                    if row.startswith(re.split("[(^]", group)[0]):
                        for by, f in rows[row].items():
                            took(row, by, turn(f))
    return least


def table(least):
    """Prints the rows that a library has, too; the last column is the fastest library's time over dml's."""
    print("|".join(["", " microseconds", *(f" {by} " for by in BY), " x best library ", ""]))
    print("|---" * (len(BY) + 2) + "|")
    for row, times in least.items():
        others = {by: us for by, us in times.items() if by in BY[BY.index("opencv"):]}
        if "dml" in times and others:
            best = min(others, key=others.get)
            cells = [f" {times[by]:,.{0 if times[by] >= 100 else 1}f} " if by in times else " " for by in BY]
            print("|".join(["", f" {row} ", *cells, f" {others[best] / times['dml']:.2f} {best} ", ""]))


for library in filter(None, (np, cv, torch)):
    print(f"{library.__name__}: {library.__version__}")
if ONLY.startswith("Resize") or not ONLY:
    resizes()
if ONLY.startswith("Planes") or not ONLY:
    resized_planes()
picture("letterbox", 360, 640, (0, 0, 360, 640), (640, 640), 140)
picture("crop", 360, 640, (68, 208, 224, 224), (224, 224), 0)
picture("1080p", 1080, 1920, (0, 0, 1080, 1920), (1080, 1920), 0)
numbers()
jpegs()
table(race())
