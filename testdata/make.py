#!/usr/bin/env python3
"""Writes arrays/, golden/ and jobs/ from the two pictures beside this file.

Needs NumPy, which is also the judge: every result is what NumPy's own slicing
gives. Pillow writes pictures in other formats than PNG. Running it again writes the
same bytes.
"""

import json
import pathlib
import shlex
import zlib

import numpy as np
import PIL.Image
from numpy import newaxis  # for the index text of cases

HERE = pathlib.Path(__file__).parent


def read_png(path):
    """Returns an 8-bit RGB picture without interlace as (height, width, 3) uint8."""
    data, pos, packed = path.read_bytes(), 8, b""
    while pos < len(data):
        size, kind = int.from_bytes(data[pos : pos + 4], "big"), data[pos + 4 : pos + 8]
        body = data[pos + 8 : pos + 8 + size]
        if kind == b"IHDR":
            width, height = (int.from_bytes(body[i : i + 4], "big") for i in (0, 4))
            assert body[8:] == bytes([8, 2, 0, 0, 0]), "not 8-bit RGB without interlace"
        elif kind == b"IDAT":
            packed += body
        pos += size + 12
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 3 * width)
    out = np.zeros((height + 1, 3 * width + 3), np.int64)  # a zero line above, a zero pixel to the left
    for y, line in enumerate(lines.astype(np.int64), 1):
        kind, line = line[0], line[1:]
        for x in range(3, 3 * width + 3):
            left, up, corner = out[y, x - 3], out[y - 1, x], out[y - 1, x - 3]
            if kind == 4:
                near = ((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))
                predicted = min(near)[2]
            else:
                predicted = (0, left, up, (left + up) // 2)[kind]
            out[y, x] = (line[x - 3] + predicted) & 255
    return out[1:, 3:].astype(np.uint8).reshape(height, width, 3)


def write_png(path, array):
    """Writes [height, width, channel] of uint8 or big-endian uint16, 1, 3 or 4 channels."""
    height, width, channels = array.shape
    lines = np.zeros((height, 1 + width * channels * array.itemsize), np.uint8)
    lines[:, 1:] = np.ascontiguousarray(array).view(np.uint8).reshape(height, -1)
    depth, kind = 8 * array.itemsize, {1: 0, 3: 2, 4: 6}[channels]
    out = b"\x89PNG\r\n\x1a\n"
    for name, body in (
        (b"IHDR", width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([depth, kind, 0, 0, 0])),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    ):
        out += len(body).to_bytes(4, "big") + name + body + zlib.crc32(name + body).to_bytes(4, "big")
    path.write_bytes(out)


def arrays():
    """Returns name -> (array, version of the .npy format)."""
    astro = read_png(HERE / "astronaut.png")
    cat = read_png(HERE / "chelsea.png")
    face, eyes = astro[64:112, 192:256], cat[96:144, 128:192]  # 48 x 64 x 3 each
    luma = (face.astype(np.int64) * [299, 587, 114]).sum(axis=2) / 1000
    alpha = np.full((48, 64, 1), 255, np.uint8)
    line = cat[150].ravel()  # 1353 bytes
    bits = astro[100:116].ravel()  # 24576 bytes, taken as they are: NaNs of every kind
    batch = np.stack([astro[y : y + 12, x : x + 16] for y in (60, 120) for x in (200, 240)])
    planar = batch.reshape(2, 2, 12, 16, 3).transpose(0, 1, 4, 2, 3)  # 2 x 2 x 3 x 12 x 16
    return {
        "u8_hwc": (face, (1, 0)),
        "u8_line": (line, (1, 0)),
        "u8_mask": ((luma > 128).astype(np.uint8), (1, 0)),
        "u8_fortran": (np.asfortranarray(eyes), (1, 0)),
        "u8_rank8": (bits[: 2 * 3 * 2 * 4 * 2 * 5 * 2 * 3].reshape(2, 3, 2, 4, 2, 5, 2, 3), (2, 0)),
        "i8_hwc": ((eyes.astype(np.int16) - 128).astype(np.int8), (1, 0)),
        "u16_chw": ((eyes.astype(np.uint16) * 257).transpose(2, 0, 1), (1, 0)),
        "u16_big_endian": ((face.astype(np.uint16) * 257).astype(">u2"), (1, 0)),
        "i16_gradient": (np.diff(face.astype(np.int16), axis=1), (1, 0)),
        "u32_rgba": (np.concatenate([face, alpha], axis=2).view("<u4")[..., 0], (1, 0)),
        "u32_rank7": (bits.view("<u4")[: 2 * 3 * 2 * 4 * 3 * 2 * 5].reshape(2, 3, 2, 4, 3, 2, 5), (2, 0)),
        "i32_sums": (eyes.astype("<i4").sum(axis=2).cumsum(axis=1, dtype="<i4"), (1, 0)),
        "i32_fortran_big_endian": (np.asfortranarray(eyes[:24, :24].astype(">i4") * -65537), (1, 0)),
        "u64_line": (bits.view("<u8")[:777], (1, 0)),
        "i64_sums": (face[:24, :24].astype("<i8").cumsum(axis=0) * -(2**40), (3, 0)),
        "i64_rank6": (bits.view("<i8")[: 2 * 3 * 4 * 3 * 2 * 5].reshape(2, 3, 4, 3, 2, 5), (1, 0)),
        "f16_nhwc": ((batch / np.float16(255)).astype("<f2"), (1, 0)),
        "f16_bits": (bits.view("<f2")[:4096].reshape(64, 64), (3, 0)),
        "f32_nchw": (planar.reshape(4, 3, 12, 16).astype("<f4") / np.float32(255), (1, 0)),
        "f32_rank5": (planar.astype("<f4") - np.float32(127.5), (2, 0)),
        "f32_fortran": (np.asfortranarray(luma.astype("<f4")), (2, 0)),
        "f32_bits": (bits.view("<f4")[:3000].reshape(30, 100), (1, 0)),
        "f64_luma": (luma, (1, 0)),
        "f64_big_endian": (np.sqrt(luma[:32, :40]).astype(">f8"), (1, 0)),
        "f64_scalar": (luma[0, 0, ...], (1, 0)),
    }


# (name, array, index text)
INDEXED = [
    ("whole", "u8_hwc", "[...]"),
    ("whole_named", "u8_hwc", "[:, :, :]"),
    ("upside_down", "u8_hwc", "[::-1]"),
    ("mirrored", "u8_hwc", "[:, ::-1]"),
    ("turned", "u8_hwc", "[::-1, ::-1]"),
    ("bgr", "u8_hwc", "[..., ::-1]"),
    ("every_byte_reversed", "u8_hwc", "[::-1, ::-1, ::-1]"),
    ("half_size", "u8_hwc", "[::2, ::2]"),
    ("third_width", "u8_hwc", "[:, ::3]"),
    ("red", "u8_hwc", "[..., 0]"),
    ("red_and_blue", "u8_hwc", "[..., ::2]"),
    ("crop", "u8_hwc", "[5:41, 7:50]"),
    ("crop_from_the_end", "u8_hwc", "[-40:-3, -50:-1]"),
    ("clamped", "u8_hwc", "[-1000:1000, 60:1000]"),
    ("one_pixel", "u8_hwc", "[47, 63]"),
    ("one_byte", "u8_hwc", "[3, -1, 1]"),
    ("batch_of_one", "u8_hwc", "[newaxis, ..., newaxis]"),
    ("newaxis_between", "u8_hwc", "[4, newaxis, ::-3, newaxis, 2]"),
    ("line", "u8_line", "[:]"),
    ("line_reversed", "u8_line", "[::-1]"),
    *((f"line_by_{s}", "u8_line", f"[{s % 3}::{s}]") for s in (2, 3, 4, 5, 6, 7, 8, 9, 16, 31)),
    *((f"line_back_by_{s}", "u8_line", f"[-{s % 4 + 1}::-{s}]") for s in (2, 3, 4, 5, 7, 8, 17)),
    ("line_last_only", "u8_line", "[-1:]"),
    ("mask_columns", "u8_mask", "[:, 1:6:2]"),
    ("fortran_crop", "u8_fortran", "[3:33, 5:60:2, ::-1]"),
    ("fortran_whole", "u8_fortran", "[...]"),
    ("fortran_column", "u8_fortran", "[:, 9, 0]"),
    ("rank8_every_axis", "u8_rank8", "[::-1, ::2, ::-1, 1:, ::-1, ::-2, ::-1, ::2]"),
    ("rank8_ends", "u8_rank8", "[1, ..., ::-1]"),
    ("rank8_integers", "u8_rank8", "[-1, -1, -1, -1, -1, -1, -1, -1]"),
    ("int8_back_by_3", "i8_hwc", "[::-3, ::-3]"),
    ("planes_mirrored", "u16_chw", "[:, :, ::-1]"),
    ("planes_crop", "u16_chw", "[::-1, 4:44:4, 1:64:5]"),
    ("big_endian_quarter", "u16_big_endian", "[::4, ::4]"),
    ("big_endian_reversed", "u16_big_endian", "[..., ::-1]"),
    ("gradient_odd_columns", "i16_gradient", "[:, 1::2]"),
    ("gradient_back", "i16_gradient", "[::-1, -2:1:-3, 1]"),
    ("pixels_reversed", "u32_rgba", "[:, ::-1]"),
    ("pixels_column", "u32_rgba", "[:, 17]"),
    ("pixels_column_back", "u32_rgba", "[::-1, 62:63]"),
    ("rank7", "u32_rank7", "[1, ::2, :, ::-3, 1:, ::-1, 1:4:2]"),
    ("sums_every_third", "i32_sums", "[:, ::3]"),
    ("sums_corner", "i32_sums", "[-7:, :9]"),
    ("fortran_big_endian", "i32_fortran_big_endian", "[::2, ::-3]"),
    ("fortran_big_endian_newaxis", "i32_fortran_big_endian", "[newaxis, 5, ..., 1:]"),
    ("words_reversed", "u64_line", "[::-1]"),
    ("words_by_5", "u64_line", "[2::5]"),
    ("long_sums", "i64_sums", "[1::2, ::-2, ::2]"),
    ("rank6", "i64_rank6", "[..., ::-1, 1, ::2]"),
    ("half_batch", "f16_nhwc", "[1::2, 2:-2, ::-1]"),
    ("half_bits", "f16_bits", "[::-1, ::3]"),
    ("float_batch", "f32_nchw", "[:, ::-1, ::2, 3:11]"),
    ("rank5", "f32_rank5", "[::-1, 1, ..., ::4]"),
    ("fortran_luma", "f32_fortran", "[10:30, ::-2]"),
    ("fortran_luma_row", "f32_fortran", "[31]"),
    ("signalling_nans", "f32_bits", "[::-1, ::-1]"),
    ("signalling_nans_by_2", "f32_bits", "[3::4, ::2]"),
    ("luma_back_by_2", "f64_luma", "[::-2, ::-2]"),
    ("luma_diagonal_corner", "f64_luma", "[40:, 60:]"),
    ("big_endian_doubles", "f64_big_endian", "[::3, 39:2:-4]"),
    ("big_endian_double", "f64_big_endian", "[0, 0]"),
    ("scalar", "f64_scalar", "[...]"),
    ("scalar_with_axes", "f64_scalar", "[newaxis, newaxis]"),
]

# (name, array, offsets, sizes, strides, out)
WINDOWED = [
    ("window_whole", "u8_hwc", [0, 0, 0], [48, 64, 3], [1, 1, 1], [48, 64, 3]),
    ("window_partial", "u8_hwc", [2, 3, 0], [40, 50, 3], [1, 1, 1], [20, 30, 2]),
    ("window_partial_back", "u8_hwc", [2, 3, 0], [40, 50, 3], [-1, -1, -1], [20, 30, 2]),
    ("window_partial_mixed", "u8_hwc", [0, 1, 1], [47, 63, 2], [-5, 4, -1], [9, 15, 1]),
    ("window_anchored_at_its_end", "u8_line", [100], [1000], [-7], [3]),
    ("window_of_one", "u8_line", [1352], [1], [-9], [1]),
    ("window_step_past_its_end", "u8_line", [5], [64], [2147483647], [1]),
    ("window_int8", "i8_hwc", [7, 9, 2], [41, 55, 1], [-3, 6, 1], [13, 10, 1]),
    ("window_planes", "u16_chw", [1, 0, 0], [2, 48, 64], [-1, 2, -3], [1, 24, 21]),
    ("window_big_endian", "u16_big_endian", [8, 0, 0], [40, 64, 3], [7, -8, -2], [6, 8, 2]),
    ("window_gradient", "i16_gradient", [0, 10, 0], [48, 50, 3], [4, -1, -1], [12, 33, 3]),
    ("window_pixels", "u32_rgba", [1, 1], [46, 62], [-2, -3], [20, 20]),
    ("window_sums", "i32_sums", [0, 32], [48, 32], [9, 1], [5, 31]),
    ("window_fortran", "u8_fortran", [4, 4, 0], [40, 56, 3], [2, -4, -2], [19, 13, 2]),
    ("window_fortran_big_endian", "i32_fortran_big_endian", [0, 0, 1], [24, 20, 2], [-1, 1, -1], [24, 19, 2]),
    ("window_words", "u64_line", [700], [77], [-4], [19]),
    ("window_long_sums", "i64_sums", [3, 3, 0], [20, 20, 3], [-6, 6, -2], [4, 4, 2]),
    ("window_half", "f16_nhwc", [0, 1, 2, 0], [4, 10, 12, 3], [-3, 3, -5, 1], [2, 4, 2, 3]),
    ("window_float", "f32_nchw", [1, 0, 0, 5], [3, 3, 12, 11], [-2, 2, -1, 10], [2, 2, 11, 2]),
    ("window_nans", "f32_bits", [0, 0], [30, 100], [-1, -9], [29, 11]),
    ("window_doubles", "f64_luma", [47, 0], [1, 64], [1, -1], [1, 63]),
    ("window_rank8", "u8_rank8", [0] * 8, [2, 3, 2, 4, 2, 5, 2, 3], [-1, 2, 1, -3, 1, 2, -1, -1], [2, 2, 2, 2, 1, 3, 2, 2]),
]


def window_slice(offset, size, stride):
    if stride > 0:
        return slice(offset, offset + size, stride)
    return slice(offset + size - 1, offset - 1 if offset else None, stride)


def save(path, array, version):
    with open(HERE / path, "wb") as file:
        np.lib.format.write_array(file, array, version)


def write_wav(path, samples):
    """Writes [frame, channel] of int16 with the usual header of 44 bytes."""
    data = samples.astype("<i2").tobytes()
    channels, rate = samples.shape[1], 8000
    head = b"fmt " + np.array([16], "<u4").tobytes() + np.array([1, channels], "<u2").tobytes()
    head += np.array([rate, rate * channels * 2], "<u4").tobytes() + np.array([channels * 2, 16], "<u2").tobytes()
    head += b"data" + np.array([len(data)], "<u4").tobytes()
    path.write_bytes(b"RIFF" + np.array([4 + len(head) + len(data)], "<u4").tobytes() + b"WAVE" + head + data)


def write_pictures(folder, face):
    """Writes pictures through Pillow, and returns name -> array."""
    small = face[8:32, 16:48]
    PIL.Image.fromarray(small).save(folder / "frame.ppm")
    frames = [PIL.Image.fromarray(part).quantize(16) for part in (small, small[::-1])]
    frames[0].save(folder / "loop.gif", save_all=True, append_images=frames[1:], optimize=False)
    # A photo whose blocks of 8 x 8 are of one grey, which every decoder gives exactly.
    blocks = np.kron(face[::8, ::8, 1], np.ones((8, 8), np.uint8))
    exif = PIL.Image.Exif()
    exif[0x112] = 6
    PIL.Image.fromarray(blocks).save(folder / "phone.jpg", quality=100, exif=exif)
    return {
        "frame.ppm": small,
        "loop.gif": np.array(PIL.Image.open(folder / "loop.gif").convert("RGB")),
        "phone.jpg": blocks[..., newaxis],
    }


def jobs():
    """Writes what the jobs in the README read, and what NumPy, spelled as there, makes of it."""
    folder = HERE / "jobs"
    (folder / "golden").mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("*.*"), *folder.glob("golden/*.npy")):
        old.unlink()
    face = read_png(HERE / "astronaut.png")[64:112, 192:256]
    alpha = np.arange(48 * 64, dtype=np.uint32).reshape(48, 64, 1) % 251
    batch = (face.reshape(4, 12, 64, 3)[:, :, 8:24] / np.float32(255)).transpose(0, 3, 1, 2)
    cube = face[:24].astype("<f4").sum(axis=2)[:, :48].reshape(24, 16, 3)[:, :, :1] + np.arange(20, dtype="<f4")
    pictures = {
        "photo.png": face,
        "logo.png": np.concatenate([face, alpha.astype(np.uint8)], axis=2),
        "scan.png": (face[..., :1].astype(">u2") * 257 + 1).astype(">u2"),
    }
    events = np.zeros(200, [("time", "<M8[s]"), ("value", "<f4", (2,)), ("kind", "|S3")])
    events["time"] = np.arange(200) * 60
    events["value"] = face[:3].reshape(-1)[:400].reshape(200, 2)
    events["kind"] = b"abc"
    inputs = {
        "batch.npy": np.ascontiguousarray(batch),
        "nhwc.npy": np.ascontiguousarray(batch.transpose(0, 2, 3, 1).astype("<f2")),
        "cube.npy": cube,
        "fortran.npy": np.asfortranarray(face[..., 0].astype("<f8") / 7),
        "mask.npy": face[..., 0] > 128,
        "events.npy": events,
        **pictures,
    }
    for name, array in inputs.items():
        if name.endswith(".png"):
            write_png(folder / name, array)
        else:
            np.save(folder / name, array)
    inputs |= write_pictures(folder, face)
    np.savez(folder / "data.npz", x=face[..., 1].astype("<i4"), y=face[0])
    np.savez_compressed(folder / "packed.npz", weights=batch[0, 0], bias=batch[0, 1, 0])
    (cube[0].astype("<i2").ravel()[:300] * 3).tofile(folder / "stereo.raw")
    face[:, :, 2].tofile(folder / "padded.raw")
    face[:36].tofile(folder / "video.raw")
    cube[1].astype(">i2").tofile(folder / "dem.raw")
    write_wav(folder / "sound.wav", face[:4, :, :2].reshape(-1, 2).astype(np.int16) * 100 - 9000)

    for line in (HERE.parent / "slice1/cmd/slice1/README.md").read_text().splitlines():
        cells = [cell.strip().strip("`") for cell in line.split("|")]
        if len(cells) != 6 or not cells[2].startswith("slice1 "):
            continue
        words = shlex.split(cells[2])
        stem = pathlib.Path(words[-1]).stem
        given = [inputs[word] for word in words if word in inputs]
        scope = {"np": np, "newaxis": newaxis, "a": given[0] if given else None, "inputs": given}
        scope["load"] = lambda name: np.load(folder / name)
        scope["raw"] = lambda name, dtype, offset=0: np.fromfile(folder / name, dtype, offset=offset)
        golden = eval(cells[3], scope)
        for i, result in enumerate(golden if isinstance(golden, list) else [golden]):
            name = f"{stem}-{i}" if isinstance(golden, list) else stem
            if "scan.png" in words:
                result = result.astype("<u2")
            save(f"jobs/golden/{name}.npy", np.array(result, order="C"), (1, 0))


