#!/usr/bin/env python3
"""Writes jobs/peers/: what ImageMagick, FFmpeg and NCO make of the README's jobs.

Runs the last column of its table on the files in jobs/ and saves the elements of
each result, without axes of extent 1. Needs NumPy, netCDF4, ImageMagick 6, FFmpeg and
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


main()
