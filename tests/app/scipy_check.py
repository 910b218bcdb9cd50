#!/usr/bin/env python3
"""Checks `tessera batch` on real photographs against scipy.ndimage.correlate.

Usage: scipy_check.py PATH/TO/tessera [--seed N] [--kernels N]

Pictures: scikit-image's photographs as JPEG, PNG (8 and 16 bit), WebP and TIFF (8 and 16 bit), made by ImageMagick,
and tiny ones that are smaller than the kernels. Kernels are random, of odd and even sizes and with random origins.
Every border is tried. Integer outputs may differ by 1 level, and at ties only; float ones
by 1e-5 relative.

Exit codes: 0 all agree, 1 something differs, 77 SciPy, scikit-image or ImageMagick is missing (ctest reports a skip).
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import scipy.ndimage
    import skimage
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed (pip install scipy scikit-image)")
    sys.exit(77)

CONVERT = shutil.which("convert") or shutil.which("magick")
if CONVERT is None:
    print("skipped: ImageMagick is not installed (apt-get install imagemagick)")
    sys.exit(77)

# Tessera carries OpenCV's names for borders, SciPy others for the same.
BORDERS = {
    "zero": dict(mode="constant", cval=0.0),
    "constant:77": dict(mode="constant", cval=77.0),
    "replicate": dict(mode="nearest"),
    "reflect": dict(mode="reflect"),
    "reflect101": dict(mode="mirror"),
    "wrap": dict(mode="grid-wrap"),
}
# NumPy's names for the same, for kernels larger than the picture.
PADDINGS = {
    "zero": dict(mode="constant", constant_values=0.0),
    "constant:77": dict(mode="constant", constant_values=77.0),
    "replicate": dict(mode="edge"),
    "reflect": dict(mode="symmetric"),
    "reflect101": dict(mode="reflect"),
    "wrap": dict(mode="wrap"),
}
PHOTOGRAPHS = ["astronaut.png", "camera.png", "coffee.png", "rocket.jpg"]
FORMATS = [("jpg", ["-quality", "90"]), ("png", ["-depth", "8"]), ("webp", ["-define", "webp:lossless=true"]),
           ("tif", ["-depth", "8", "-compress", "LZW"])]
DEEP_FORMATS = [("png", ["-depth", "16"]), ("tif", ["-depth", "16", "-compress", "Zip"])]


def read_netpbm(data):
    """A binary PGM, PPM or PFM as rows x columns x channels."""
    fields, position = [], 0
    while len(fields) < 4:
        end = position
        while data[end:end + 1] not in (b" ", b"\n", b"\t", b"\r"):
            end += 1
        fields.append(data[position:end])
        position = end + 1
    kind, width, height = fields[0], int(fields[1]), int(fields[2])
    channels = 3 if kind in (b"P6", b"PF") else 1
    if kind in (b"PF", b"Pf"):
        values = np.frombuffer(data, "<f4" if float(fields[3]) < 0 else ">f4", offset=position)
        return values.reshape(height, width, channels)[::-1].astype(np.float64)
    values = np.frombuffer(data, ">u2" if int(fields[3]) > 255 else "u1", offset=position)
    return values.reshape(height, width, channels)


def load_netpbm(path):
    with open(path, "rb") as file:
        return read_netpbm(file.read())


def decode(path):
    """The picture by ImageMagick: another program's eyes."""
    grey = subprocess.run([CONVERT, path, "-format", "%[colorspace] %[depth]", "info:"], check=True,
                          capture_output=True, text=True).stdout.split()
    kind = "pgm:-" if grey[0] == "Gray" else "ppm:-"
    return read_netpbm(subprocess.run([CONVERT, path, "-depth", grey[1], kind], check=True, capture_output=True).stdout)


def make_pictures(folder, randomness):
    source = os.path.join(os.path.dirname(skimage.__file__), "data")
    made = []
    for photograph in PHOTOGRAPHS:
        path = os.path.join(source, photograph)
        if not os.path.exists(path):
            continue
        stem = photograph.split(".")[0]
        # Shrinking fills all sixteen bits with something and keeps the check short.
        shrunk = [CONVERT, path, "-strip", "-alpha", "off", "-resize", "160x130"]
        for extension, options in FORMATS:
            made.append(os.path.join(folder, f"{stem}-8.{extension}"))
            subprocess.run(shrunk + options + [made[-1]], check=True)
        for extension, options in DEEP_FORMATS:
            made.append(os.path.join(folder, f"{stem}-16.{extension}"))
            subprocess.run(shrunk + options + [made[-1]], check=True)
    for width, height in [(1, 1), (1, 6), (7, 1), (3, 4), (5, 2)]:
        made.append(os.path.join(folder, f"tiny-{width}x{height}.pgm"))
        with open(made[-1], "wb") as file:
            file.write(f"P5\n{width} {height}\n255\n".encode())
            file.write(bytes(randomness.randrange(256) for _ in range(width * height)))
    return made


