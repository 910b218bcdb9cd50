#!/usr/bin/env python3
"""Times `tessera batch` against a Python loop over OpenCV, `vips conv` and `mogrify` on the same generated files.

Every contender filters the same folder with the same 5x5 kernel in its own process, started anew each round, after one
round that is not counted. Contenders take turns, so that whatever else the machine does hits all of them alike; the
table has medians, and ratios as the median of the ratios within a round. Memory is the peak of the process (all of its
processes together for vips, which is started once a file). A contender that is not installed is left out with a word.

    tests/bench/batch_bench.py --tessera build/release/bin/tessera --folder /tmp/bench [--rounds 5] [--rows jpeg,png8]

needs numpy; the loop over OpenCV needs cv2 (pip install opencv-python-headless) in the Python named by --python.
"""
import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

# Dense, of rank above 2, and with a sum of 256: no contender can take a separable short cut, integers lose nothing.
KERNEL = [[1, 6, 10, 3, 2], [9, 14, 21, 12, 5], [8, 25, 37, 16, 4], [3, 11, 19, 13, 7], [2, 5, 12, 8, 3]]
SUM = sum(map(sum, KERNEL))
# More files than these share a picture, to make them in time; nobody keeps a decoded picture for the next file.
DIFFERENT = 64


def cores():
    return len(os.sched_getaffinity(0))


# ---- pictures ----

