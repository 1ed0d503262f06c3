#!/usr/bin/env python3
"""check.py: writes photographs of testdata and 100 random pictures as JPEG files, lets jpegplanes decode them, and compares the bytes
R, G and B with Pillow's. Needs Debian's python3-pil, python3-numpy and libturbojpeg0-dev. Fails if a byte differs; prints how many
files agree, and the times of jpegplanes for 1080p beside Pillow's."""
import pathlib, random, subprocess, sys, tempfile, time, zlib
import numpy as np
from PIL import Image, features

bench = pathlib.Path(__file__).resolve().parents[1]
random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)

def pictures():
    for name in ("astronaut", "chelsea"):
        m = Image.open(bench.parent / "testdata" / (name + ".png")).convert("RGB")
        for quality in (30, 75, 95):
            for subsampling in (0, 1, 2): yield m, dict(quality=quality, subsampling=subsampling)
    m = Image.open(bench.parent / "testdata" / "astronaut.png").convert("RGB").resize((1920, 1080))
    yield m, dict(quality=85, subsampling=2)
    for _ in range(100):
        w, h = random.choice([random.randint(1, 17), random.randint(1, 300)]), random.choice([random.randint(1, 17), random.randint(1, 300)])
        rough = np.random.default_rng(random.getrandbits(32)).integers(0, 256, (max(1, h // random.randint(1, 9)), max(1, w // random.randint(1, 9)), 3), np.uint8)
        m = Image.fromarray(rough).resize((w, h), Image.BICUBIC)
        if random.random() < .15: m = m.convert("L")
        kind = dict(quality=random.randint(1, 100), progressive=random.random() < .3, optimize=random.random() < .3)
        if m.mode == "RGB": kind["subsampling"] = random.choice([0, 1, 2])
        yield m, kind

with tempfile.TemporaryDirectory() as folder:
    files = []
    for i, (m, kind) in enumerate(pictures()):
        files.append(f"{folder}/{i}.jpg")
        m.save(files[-1], "JPEG", **kind)
    run = subprocess.run(["go", "-C", str(bench), "run", "-tags", "turbojpeg", "./jpegplanes", *files], capture_output=True, text=True)
    if run.returncode: sys.exit(run.stderr)
    differ = 0
    for line in run.stdout.splitlines():
        name, pixels, crc, turbo, standard = line.split()
        want = zlib.crc32(Image.open(name).convert("RGB").tobytes())
        differ += int(crc, 16) != want
        if int(pixels) == 1920 * 1080:
            times = []
            for _ in range(8):
                start = time.perf_counter()
                np.asarray(Image.open(name).convert("RGB"))
                times.append(1e3 * (time.perf_counter() - start))
            print(f"1080p: libjpeg-turbo's planes and LibJPEG {turbo} ms, image/jpeg and LibJPEG {standard}, Pillow {min(times):.2f}")
    print(f"{len(files)} files, {differ} different from Pillow {Image.__version__}, libjpeg-turbo {features.version('libjpeg_turbo')}")
    sys.exit(differ > 0)