def random_kernel(randomness, number):
    sizes = [(3, 3), (4, 4), (5, 5), (1, 7), (2, 5), (9, 6), (1, 1), (13, 9), (8, 1), (31, 31)]
    width, height = sizes[number % len(sizes)]
    lowest = -1.0 if number % 2 else 0.0
    taps = np.array([randomness.uniform(lowest, 1.0) for _ in range(width * height)]).reshape(height, width)
    # Of moderate gain, so that not everything is clipped.
    taps /= np.abs(taps).sum()
    anchor = (width // 2, height // 2) if number % 3 else (randomness.randrange(width), randomness.randrange(height))
    return taps, anchor


def expected(picture, taps, anchor, border):
    height, width = taps.shape
    origin = (anchor[1] - height // 2, anchor[0] - width // 2)
    inside = height <= picture.shape[0] and width <= picture.shape[1]
    channels = []
    for c in range(picture.shape[2]):
        values, modes = picture[:, :, c].astype(np.float64), BORDERS[border]
        if not inside:
            # SciPy 1.17 reads beyond its buffer where a kernel reaches over a small picture more than twice (its
            # 'reflect' then gives values such as 1e261). NumPy pads any distance, and SciPy only sums.
            values, modes = np.pad(values, ((height, height), (width, width)), **PADDINGS[border]), dict(mode="constant")
        result = scipy.ndimage.correlate(values, taps, origin=origin, **modes)
        channels.append(result if inside else result[height:-height, width:-width])
    return np.stack(channels, axis=2)


class Checker:
    def __init__(self, tessera, folder):
        self.tessera, self.folder = tessera, folder
        self.failures, self.compared, self.one_off, self.values = 0, 0, 0, 0
        self.largest_relative = 0.0

    def fail(self, text):
        self.failures += 1
        print("DIFFERS:", text)

    def batch(self, inputs, arguments):
        output = tempfile.mkdtemp(dir=self.folder)
        command = [self.tessera, "batch", *inputs, "-o", output, "--name", "{index}.{ext}", "--json", "-q", *arguments]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode != 0:
            self.fail(f"exit code {run.returncode} of {arguments}\n{run.stderr}")
            return {}
        files = json.loads(run.stdout)["files"]
        return {file["input"]: file["output"] for file in files}

    def check(self, pictures, taps, anchor, border):
        kernel = f"{taps.shape[1]}x{taps.shape[0]}+{anchor[0]}+{anchor[1]}: " + ",".join(repr(float(t)) for t in taps.flat)
        common = ["--kernel", kernel, "--border", border, "--offset", "20"]
        name = f"kernel {taps.shape[1]}x{taps.shape[0]}+{anchor[0]}+{anchor[1]}, border {border}"
        written_as = "png" if border == "reflect" else "pnm"  # both ways back from a file, mostly the quick one
        integer = self.batch(pictures, common + ["--format", written_as])
        floats = self.batch(pictures, common + ["--format", "pfm", "--depth", "32f"])
        for path, picture in pictures.items():
            reference = expected(picture, taps, anchor, border) + 20.0
            what = f"{os.path.basename(path)}, {name}"
            if path in integer:
                result = decode(integer[path]) if written_as == "png" else load_netpbm(integer[path])
                self.compare_integer(result, reference, picture, what)
            if path in floats:
                self.compare_float(load_netpbm(floats[path]), reference, picture, what)

    def compare_integer(self, result, reference, picture, what):
        highest = np.iinfo(picture.dtype).max
        if result.shape != reference.shape or result.dtype != picture.dtype:
            self.fail(f"{what}: {result.dtype} {result.shape} instead of {picture.dtype} {reference.shape}")
            return
        error = np.abs(result.astype(np.float64) - np.clip(np.rint(reference), 0, highest))
        self.compared += 1
        self.values += error.size
        self.one_off += int((error > 0).sum())
        # A sum in float32 may round the other way than one in float64 only where the exact value lies at a tie.
        from_tie = np.abs(reference - np.floor(reference) - 0.5)[error > 0]
        if error.max() > 1:
            self.fail(f"{what}: {error.max():g} levels at {np.unravel_index(error.argmax(), error.shape)}")
        elif from_tie.size and from_tie.max() > highest * 1e-6:
            self.fail(f"{what}: one level off, though the exact value lies {from_tie.max():g} from a tie")

    def compare_float(self, result, reference, picture, what):
        reference = reference / np.iinfo(picture.dtype).max
        if result.shape != reference.shape:
            self.fail(f"{what}: {result.shape} instead of {reference.shape}")
            return
        self.compared += 1
        relative = np.linalg.norm(result - reference) / max(np.linalg.norm(reference), 1e-12)
        self.largest_relative = max(self.largest_relative, relative)
        if relative > 1e-5:
            self.fail(f"{what}: relative error {relative:.3g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tessera")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--kernels", type=int, default=5)
    arguments = parser.parse_args()
    randomness = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        pictures = {path: decode(path) for path in make_pictures(folder, randomness)}
        checker = Checker(os.path.abspath(arguments.tessera), folder)
        for number in range(arguments.kernels):
            taps, anchor = random_kernel(randomness, number)
            for border in BORDERS:
                checker.check(pictures, taps, anchor, border)
    print(f"{len(pictures)} pictures, {arguments.kernels} kernels, {len(BORDERS)} borders: "
          f"{checker.compared} comparisons, {checker.failures} differ; "
          f"{checker.one_off} of {checker.values} integer values are one level off, "
          f"largest relative error in float {checker.largest_relative:.2g} (seed {arguments.seed})")
    return 1 if checker.failures or checker.compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
