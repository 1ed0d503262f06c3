"""How far resized pictures of other libraries are from this one's: pictures.py -differences. Each row
is over both photographs of testdata, to 224 x 224 and to 640 x 640, or to 224 x 224 alone where a side
may not grow. Of npm's packages only those take part that node finds from the folder in NODE_MODULES.
"""
import ctypes
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PHOTOGRAPHS = [os.path.join(HERE, "..", "testdata", name) for name in ("astronaut.png", "chelsea.png")]
SHRUNK, GROWN = (224, 224), (640, 640)

SHARP = """
const sharp = require('sharp')
const [file, kernel, w, h] = process.argv.slice(1)
sharp(file).removeAlpha().resize(+w, +h, {fit: 'fill', kernel, fastShrinkOnLoad: false}).raw().toBuffer().then(b => process.stdout.write(b))
"""
TFJS = """
const write = process.stdout.write.bind(process.stdout)
console.log = console.warn = () => {}
const tf = require('@tensorflow/tfjs')
const [file, rule, w, h, width, height] = process.argv.slice(1)
const pixels = require('fs').readFileSync(0)
const m = tf.tensor3d(new Float32Array(pixels), [+height, +width, 3])
const f = rule === 'nearest' ? tf.image.resizeNearestNeighbor : tf.image.resizeBilinear
write(Buffer.from(Uint8Array.from(f(m, [+h, +w], false, true).dataSync(), v => Math.round(v))))
"""
TRANSFORMERS = """
const [file, rule, w, h, width, height] = process.argv.slice(1)
import('@huggingface/transformers').then(async ({RawImage}) => {
  const m = new RawImage(new Uint8ClampedArray(require('fs').readFileSync(0)), +width, +height, 3)
  process.stdout.write(Buffer.from((await m.resize(+w, +h, {resample: +rule})).data))
})
"""


def node(script, m, path, rule, w, h):
    args = ["node", "-e", script, "--", path, rule, str(w), str(h), str(m.shape[1]), str(m.shape[0])]
    out = subprocess.run(args, input=m.tobytes(), capture_output=True, check=True, cwd=os.environ["NODE_MODULES"]).stdout
    return np.frombuffer(out, np.uint8).reshape(h, w, 3)


def packages():
    """The scripts of npm's packages that are there, by name."""
    at = os.environ.get("NODE_MODULES")
    scripts = {"sharp": SHARP, "@tensorflow/tfjs": TFJS, "@huggingface/transformers": TRANSFORMERS}
    return {name: s for name, s in scripts.items() if at and os.path.exists(os.path.join(at, "node_modules", name))}


def libyuv_by(libyuv, mode):
    def resize(m, path, w, h):
        rgba, out = np.dstack((m, np.full(m.shape[:2], 255, np.uint8))), np.empty((h, w, 4), np.uint8)
        pointer = lambda a: a.ctypes.data_as(ctypes.c_void_p)
        libyuv.ARGBScale(pointer(rgba), 4 * m.shape[1], m.shape[1], m.shape[0], pointer(out), 4 * w, w, h, mode)
        return out[..., :3]
    return resize


