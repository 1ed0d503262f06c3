#!/usr/bin/env python3
"""processors.py: for each configuration of configurations.jsonl, what its processor makes of
chelsea.png and of an upper left part of it, written in NumPy and Pillow from the published steps of
transformers. expected.txt is what it prints: number of the configuration, shape, and CRC-32 of the
little-endian float32. A processor whose name ends in Fast resizes by Pillow here, and only its
numbers are its own. Needs python3-pil and python3-numpy.
"""
import json, math, os, zlib
import numpy as np
from PIL import Image

HERE = os.path.dirname(os.path.abspath(__file__))
CLIP = dict(image_mean=[0.48145466, 0.4578275, 0.40821073], image_std=[0.26862954, 0.26130258, 0.27577711])
HALF = dict(image_mean=[0.5, 0.5, 0.5], image_std=[0.5, 0.5, 0.5])
COMMON = dict(do_resize=True, do_rescale=True, rescale_factor=1 / 255, do_normalize=True, do_center_crop=False, crop_size={"height": 224, "width": 224})
DEFAULTS = {
    "CLIP": dict(size={"shortest_edge": 224}, resample=3, do_center_crop=True, **CLIP),
    "Bit": dict(size={"shortest_edge": 224}, resample=3, do_center_crop=True, **CLIP),
    "ViT": dict(size={"height": 224, "width": 224}, resample=2, **HALF),
    "Siglip": dict(size={"height": 224, "width": 224}, resample=3, **HALF),
    "DeiT": dict(size={"height": 256, "width": 256}, resample=3, do_center_crop=True, **HALF),
    "ConvNext": dict(size={"shortest_edge": 384}, resample=2, crop_pct=224 / 256, **HALF),
    "Qwen2VL": dict(min_pixels=56 * 56, max_pixels=28 * 28 * 1280, patch_size=14, merge_size=2, temporal_patch_size=2, resample=3, **CLIP),
}


def resized(image, height, width, resample):
    return np.array(Image.fromarray(image).resize((width, height), resample=resample))


def shorter(image, edge):
    height, width = image.shape[:2]
    short, long = (width, height) if width <= height else (height, width)
    new_short, new_long = edge, int(edge * long / short)
    return (new_long, new_short) if width <= height else (new_short, new_long)


def center_crop(image, crop_height, crop_width):
    orig_height, orig_width = image.shape[:2]
    top, left = (orig_height - crop_height) // 2, (orig_width - crop_width) // 2
    bottom, right = top + crop_height, left + crop_width
    if top >= 0 and bottom <= orig_height and left >= 0 and right <= orig_width:
        return image[top:bottom, left:right]
    new_height, new_width = max(crop_height, orig_height), max(crop_width, orig_width)
    new_image = np.zeros_like(image, shape=(new_height, new_width, 3))
    top_pad, left_pad = math.ceil((new_height - orig_height) / 2), math.ceil((new_width - orig_width) / 2)
    new_image[top_pad:top_pad + orig_height, left_pad:left_pad + orig_width] = image
    top, bottom, left, right = top + top_pad, bottom + top_pad, left + left_pad, right + left_pad
    return new_image[max(0, top):min(new_height, bottom), max(0, left):min(new_width, right)]


def smart_resize(height, width, factor, min_pixels, max_pixels):
    h_bar, w_bar = round(height / factor) * factor, round(width / factor) * factor
    if h_bar * w_bar > max_pixels:
        beta = math.sqrt((height * width) / max_pixels)
        h_bar = max(factor, math.floor(height / beta / factor) * factor)
        w_bar = max(factor, math.floor(width / beta / factor) * factor)
    elif h_bar * w_bar < min_pixels:
        beta = math.sqrt(min_pixels / (height * width))
        h_bar, w_bar = math.ceil(height * beta / factor) * factor, math.ceil(width * beta / factor) * factor
    return h_bar, w_bar


def numbers(image, c, fast):
    f32 = np.float32
    if not c["do_rescale"]:
        return image.astype(f32)
    mean, std = np.array(c["image_mean"], dtype=f32), np.array(c["image_std"], dtype=f32)
    if fast and c["do_normalize"]:  # the factor is folded into mean and deviation
        return (image.astype(f32) - mean * f32(1 / c["rescale_factor"])) / (std * f32(1 / c["rescale_factor"]))
    if fast:
        return image.astype(f32) * f32(c["rescale_factor"])
    image = (image * c["rescale_factor"]).astype(f32)
    return ((image - mean) / std).astype(f32) if c["do_normalize"] else image


def process(image, config):
    name = config.get("image_processor_type") or config["feature_extractor_type"]
    fast = name.endswith("Fast")
    kind = name.removesuffix("Fast").removesuffix("ImageProcessor").removesuffix("FeatureExtractor")
    c = {**COMMON, **DEFAULTS[kind], **{k: v for k, v in config.items() if v is not None}}
    size = c.get("size")
    if isinstance(size, int):
        size = {"height": size, "width": size} if kind in ("ViT", "Siglip", "DeiT") else {"shortest_edge": size}
    if isinstance(c["crop_size"], int):
        c["crop_size"] = {"height": c["crop_size"], "width": c["crop_size"]}
    if kind == "Qwen2VL":
        least, most = (size["shortest_edge"], size["longest_edge"]) if size else (c["min_pixels"], c["max_pixels"])
        p, merge, frames = c["patch_size"], c["merge_size"], c["temporal_patch_size"]
        if c["do_resize"]:
            image = resized(image, *smart_resize(*image.shape[:2], p * merge, least, most), c["resample"])
        patches = numbers(image, c, fast).transpose(2, 0, 1)[None]
        patches = np.concatenate([patches, np.repeat(patches[-1][None], frames - 1, axis=0)], axis=0)
        grid_h, grid_w = patches.shape[2] // p, patches.shape[3] // p
        patches = patches.reshape(1, frames, 3, grid_h // merge, merge, p, grid_w // merge, merge, p)
        return patches.transpose(0, 3, 6, 4, 7, 2, 1, 5, 8).reshape(1, grid_h * grid_w, 3 * frames * p * p)
    if kind == "ConvNext" and c["do_resize"]:
        edge = size["shortest_edge"]
        if edge < 384:
            image = resized(image, *shorter(image, int(edge / c["crop_pct"])), c["resample"])
            image = center_crop(image, edge, edge)
        else:
            image = resized(image, edge, edge, c["resample"])
    elif c["do_resize"]:
        to = shorter(image, size["shortest_edge"]) if "shortest_edge" in size else (size["height"], size["width"])
        image = resized(image, *to, c["resample"])
    if c["do_center_crop"]:
        image = center_crop(image, c["crop_size"]["height"], c["crop_size"]["width"])
    made = numbers(image, c, fast)
    return made if c.get("data_format") == "channels_last" else made.transpose(2, 0, 1)


whole = np.array(Image.open(os.path.join(HERE, "..", "chelsea.png")).convert("RGB"))
for i, line in enumerate(open(os.path.join(HERE, "configurations.jsonl"))):
    for image in whole, whole[:101, :67]:
        made = process(image, json.loads(line))
        print(i, *made.shape, zlib.crc32(np.ascontiguousarray(made).astype("<f4").tobytes()))