def main():
    for folder in ("arrays", "golden"):
        (HERE / folder).mkdir(exist_ok=True)
        for old in (HERE / folder).glob("*.npy"):
            old.unlink()
    by_name = arrays()
    for name, (array, version) in by_name.items():
        save(f"arrays/{name}.npy", array if array.flags.f_contiguous else np.ascontiguousarray(array), version)

    cases = []

    def add(name, source, how, result):
        assert result.dtype == by_name[source][0].dtype
        case = {"name": name, "array": f"arrays/{source}.npy", **how}
        cases.append(case | {"shape": list(result.shape), "result": f"golden/{name}.npy"})
        save(f"golden/{name}.npy", np.array(result, order="C"), (1, 0))

    for name, source, text in INDEXED:
        index = eval("np.s_" + text)
        if Ellipsis not in (index if isinstance(index, tuple) else (index,)):
            # Without one NumPy makes an element of native byte order of integers on every axis.
            index = np.s_[index, ...] if not isinstance(index, tuple) else (*index, ...)
        add(name, source, {"index": text}, by_name[source][0][index])
    for name, source, offsets, sizes, strides, out in WINDOWED:
        window = by_name[source][0][tuple(map(window_slice, offsets, sizes, strides))]
        result = window[tuple(map(slice, out))]
        assert result.shape == tuple(out), name
        how = {"offsets": offsets, "sizes": sizes, "strides": strides, "out": out}
        add(name, source, {"window": how}, result)

    assert len({case["name"] for case in cases}) == len(cases)
    lines = ",\n  ".join(map(json.dumps, cases))
    (HERE / "golden/cases.json").write_text(f"[\n  {lines}\n]\n")


main()
jobs()