def calls(cv, torch, pillow, libyuv, go):
    """Lists of a library's name, its call, our filter, the sizes, and the function."""
    rows = []
    if pillow:
        import PIL
        name = "Pillow " + PIL.__version__
        for f in ("bilinear", "bicubic", "lanczos", "box", "hamming", "nearest"):
            rows.append((name, f"resize(..., {f.upper()})", f, (SHRUNK, GROWN), lambda m, path, w, h, f=f: np.asarray(pillow.fromarray(m).resize((w, h), pillow.Resampling[f.upper()]))))
        rows.append((name, "resize(..., BICUBIC, reducing_gap=2)", "bicubic", ((56, 56),), lambda m, path, w, h: np.asarray(pillow.fromarray(m).resize((w, h), pillow.BICUBIC, reducing_gap=2))))
        rows.append((name, "resize(..., BOX)", "area", (SHRUNK,), lambda m, path, w, h: np.asarray(pillow.fromarray(m).resize((w, h), pillow.BOX))))
    if cv:
        name = "OpenCV " + cv.__version__
        for rule, f, sizes in (("LINEAR", "linear", (SHRUNK, GROWN)), ("AREA", "area", (SHRUNK,)), ("CUBIC", "bicubic", (GROWN,)), ("CUBIC", "bicubic", (SHRUNK,)),
                               ("LANCZOS4", "lanczos", (GROWN,)), ("NEAREST", "nearest", (SHRUNK, GROWN)), ("AREA", "box", (SHRUNK,)), ("LINEAR", "bilinear", (SHRUNK,))):
            rows.append((name, f"resize(..., INTER_{rule})", f, sizes, lambda m, path, w, h, rule=rule: cv.resize(m, (w, h), interpolation=getattr(cv, "INTER_" + rule))))
    if torch:
        name = "PyTorch " + torch.__version__.split("a")[0]
        def interpolate(m, w, h, mode, antialias):
            t = torch.from_numpy(m.copy()).permute(2, 0, 1)[None].float()
            out = torch.nn.functional.interpolate(t, (h, w), mode=mode, align_corners=False, antialias=antialias)
            return out.round().clamp(0, 255).byte()[0].permute(1, 2, 0).numpy()
        for mode, f, antialias in (("bilinear", "bilinear", True), ("bicubic", "bicubic", True), ("bilinear", "linear", False)):
            rows.append((name, f'interpolate(float32, "{mode}", antialias={antialias})', f, (SHRUNK, GROWN),
                         lambda m, path, w, h, mode=mode, antialias=antialias: interpolate(m, w, h, mode, antialias)))
    if libyuv:
        for mode, label, f in ((3, "kFilterBox", "box"), (2, "kFilterBilinear", "linear"), (0, "kFilterNone", "nearest")):
            rows.append(("libyuv", f"ARGBScale(..., {label})", f, (SHRUNK,), libyuv_by(libyuv, mode)))
    for by, name, list_ in (("draw", "golang.org/x/image/draw", (("CatmullRom", "bicubic"), ("BiLinear", "bilinear"), ("ApproxBiLinear", "linear"), ("NearestNeighbor", "nearest"))),
                            ("imaging", "disintegration/imaging", (("CatmullRom", "bicubic"), ("Linear", "bilinear"), ("Lanczos", "lanczos"), ("Box", "box"), ("NearestNeighbor", "nearest")))):
        for call, f in list_:
            rows.append((name, call, f, (SHRUNK, GROWN), lambda m, path, w, h, by=by, f=f: go(by, f, path, w, h)))
    found = packages()
    if s := found.get("sharp"):
        for kernel, f in (("linear", "bilinear"), ("cubic", "bicubic"), ("lanczos3", "lanczos")):
            for size in (SHRUNK, GROWN):
                rows.append(("sharp", f"resize({{kernel: '{kernel}'}})", f, (size,), lambda m, path, w, h, kernel=kernel: node(s, m, path, kernel, w, h)))
    if t := found.get("@tensorflow/tfjs"):
        rows.append(("tfjs", "resizeBilinear(..., halfPixelCenters)", "linear", (SHRUNK, GROWN), lambda m, path, w, h: node(t, m, path, "bilinear", w, h)))
        rows.append(("tfjs", "resizeNearestNeighbor(..., halfPixelCenters)", "nearest", (SHRUNK, GROWN), lambda m, path, w, h: node(t, m, path, "nearest", w, h)))
    if x := found.get("@huggingface/transformers"):
        for rule, f in (("2", "bilinear"), ("3", "bicubic"), ("1", "lanczos")):
            rows.append(("transformers.js", f"RawImage.resize, resample {rule}", f, (SHRUNK,), lambda m, path, w, h, rule=rule: node(x, m, path, rule, w, h)))
    return rows


def main(cv, torch, pillow, libyuv):
    with tempfile.TemporaryDirectory() as at:
        program = os.path.join(at, "differences")
        subprocess.run(["go", "build", "-o", program, "./differences"], cwd=HERE, check=True)

        def go(by, f, path, w, h):
            out = subprocess.run([program, by, f, str(w), str(h), path], capture_output=True, check=True).stdout
            return np.frombuffer(out, np.uint8).reshape(h, w, 3)
        photographs = [(path, np.asarray(pillow.open(path).convert("RGB"))) for path in PHOTOGRAPHS]
        print("| library | its call | ours | to | differ | by at most | mean |\n|---|---|---|---|---|---|---|")
        for name, call, f, sizes, resize in calls(cv, torch, pillow, libyuv, go):
            off = np.concatenate([np.abs(resize(m, path, w, h).astype(int) - go("dml", f, path, w, h)).ravel() for path, m in photographs for w, h in sizes])
            to = " and ".join(str(w) for w, h in sizes)
            share = "none" if not off.any() else f"{100 * np.count_nonzero(off) / off.size:.2f} %"
            print(f"| {name} | `{call}` | {f.capitalize()} | {to} | {share} | {off.max()} | {off.mean():.3f} |", flush=True)
