#!/usr/bin/env python3
"""Writes jobs/peers/: what ImageMagick, FFmpeg and NCO make of the README's jobs.

Runs the last column of its table on the files in jobs/ and saves the elements of
each result, without axes of extent 1. Writes orient/, too: small JPEGs, and which pixel
ImageMagick's -auto-orient puts where. Needs NumPy, netCDF4, ImageMagick 6, FFmpeg and
NCO: on Debian 12 python3-netcdf4, imagemagick, ffmpeg, nco. Running it again writes the
same bytes.
"""

import os
import pathlib
import subprocess
import tempfile

import netCDF4
import numpy as np

HERE = pathlib.Path(__file__).parent
JOBS = HERE / "jobs"


def commands():
    """Returns the last column of the README's table where it has one, and the output."""
    for line in (HERE.parent / "README.md").read_text().splitlines():
        cells = [cell.strip().strip("`") for cell in line.split("|")]
        if len(cells) == 6 and cells[2].startswith("slice1 ") and cells[4]:
            yield cells[4], cells[2].split()[-1]


def shell(line, folder):
    return subprocess.run(line, shell=True, cwd=folder, check=True, capture_output=True).stdout


def write_netcdf(path, cube):
    with netCDF4.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        for name, extent in zip(("time", "lat", "lon"), cube.shape):
            file.createDimension(name, extent)
        file.createVariable("cube", "f4", ("time", "lat", "lon"))[:] = cube


def read_netcdf(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        return np.array(file["cube"][:])


def read_picture(path):
    """Returns [height, width, channel] as ImageMagick decodes the picture."""
    about = subprocess.run(
        ["identify", "-format", "%h %w %z %[channels]", path], check=True, capture_output=True, text=True
    ).stdout
    height, width, depth, channels = about.split()
    samples = {"gray": "gray", "srgb": "rgb", "srgba": "rgba"}[channels.lower()]
    raw = subprocess.run(
        ["convert", path, "-depth", depth, "-endian", "LSB", f"{samples}:-"], check=True, capture_output=True
    ).stdout
    return np.frombuffer(raw, {"8": "u1", "16": "<u2"}[depth]).reshape(int(height), int(width), -1)


def read(path):
    """Returns what a result holds."""
    if path.suffix == ".nc":
        return read_netcdf(path)
    return np.fromfile(path, "u1") if path.suffix == ".raw" else read_picture(path)


# Orientations of EXIF from 1 on, as ImageMagick calls them.
ORIENTATIONS = ("TopLeft", "TopRight", "BottomRight", "BottomLeft", "LeftTop", "RightTop", "RightBottom", "LeftBottom")

# name, width, height, how ImageMagick is to store colours
PHOTOS = (
    ("grey", 7, 5, "-colorspace Gray"),
    ("444", 9, 7, "-sampling-factor 1x1"),
    ("422", 19, 13, "-sampling-factor 2x1"),
    ("440", 13, 17, "-sampling-factor 1x2"),
    ("420", 21, 15, "-sampling-factor 2x2"),
    ("411", 35, 9, "-sampling-factor 4x1"),
)


def with_orientation(jpeg, orientation):
    """Puts EXIF data that say nothing else behind the start of a JPEG."""
    exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0" + bytes([orientation]) + bytes(6)
    return jpeg[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + jpeg[2:]


def orientations(folder):
    results = HERE / "orient"
    results.mkdir(exist_ok=True)
    for old in results.glob("*.*"):
        old.unlink()
    for name, width, height, options in PHOTOS:
        photo = results / f"{name}.jpg"
        shell(f"convert {HERE}/astronaut.png -crop {width}x{height}+200+90 +repage -strip {options} -quality 85 {photo}", folder)
        np.arange(width * height, dtype="<u2").tofile(folder / "in.gray")
        stored = shell(f"convert {photo} rgb:-", folder)
        tables = []
        for number, called in enumerate(ORIENTATIONS, 1):
            grey = "-depth 16 -endian LSB gray"
            table = shell(f"convert -size {width}x{height} {grey}:in.gray -orient {called} -auto-orient {grey}:-", folder)
            tables.append(np.frombuffer(table, "<u2"))
            # The same of the photo itself, decoded by ImageMagick.
            (folder / "in.jpg").write_bytes(with_orientation(photo.read_bytes(), number))
            turned = np.frombuffer(shell("convert in.jpg -auto-orient rgb:-", folder), "u1").reshape(-1, 3)
            assert (np.frombuffer(stored, "u1").reshape(-1, 3)[tables[-1]] == turned).all(), (name, called)
        np.save(results / name, np.stack(tables))


def main():
    results = JOBS / "peers"
    results.mkdir(exist_ok=True)
    for old in results.glob("*.npy"):
        old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for path in JOBS.glob("*.*"):
            os.symlink(path.resolve(), folder / path.name)
        write_netcdf(folder / "cube.nc", np.load(JOBS / "cube.npy"))
        for line, output in commands():
            if output.endswith("/"):
                (folder / output).mkdir()
            shell(line, folder)
            result = folder / (pathlib.Path(output).stem + ".nc" if line.startswith("nc") else output)
            if output.endswith("/"):
                for i, path in enumerate(sorted(result.iterdir())):
                    np.save(results / f"{result.stem}-{i}", read(path).squeeze())
            else:
                np.save(results / result.stem, read(result).squeeze())
        orientations(folder)


main()
