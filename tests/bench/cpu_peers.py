#!/usr/bin/env python3
"""Times `vips conv` and ImageMagick beside each other on one picture, for information: tests/bench/cpu-notes.md.

Both are timed as programs. What start, reading and writing take is measured with a copy of the picture and taken off;
the format is each one's own uncompressed one, in memory. Prints milliseconds: wall clock and processor time.

    cpu_peers.py [SIZE] [K...]
"""
import os
import random
import resource
import subprocess
import sys
import tempfile
import time


def timed(command, rounds=3):
    """The least wall and processor time of a command, in milliseconds."""
    walls, processors = [], []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        walls.append((time.monotonic() - start) * 1e3)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        processors.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3)
    return min(walls), min(processors)


def taps(side):
    generator = random.Random(2)
    return [[generator.randrange(-20, 80) for _ in range(side)] for _ in range(side)]


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 4096
    sides = [int(word) for word in sys.argv[2:]] or [3, 5, 7, 15]
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        os.chdir(folder)
        with open("in.ppm", "wb") as file:
            file.write(b"P6\n%d %d\n255\n" % (size, size))
            file.write(random.Random(1).randbytes(size * size * 3))
        subprocess.run(["vips", "copy", "in.ppm", "in.v"], check=True)
        subprocess.run(["convert", "in.ppm", "in.mpc"], check=True)
        vips_copy = timed(["vips", "copy", "in.v", "out.v"])
        convert_copy = timed(["convert", "in.mpc", "out.mpc"])
        for side in sides:
            rows = taps(side)
            total = sum(map(sum, rows))
            with open("kernel.mat", "w") as file:
                file.write(f"{side} {side} {total} 0\n" + "".join(" ".join(map(str, row)) + "\n" for row in rows))
            notation = f"{side}x{side}: " + " ".join(",".join(str(tap / total) for tap in row) for row in rows)
            for name, command, base in (
                ("vips integer", ["vips", "conv", "in.v", "out.v", "kernel.mat", "--precision", "integer"], vips_copy),
                ("vips float", ["vips", "conv", "in.v", "out.v", "kernel.mat", "--precision", "float"], vips_copy),
                ("ImageMagick", ["convert", "in.mpc", "-morphology", "Convolve", notation, "out.mpc"], convert_copy),
            ):
                wall, processor = timed(command, 1 if name == "ImageMagick" and side > 7 else 3)
                print(f"{side:3d}  {name:13s} {wall - base[0]:9.0f} ms  processor {processor - base[1]:9.0f} ms", flush=True)


if __name__ == "__main__":
    main()
