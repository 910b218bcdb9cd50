"""The data that tessera bench makes from a seed, made again here, and the float64 check of a result.

Every value comes from its index alone, by the SplitMix64 finaliser (Steele, Lea, Flood 2014):

    mix(i): z = i * 0x9e3779b97f4a7c15;  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9
            z = (z ^ z >> 27) * 0x94d049bb133111eb;  z ^ z >> 31          (all modulo 2^64)

Picture: value i (row by row, channels interleaved) takes the bits mix(mix(seed + 1) + i). Floats and halves are the
upper 24 bits over 2^24, in [0, 1); integers are the low byte or word of bits >> 32.
Kernel: tap i is 1.2 * u - 0.2 with u the upper 24 bits of mix(mix(seed + 2) + i) over 2^24; all are divided by their
sum and rounded to float32. Where the sum is below a tenth of the number of taps, negative taps change sign first.
A report of seed s gives its n-th workload (from 1) the seed s + 1000 n.
"""

import numpy

MASK = (1 << 64) - 1
PIXELS = {  # name: scalar type, channels
    "f32": ("float32", 1), "f16": ("float16", 1), "u8": ("uint8", 1), "u16": ("uint16", 1),
    "rgba32f": ("float32", 4), "rgba16f": ("float16", 4), "rgba8": ("uint8", 4), "rgba16": ("uint16", 4),
    "rgb8": ("uint8", 3),
}  # fmt: skip
BORDERS = ("zero", "replicate", "reflect", "reflect101", "wrap")


def mix(index):
    """Of an array of uint64, or of a Python integer."""
    scalar = isinstance(index, int)
    z = numpy.atleast_1d(numpy.asarray(index & MASK if scalar else index, dtype=numpy.uint64))
    u = numpy.uint64
    z = z * u(0x9E3779B97F4A7C15)
    z = (z ^ (z >> u(30))) * u(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> u(27))) * u(0x94D049BB133111EB)
    z = z ^ (z >> u(31))
    return int(z[0]) if scalar else z


def unit(bits):
    return (bits >> numpy.uint64(40)).astype(numpy.float32) * numpy.float32(2.0**-24)


def random_picture(pixel, width, height, seed):
    """height x width, or height x width x channels."""
    scalar, channels = PIXELS[pixel]
    start = mix(seed + 1)
    picture = numpy.empty((height, width * channels), dtype=scalar)
    indices = numpy.arange(width * channels, dtype=numpy.uint64)
    for y in range(height):  # a row at a time: 64-bit indices of a large picture would fill the memory
        bits = mix(indices + numpy.uint64((start + y * width * channels) & MASK))
        picture[y] = unit(bits) if scalar.startswith("float") else (bits >> numpy.uint64(32)).astype(scalar)
    return picture if channels == 1 else picture.reshape(height, width, channels)


def random_kernel(width, height, seed):
    """height x width, float32 values; their sum is 1 but for rounding."""
    bits = mix(numpy.arange(width * height, dtype=numpy.uint64) + numpy.uint64(mix(seed + 2)))
    taps = 1.2 * unit(bits).astype(numpy.float64) - 0.2
    if taps.sum() < 0.1 * taps.size:
        taps = numpy.abs(taps)
    return (taps / taps.sum()).astype(numpy.float32).reshape(height, width)


class ExactValues:
    """What a correlation must give, in float64: at the corners, along the rim and at random places inside."""

    def __init__(self, picture, kernel, border, places=3000):
        height, width = picture.shape[:2]
        kernel_height, kernel_width = kernel.shape
        left, top = kernel_width // 2, kernel_height // 2
        random = numpy.random.default_rng(1)
        y = random.integers(0, height, places)
        x = random.integers(0, width, places)
        rim = places // 2
        side = random.integers(0, 4, rim)
        y[:rim] = numpy.where(side == 0, 0, numpy.where(side == 1, height - 1, y[:rim]))
        x[:rim] = numpy.where(side == 2, 0, numpy.where(side == 3, width - 1, x[:rim]))
        y[-4:] = [0, 0, height - 1, height - 1]
        x[-4:] = [0, width - 1, 0, width - 1]
        self.y, self.x = y, x
        self.inside = (y >= top) & (x >= left) & (y < height - (kernel_height - 1 - top)) & (
            x < width - (kernel_width - 1 - left))
        self.whole = width * height
        rows = self._indices(y[:, None] + numpy.arange(kernel_height) - top, height, border)
        columns = self._indices(x[:, None] + numpy.arange(kernel_width) - left, width, border)
        window = picture[numpy.maximum(rows, 0)[:, :, None], numpy.maximum(columns, 0)[:, None, :]].astype(numpy.float64)
        outside = (rows < 0)[:, :, None] | (columns < 0)[:, None, :]
        window[outside] = 0.0
        self.values = numpy.einsum("pvu...,vu->p...", window, kernel.astype(numpy.float64))

    @staticmethod
    def _indices(index, size, border):
        """As gpu/image/border.h: -1 stands for a border with a value of its own."""
        if border == "zero":
            return numpy.where((index < 0) | (index >= size), -1, index)
        if border == "replicate":
            return numpy.clip(index, 0, size - 1)
        if border == "wrap":
            return index % size
        if border == "reflect":
            folded = index % (2 * size)
            return numpy.where(folded < size, folded, 2 * size - 1 - folded)
        folded = index % max(2 * size - 2, 1)
        return numpy.where(folded < size, folded, 2 * size - 2 - folded)

    def compare(self, result, stated, truncates=False):
        """The accuracy fields of a row, and why it loses its row (None where it does not)."""
        got = result[self.y, self.x].astype(numpy.float64)
        exact = self.values
        integer = numpy.issubdtype(result.dtype, numpy.integer)
        if integer:
            exact = numpy.clip(exact, 0, numpy.iinfo(result.dtype).max)
            allowed = stated + (1.0 if truncates else 0.5)
        elif result.dtype == numpy.float16:
            allowed = stated + numpy.abs(exact) * 2.0**-11 + 2.0**-25
        else:
            allowed = stated
        shown = numpy.rint(exact) if integer else exact
        error = numpy.abs(got - shown)
        norm = numpy.sqrt((shown**2).sum())
        border = error[~self.inside]
        fields = {
            "max_error": float(error.max()),
            "relative_l2": float(numpy.sqrt((error**2).sum()) / (norm if norm > 0 else 1.0)),
            "border_max_error": float(border.max()) if border.size else 0.0,
            "checked_pixels": int(len(self.y)),
            "whole_pixels": int(self.whole),
            "whole_border": False,
        }
        wrong = ~(numpy.abs(got - exact) <= allowed * (1 + 1e-9))
        if not wrong.any():
            return fields, None
        place = int(numpy.argwhere(wrong.reshape(len(self.y), -1).any(axis=1))[0, 0])
        return fields, (f"at ({self.x[place]}, {self.y[place]}) it gives {numpy.ravel(got[place])[0]:.6g} for "
                        f"{numpy.ravel(exact[place])[0]:.6g}, further off than its stated error")