def octaves(width, height, random):
    """Clouds with detail at every scale, hard edges and a little noise of the sensor: compresses like a photograph."""
    import numpy
    picture = numpy.zeros((height, width, 3), numpy.float32)
    size = 512
    while size >= 2:
        rows, columns = height // size + 3, width // size + 3
        grid = random.standard_normal((rows, columns, 3)).astype(numpy.float32)
        y = numpy.linspace(0, rows - 2, height, dtype=numpy.float32)
        x = numpy.linspace(0, columns - 2, width, dtype=numpy.float32)
        yi, xi = y.astype(int), x.astype(int)
        fy, fx = (y - yi)[:, None, None], (x - xi)[None, :, None]
        top = grid[yi][:, xi] * (1 - fx) + grid[yi][:, xi + 1] * fx
        bottom = grid[yi + 1][:, xi] * (1 - fx) + grid[yi + 1][:, xi + 1] * fx
        picture += (top * (1 - fy) + bottom * fy) * (size / 512) ** 0.8
        size //= 2
    for _ in range(60):
        x, y = int(random.integers(0, width)), int(random.integers(0, height))
        w, h = int(random.integers(20, width // 5 + 21)), int(random.integers(20, height // 5 + 21))
        picture[y:y + h, x:x + w] += random.standard_normal(3).astype(numpy.float32) * 0.6
    picture = 0.5 + 0.16 * picture
    return picture + 0.012 * random.standard_normal(picture.shape).astype(numpy.float32)


def write_ppm(path, values):
    import numpy
    height, width, _ = values.shape
    wide = values.dtype == numpy.uint16
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n%d\n" % (width, height, 65535 if wide else 255))
        file.write((values.astype(">u2") if wide else values).tobytes())


def convert(source, target):
    if not shutil.which("vips"):
        import cv2
        cv2.imwrite(str(target), cv2.imread(str(source), cv2.IMREAD_UNCHANGED), [cv2.IMWRITE_JPEG_QUALITY, 95])
        return
    tool = {".jpg": ["vips", "copy", str(source), f"{target}[Q=95,subsample-mode=on]"],
            ".png": ["vips", "copy", str(source), str(target)]}[target.suffix]
    subprocess.run(tool, check=True)


def make_pictures(folder, count, width, height, depth, extension):
    """What a process of its own does (--make): a large parent would count into its children's peaks of memory."""
    import numpy
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    random = numpy.random.default_rng(1)
    margin = 256
    large = octaves(width + margin, height + margin, random)
    full = 255 if depth == 8 else 65535
    large = numpy.clip(large * full + 0.5, 0, full).astype(numpy.uint8 if depth == 8 else numpy.uint16)
    for number in range(min(count, DIFFERENT)):
        x, y = (int(v) for v in random.integers(0, margin, 2))
        part = numpy.ascontiguousarray(large[y:y + height, x:x + width, :][:, ::-1 if number % 2 else 1])
        source = folder / f"{number:04}.ppm"
        write_ppm(source, part)
        if extension != "ppm":
            convert(source, folder / f"{number:04}.{extension}")
            source.unlink()
    for number in range(DIFFERENT, count):
        os.link(folder / f"{number % DIFFERENT:04}.{extension}", folder / f"{number:04}.{extension}")


# ---- contenders ----

def opencv_loop(inputs, output):
    """What runs in the Python that has OpenCV: started as a process of its own by way of --loop."""
    import cv2
    import numpy
    kernel = numpy.array(KERNEL, numpy.float32) / SUM
    for path in sorted(pathlib.Path(inputs).iterdir()):
        picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
        result = cv2.filter2D(picture, -1, kernel, borderType=cv2.BORDER_REPLICATE)
        cv2.imwrite(os.path.join(output, path.name), result,
                    [cv2.IMWRITE_JPEG_QUALITY, 92] if path.suffix == ".jpg" else [])


def kernel_text(separator=" "):
    return separator.join(",".join(str(v) for v in row) for row in KERNEL)


class Bench:
    def __init__(self, options):
        self.options = options
        self.folder = pathlib.Path(options.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        rows = "\n".join(" ".join(str(v) for v in row) for row in KERNEL)
        (self.folder / "kernel.txt").write_text(rows + "\n")
        (self.folder / "kernel.mat").write_text(f"5 5 {SUM} 0\n{rows}\n")

    def tessera(self, inputs, output, *more):
        return [self.options.tessera, "batch", str(inputs), "-o", str(output), "--kernel",
                str(self.folder / "kernel.txt"), "--divisor", "auto", "--name", "{stem}.{ext}", "--quality", "92", "-q", "--device", "cpu",
                *more]

    def opencv(self, inputs, output):
        return [self.options.python, os.path.abspath(__file__), "--loop", str(inputs), str(output)]

    def vips(self, inputs, output, processes=1):
        # A file at a time, on all cores by itself; or a process a core.
        jpeg = "[Q=92]" if any(inputs.glob("*.jpg")) else ""
        command = f'vips conv "$1" "{output}/$(basename "$1"){jpeg}" "{self.folder}/kernel.mat" --precision integer'
        return ["sh", "-c", f"printf '%s\\0' {inputs}/* | xargs -0 -n 1 -P {processes} sh -c '{command}' sh"]

    def mogrify(self, inputs, output):
        scaled = " ".join(",".join(repr(v / SUM) for v in row) for row in KERNEL)
        quality = ["-quality", "92"] if any(inputs.glob("*.jpg")) else []
        files = sorted(str(path) for path in inputs.iterdir())
        return ["mogrify", "-path", str(output), *quality, "-virtual-pixel", "edge", "-morphology", "Convolve",
                "5x5: " + scaled, *files]

    def contenders(self, names):
        known = {
            "tessera": (self.options.tessera, self.tessera),
            "OpenCV loop": (None, self.opencv),
            "vips conv": ("vips", self.vips),
            "vips conv, a process a core": ("vips", lambda i, o: self.vips(i, o, cores())),
            "mogrify": ("mogrify", self.mogrify),
        }
        found = []
        for name in names:
            program, build = known[name]
            if program and not shutil.which(program):
                print(f"left out: {name} ({program} is not installed)")
            elif name == "OpenCV loop" and subprocess.run([self.options.python, "-c", "import cv2"],
                                                          capture_output=True).returncode:
                print(f"left out: {name} ({self.options.python} has no cv2)")
            else:
                found.append((name, build))
        return found

    # Whoever else works on this machine under the same lock waits meanwhile.
    @contextlib.contextmanager
    def alone(self):
        if not self.options.lock:
            yield
            return
        with open(self.options.lock, "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def run(self, command, output, said=subprocess.DEVNULL):
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir()
        os.sync()
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=said)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if status:
            sys.exit(f"{command[:3]} ended with status {status}")
        return seconds, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime

    # Under one lock, so that the ratios within a round are of the same minute.
    def one_round(self, entrants, inputs):
        output = self.folder / "out"
        results = []
        with self.alone():
            for entrant in entrants:
                measured = self.run(entrant[1](inputs, output), output)
                results.append((entrant, measured, [(path.name, path.stat().st_size) for path in output.iterdir()]))
        return results

    def race(self, title, inputs, names):
        contenders = self.contenders(names)
        count = len(list(inputs.iterdir()))
        results = {name: [] for name, _ in contenders}
        sizes = {}
        slow = set()
        for round_number in range(self.options.rounds + 1):
            turn = round_number % len(contenders)
            entrants = [one for one in contenders[turn:] + contenders[:turn] if one[0] not in slow]
            for (name, _), measured, made in self.one_round(entrants, inputs):
                pictures = [size for file, size in made if not file.startswith(".")]
                if len(pictures) != count:
                    sys.exit(f"{name} made {len(pictures)} of {count} files")
                sizes[name] = sum(pictures)
                # One that takes so long has had its say after one round, and needs no warming up.
                if measured[0] > self.options.once_after:
                    slow.add(name)
                if round_number > 0 or name in slow:
                    results[name].append(measured)
        print(f"\n{title}: {count} files, {cores()} cores, median of {self.options.rounds} rounds\n")
        print("| contender | s | ms a file | spread | times tessera | processor s | peak MiB | MB written |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        ours = [seconds for seconds, _, _ in results["tessera"]]
        for name, rounds in results.items():
            seconds = [one[0] for one in rounds]
            median = statistics.median(seconds)
            ratio = statistics.median(a / b for a, b in zip(seconds, ours))
            note = " (one round)" if name in slow else ""
            print(f"| {name}{note} | {median:.2f} | {1e3 * median / count:.1f} | {min(seconds):.2f} to {max(seconds):.2f} | "
                  f"{ratio:.2f} | {statistics.median(one[2] for one in rounds):.2f} | "
                  f"{max(one[1] for one in rounds):.0f} | {sizes[name] / 1e6:.1f} |", flush=True)

    # What a file costs beyond its stages: the wall clock, less the time that the stages took on all cores together.
    def small(self, inputs):
        count = len(list(inputs.iterdir()))
        costs, walls = [], []
        for round_number in range(self.options.rounds + 1):
            output, report = self.folder / "out", self.folder / "report.jsonl"
            report.unlink(missing_ok=True)
            with self.alone():
                seconds, _, _ = self.run(self.tessera(inputs, output, "--report", str(report)), output)
            stages = 0.0
            for line in report.read_text().splitlines():
                times = json.loads(line)["times_ms"]
                stages += sum(times[name] for name in ("decode", "filter", "statistics", "encode"))
            if round_number > 0:
                walls.append(1e3 * seconds / count)
                costs.append(1e3 * seconds / count - stages / cores() / count)
        print(f"\n{count} pictures of 0.3 megapixels, start-up included: {statistics.median(walls):.2f} ms a file on "
              f"the clock, of which {statistics.median(costs):.2f} ms are neither decoding, filtering, statistics nor "
              f"encoding (all rounds: {', '.join(f'{cost:.2f}' for cost in costs)})", flush=True)

    # Which stage holds the others up, and whether it is ever idle.
    def gpu(self, inputs):
        import numpy
        taps = numpy.random.default_rng(2).integers(1, 40, (15, 15))
        (self.folder / "kernel15.txt").write_text("\n".join(" ".join(map(str, row)) for row in taps) + "\n")
        count = len(list(inputs.iterdir()))
        print(f"\nJPEG, 12 megapixels, 15x15 dense, quality 92: {count} files, {cores()} cores and the GPU\n")
        print("| s | ms a file | megapixels/s | slowest stage | busy | peak MiB |\n| --- | --- | --- | --- | --- | --- |")
        for _ in range(self.options.rounds):
            output, said = self.folder / "out", self.folder / "said.json"
            command = [self.options.tessera, "batch", str(inputs), "-o", str(output), "--kernel",
                       str(self.folder / "kernel15.txt"), "--divisor", "auto", "--quality", "92", "--device", "all",
                       "--json"]
            with self.alone(), open(said, "w", encoding="utf-8") as target:
                seconds, peak, _ = self.run(command, output, target)
            summary = json.loads(said.read_text(encoding="utf-8"))["summary"]
            print(f"| {seconds:.2f} | {1e3 * seconds / count:.2f} | {12 * count / seconds:.0f} | "
                  f"{summary['slowest_stage']} | {summary['slowest_stage_busy']} | {peak:.0f} |", flush=True)

    def memory(self, inputs, limits):
        print("\n| pictures | --max-memory | peak MiB | over the limit |\n| --- | --- | --- | --- |")
        for path in inputs:
            for limit in limits:
                output = self.folder / "out"
                with self.alone():
                    _, peak, _ = self.run(self.tessera(path, output, "--max-memory", f"{limit}M", "--jobs", "8"), output)
                print(f"| {path.name} | {limit} MiB | {peak:.0f} | {peak - limit:+.0f} |", flush=True)

    def pictures(self, name, count, width, height, depth, extension):
        """A folder that is there already is taken as it is."""
        folder = self.folder / f"{name}-{count}"
        if not folder.is_dir() or len(list(folder.iterdir())) != count:
            subprocess.run([sys.executable, os.path.abspath(__file__), "--make", str(folder), str(count), str(width),
                            str(height), str(depth), extension], check=True)
        return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tessera", default="build/release/bin/tessera")
    parser.add_argument("--python", default=sys.executable, help="the Python that has cv2")
    parser.add_argument("--folder", default="build/batch-bench", help="for pictures and results; pictures are kept")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", default="jpeg,png16,png8,small,memory",
                        help="of these and gpu, which needs one (default: %(default)s)")
    parser.add_argument("--files", type=int, default=64)
    parser.add_argument("--png-files", type=int, default=0, help="default: as many as JPEGs")
    parser.add_argument("--gpu-files", type=int, default=500)
    parser.add_argument("--once-after", type=float, default=60, help="seconds; who takes longer runs once")
    parser.add_argument("--lock", help="a file to lock exclusively (flock) during each round")
    options = parser.parse_args()
    bench = Bench(options)
    rows = options.rows.split(",")
    everyone = ["tessera", "OpenCV loop", "vips conv", "vips conv, a process a core", "mogrify"]
    size = (options.files, 3000, 2000)
    pngs = (options.png_files or options.files, 3000, 2000)
    if "jpeg" in rows:
        bench.race("JPEG, 6 megapixels, 5x5 dense, quality 92", bench.pictures("jpeg", *size, 8, "jpg"), everyone)
    if "png16" in rows:
        bench.race("PNG, 16 bit, 6 megapixels, 5x5 dense", bench.pictures("png16", *pngs, 16, "png"), everyone)
    if "png8" in rows:
        bench.race("PNG, 8 bit, 6 megapixels, 5x5 dense", bench.pictures("png8", *pngs, 8, "png"), everyone)
    if "small" in rows:
        small = bench.pictures("small", 1000, 640, 480, 8, "jpg")
        bench.small(small)
        bench.race("JPEG, 0.3 megapixels", small, ["tessera", "OpenCV loop"])
    if "gpu" in rows:
        bench.gpu(bench.pictures("gpu", options.gpu_files, 4000, 3000, 8, "jpg"))
    if "memory" in rows:
        kinds = [bench.pictures("jpeg", *size, 8, "jpg"), bench.pictures("png16", *pngs, 16, "png")]
        bench.memory(kinds, [256, 512, 1024])


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "--loop":
        opencv_loop(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 8 and sys.argv[1] == "--make":
        make_pictures(sys.argv[2], *(int(value) for value in sys.argv[3:7]), sys.argv[7])
    else:
        main()
