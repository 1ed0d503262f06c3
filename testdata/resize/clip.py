#!/usr/bin/env python3
"""clip.py: CLIP's input of pictures by torchvision and by clip.go, from PNGs and from JPEGs that
Pillow makes of them, 4:4:4 and 4:2:0. Prints a line for each: how many of the decoded samples, of the
resized samples and of the numbers differ, by how much at most, and by how much on average.
Needs python3-torchvision and Go.
"""
import os, subprocess, tempfile
import numpy as np
from PIL import Image
from torchvision import transforms as T

HERE = os.path.dirname(os.path.abspath(__file__))
resized = T.Compose([T.Resize(224, T.InterpolationMode.BICUBIC), T.CenterCrop(224)])
numbers = T.Compose([T.ToTensor(), T.Normalize((0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711))])


def difference(a, b):
    off = np.abs(a.astype(np.float64) - b)
    return f"{np.count_nonzero(off)} of {off.size} differ, by {off.max():.3g} at most, {off.mean():.2g} on average"


def compare(name, path, program):
    m = Image.open(path).convert("RGB")
    out = subprocess.run([program, path], check=True, capture_output=True).stdout
    pixels, n = np.array(m), 3 * 224 * 224
    size = pixels.size
    print(name)
    print("  decoded:", difference(np.frombuffer(out, np.uint8, size), pixels.ravel()))
    print("  samples:", difference(np.frombuffer(out, np.uint8, n, size), np.array(resized(m)).transpose(2, 0, 1).ravel()))
    print("  numbers:", difference(np.frombuffer(out, np.float32, n, size + n), numbers(resized(m)).numpy().ravel()))


with tempfile.TemporaryDirectory() as at:
    program = os.path.join(at, "clip")
    subprocess.run(["go", "build", "-o", program, os.path.join(HERE, "clip.go")], cwd=HERE, check=True)
    for picture in "astronaut", "chelsea":
        png = os.path.join(HERE, "..", picture + ".png")
        compare(picture + ".png", png, program)
        for quality in 75, 95:
            for ratio, subsampling in ("4:4:4", 0), ("4:2:0", 2):
                jpeg = os.path.join(at, "picture.jpg")
                Image.open(png).convert("RGB").save(jpeg, quality=quality, subsampling=subsampling)
                compare(f"{picture}, JPEG of quality {quality}, {ratio}", jpeg, program)
