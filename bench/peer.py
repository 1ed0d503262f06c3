"""Slices with NumPy and ONNX Runtime, told what to do by lines of JSON.

All shapes, starts, steps and strides count elements; sizes of buffers are bytes.
"""
import itertools
import json
import sys
import time
import zlib

try:
    import numpy as np
except ImportError:
    print(json.dumps({"error": "no numpy for " + sys.executable}), flush=True)
    sys.exit()
try:
    import onnxruntime as ort
except ImportError:
    ort = None

UINT = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
# Types of ONNX by element size, with NumPy's; which of them Slice has depends on the build.
ONNX = {1: [(2, np.uint8)], 2: [(4, np.uint16), (10, np.float16)],
        4: [(1, np.float32), (6, np.int32)], 8: [(11, np.float64), (7, np.int64)]}
GAP = 0xEE
# The clock that the Go program takes: on Linux that of this thread alone.
clock = time.thread_time_ns if sys.platform == "linux" else time.perf_counter_ns
source = np.empty(0, np.uint8)
target = np.empty(0, np.uint8)


def fill(b):
    """Fills b with the bytes that fill of contender.go makes."""
    for lo in range(0, b.size, 1 << 22):
        x = np.arange(lo, min(lo + (1 << 22), b.size), dtype=np.uint32) * np.uint32(0x9E3779B1)
        x ^= x >> np.uint32(15)
        b[lo:lo + x.size] = (x * np.uint32(0x85EBCA6B) >> np.uint32(24)) & np.uint32(0xBF)


def arena(size, behind):
    """An array of size bytes that begins `behind` bytes behind a multiple of 2 MiB.

    NumPy asks for pages of 2 MiB for arrays of this size.
    """
    b = np.empty(size + (6 << 20), np.uint8)
    skip = -b.ctypes.data % (2 << 20) + behind
    return b[skip:skip + size]


def numpy_contender(d, src, dst):
    width = d["width"]
    first = sum(a * s for a, s in zip(d["start"], d["in_strides"]))
    view = np.lib.stride_tricks.as_strided(
        src.view(UINT[width])[first:], d["out"],
        [step * s * width for step, s in zip(d["step"], d["in_strides"])])
    out = np.lib.stride_tricks.as_strided(
        dst.view(UINT[width]), d["out"], [s * width for s in d["out_strides"]])
    return lambda copyto=np.copyto: copyto(out, view)


def varint(v):
    b = bytearray()
    while v > 127:
        b.append(v & 127 | 128)
        v >>= 7
    b.append(v)
    return bytes(b)


def field(number, v):
    """A field of a protocol buffer: an integer or bytes."""
    if isinstance(v, int):
        return varint(number << 3) + varint(v)
    return varint(number << 3 | 2) + varint(len(v)) + v


def slice_model(d, elem):
    """An ONNX model of one Slice node, from x to y."""
    def tensor(name, values):
        raw = b"".join(v.to_bytes(8, "little", signed=True) for v in values)
        return field(1, len(values)) + field(2, 7) + field(8, name) + field(9, raw)

    def value(name, shape):
        dims = b"".join(field(1, field(1, n)) for n in shape)
        return field(1, name) + field(2, field(1, field(1, elem) + field(2, dims)))

    ends = [a + step * n for a, step, n in zip(d["start"], d["step"], d["out"])]
    ends = [-(1 << 62) if e < 0 else e for e in ends]  # a plain negative end counts from the last element
    node = b"".join(field(1, n) for n in (b"x", b"starts", b"ends", b"axes", b"steps"))
    graph = field(1, node + field(2, b"y") + field(4, b"Slice")) + field(2, b"slice")
    for name, values in ((b"starts", d["start"]), (b"ends", ends), (b"axes", range(len(ends))), (b"steps", d["step"])):
        graph += field(5, tensor(name, list(values)))
    graph += field(11, value(b"x", d["shape"])) + field(12, value(b"y", d["out"]))
    return field(1, 8) + field(7, graph) + field(8, field(1, b"") + field(2, 13))


def onnx_contender(d, src, dst):
    if not d["packed"]:
        return None
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    for elem, dtype in ONNX[d["width"]]:
        try:
            session = ort.InferenceSession(slice_model(d, elem), options, providers=["CPUExecutionProvider"])
        except Exception:  # This build may not have the node for these elements; the type depends on that.
            continue
        binding = session.io_binding()
        binding.bind_input("x", "cpu", 0, dtype, d["shape"], src.ctypes.data)
        binding.bind_output("y", "cpu", 0, dtype, d["out"], dst.ctypes.data)
        return lambda: session.run_with_iobinding(binding)
    return None


makers = {"numpy": numpy_contender}
versions = {"numpy": np.__version__}
if ort:
    makers["onnxruntime"] = onnx_contender
    versions["onnxruntime"] = ort.__version__


def packed(sizes):
    strides = [1]
    for n in reversed(sizes[1:]):
        strides.insert(0, strides[0] * n)
    return strides


def task(order):
    """What contenders need of an order's descriptor."""
    d = order["desc"]
    given, made = d["Input"], d["Output"]
    return {
        "width": {"16": 2, "32": 4, "64": 8}.get(given["DataType"][-2:], 1),
        "shape": given["Sizes"], "out": made["Sizes"], "step": d["WindowStrides"],
        "start": [lo + n - 1 if step < 0 else lo for lo, n, step in zip(d["WindowOffsets"], d["WindowSizes"], d["WindowStrides"])],
        "packed": "Strides" not in given and "Strides" not in made,
        "in_strides": given.get("Strides") or packed(given["Sizes"]),
        "out_strides": made.get("Strides") or packed(made["Sizes"]),
        "src_bytes": order["src_bytes"], "dst_bytes": order["dst_bytes"]}


def setup(d):
    global source, target
    if source.size < d["src_bytes"]:
        source = arena(d["src_bytes"], 0)
        fill(source)
    if target.size < d["dst_bytes"]:
        target = arena(d["dst_bytes"], 516 << 10)
    src, dst = source[:d["src_bytes"]], target[:d["dst_bytes"]]
    able = {name: make(d, src, dst) for name, make in makers.items()}
    return dst, {name: f for name, f in able.items() if f}


print(json.dumps({"versions": versions}), flush=True)
contenders = {}
for text in sys.stdin:
    d = json.loads(text)
    if d["op"] == "setup":
        dst, contenders = setup(task(d))
        answer = {"names": list(contenders)}
    elif d["op"] == "sum":
        dst[:] = GAP
        contenders[d["name"]]()
        answer = {"sum": zlib.crc32(dst)}
    else:
        f = contenders[d["name"]]
        for _ in range(d.get("warm", 0)):
            f()
        turns = itertools.repeat(None, d["reps"])
        start = clock()
        for _ in turns:
            f()
        answer = {"ns": clock() - start}
    print(json.dumps(answer), flush=True)
