#!/usr/bin/env python3
"""frames.py SEED COUNT: random frames of videos, one a line, with the CRC-32 of what FFmpeg's default scaler or OpenCV's cvtColor makes
of them: R, G, B, pixel after pixel. frames.txt has some of them. Its fields, with spaces between them:

  rule     swscale or opencv
  format   yuv420p, yuv422p, nv12 or nv21, as FFmpeg's rawvideo has it, in rows without padding
  matrix   bt601 or bt709; of opencv bt601
  range    tv or pc; of opencv tv
  w h salt
  crc32

Byte i of a frame is that of plane 0 in cases.py, of kind noise. Needs ffmpeg (written with 5.1.9) and python3-opencv (4.6).
`PLANES_FRAMES=FILE go test -run Frames ./slice1/imageslice` compares others.
"""
import random, subprocess, sys, zlib
import cv2, numpy as np
import cases

def ffmpeg(pix, form, w, h, matrix, samples):
    command = ["ffmpeg", "-v", "error", "-f", "rawvideo", "-pix_fmt", form, "-s", "%dx%d" % (w, h), "-i", "-", "-vf",
               "scale=in_color_matrix=%s:in_range=%s" % (matrix, samples), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    return subprocess.run(command, input=pix, stdout=subprocess.PIPE, check=True).stdout

def opencv(pix, form, w, h):
    code = {"nv12": cv2.COLOR_YUV2RGB_NV12, "nv21": cv2.COLOR_YUV2RGB_NV21, "yuv420p": cv2.COLOR_YUV2RGB_I420}[form]
    return cv2.cvtColor(np.frombuffer(pix, np.uint8).reshape(h * 3 // 2, w), code).tobytes()

def main(seed, count):
    r = random.Random(seed)
    for _ in range(count):
        rule, salt = r.choice(["swscale", "opencv"]), r.randint(0, 1 << 20)
        w, h = r.randint(1, r.choice([12, 150])), 2 * r.randint(1, r.choice([6, 50]))
        form, matrix, samples = r.choice(["yuv420p", "yuv422p"]), r.choice(["bt601", "bt709"]), r.choice(["tv", "pc"])
        if rule == "opencv": form, matrix, samples, w = r.choice(["yuv420p", "nv12", "nv21"]), "bt601", "tv", 2 * w
        chroma = (w + 1) // 2 * (h if form == "yuv422p" else h // 2)
        pix = cases.samples(0, "noise", salt, w * h + 2 * chroma, 1).tobytes()
        out = ffmpeg(pix, form, w, h, matrix, samples) if rule == "swscale" else opencv(pix, form, w, h)
        print(rule, form, matrix, samples, w, h, salt, "%08x" % zlib.crc32(out))


if __name__ == "__main__": main(int(sys.argv[1]), int(sys.argv[2]))
