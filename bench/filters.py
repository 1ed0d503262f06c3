"""Pictures of the sizes of BenchmarkFilters, of R, G, B and a fourth byte, by the Pillow that Python finds:

    PYTHONPATH=folder/src python3.8 bench/filters.py

prints the least microseconds of each size and filter. folder has Pillow-SIMD 7, built there by
CC='cc -mavx2' python3.8 setup.py build_ext --inplace. turns.py -cells prints this library's. The time
does not depend on the samples, which are noise.
"""
import time

import PIL
from PIL import Image

FILTERS = {"box": Image.BOX, "bilinear": Image.BILINEAR, "hamming": Image.HAMMING, "bicubic": Image.BICUBIC, "lanczos": Image.LANCZOS}
TURN = .06  # seconds of each

print("Pillow", PIL.__version__)
for size, result in (((160, 160), (640, 640)), ((512, 512), (224, 224)), ((640, 480), (299, 224)),
                     ((1920, 1080), (640, 360)), ((4032, 3024), (299, 224)), ((4928, 3279), (852, 567))):
    picture = Image.merge("RGBX", [Image.effect_noise(size, 100)] * 4)
    for name, by in FILTERS.items():
        least, end, turns = 1e9, time.perf_counter() + TURN, 0
        while turns < 3 or time.perf_counter() < end:
            start = time.perf_counter()
            picture.resize(result, by)
            least, turns = min(least, time.perf_counter() - start), turns + 1
        print(f"from={size[0]}x{size[1]}/to={result[0]}x{result[1]}/filter={name} {least * 1e6:.1f}", flush=True)
