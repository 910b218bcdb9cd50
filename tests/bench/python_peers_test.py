#!/usr/bin/env python3
"""Of python_peers.py what needs no GPU: the data, the check, the statistics, the merging of reports."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(0)

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import python_peers  # noqa: E402
from peer_rows import data, libraries, protocol, report  # noqa: E402


class DataTest(unittest.TestCase):
    """The numbers come from tessera bench's own generator with seed 1000."""

    def test_pictures(self):
        floats = [0.734170258, 0.850826859, 0.451792061, 0.23001498, 0.675939858, 0.415501833]
        numpy.testing.assert_allclose(data.random_picture("f32", 3, 2, 1000).ravel(), floats, rtol=0, atol=5e-10)
        self.assertEqual(data.random_picture("u8", 2, 3, 1000).ravel().tolist(), [13, 235, 183, 204, 117, 243])
        words = [38157, 51947, 42423, 17356, 25973, 21747]
        self.assertEqual(data.random_picture("u16", 3, 2, 1000).ravel().tolist(), words)
        colours = data.random_picture("rgba8", 1, 2, 1000)
        self.assertEqual(colours.shape, (2, 1, 4))
        self.assertEqual(colours.ravel()[:6].tolist(), [13, 235, 183, 204, 117, 243])
        halves = data.random_picture("f16", 6, 1, 1000).ravel()
        numpy.testing.assert_array_equal(halves, numpy.array(floats, numpy.float32).astype(numpy.float16))

    def test_kernel(self):
        taps = [0.0507108495, 0.092796348, 0.292804301, 0.0424310304, -0.0544209927, 0.174588218, 0.273208678,
                0.06180932, 0.0660722703]  # fmt: skip
        numpy.testing.assert_allclose(data.random_kernel(3, 3, 1000).ravel(), taps, rtol=0, atol=5e-10)


class ExactValuesTest(unittest.TestCase):
    @staticmethod
    def correlate(picture, kernel, border):
        height, width = kernel.shape
        mode = {"zero": "constant", "replicate": "edge", "reflect": "symmetric", "reflect101": "reflect",
                "wrap": "wrap"}[border]  # fmt: skip
        top, left = height // 2, width // 2
        pads = [(top, height - 1 - top), (left, width - 1 - left)] + [(0, 0)] * (picture.ndim - 2)
        padded = numpy.pad(picture.astype(numpy.float64), pads, mode=mode)
        result = numpy.zeros(picture.shape)
        for v in range(height):
            for u in range(width):
                result += float(kernel[v, u]) * padded[v : v + picture.shape[0], u : u + picture.shape[1]]
        return result

    def test_every_border(self):
        for border in data.BORDERS:
            for shape in ((23, 17), (12, 19, 4)):
                picture = numpy.random.default_rng(3).random(shape).astype(numpy.float32)
                for size in ((3, 3), (4, 5), (1, 7)):
                    kernel = data.random_kernel(size[1], size[0], 5)
                    exact = data.ExactValues(picture, kernel, border, places=400)
                    result = self.correlate(picture, kernel, border)
                    fields, failure = exact.compare(result.astype(numpy.float32), 1e-6)
                    self.assertIsNone(failure)
                    self.assertLess(fields["max_error"], 1e-6)
                    flipped = self.correlate(picture, kernel[::-1, ::-1], border)
                    self.assertIsNotNone(exact.compare(flipped.astype(numpy.float32), 1e-6)[1])

    def test_rounding_and_truncation(self):
        picture = data.random_picture("u8", 40, 30, 7)
        kernel = data.random_kernel(3, 3, 7)
        exact = data.ExactValues(picture, kernel, "zero")
        sums = numpy.clip(self.correlate(picture, kernel, "zero"), 0, 255)
        self.assertIsNone(exact.compare(numpy.rint(sums).astype(numpy.uint8), 1e-6)[1])
        cut = numpy.floor(sums).astype(numpy.uint8)
        self.assertIsNotNone(exact.compare(cut, 1e-6)[1])
        self.assertIsNone(exact.compare(cut, 1e-6, truncates=True)[1])

    def test_nan_fails(self):
        picture = data.random_picture("f32", 9, 9, 7)
        exact = data.ExactValues(picture, data.random_kernel(3, 3, 7), "zero")
        self.assertIsNotNone(exact.compare(numpy.full((9, 9), numpy.nan, numpy.float32), 1.0)[1])


class FakeContender:
    resolution_ms = 1e-6

    def __init__(self, times, error=None):
        self.times, self.error, self.runs, self.rotated = times, error, 0, set()

    def rotations(self):
        return 3

    def run(self, rotation):
        pass

    def finish(self):
        pass

    def measure(self, rotation):
        if self.error:
            raise RuntimeError(self.error)
        self.rotated.add(rotation)
        self.runs += 1
        return self.times[self.runs % len(self.times)]


class ProtocolTest(unittest.TestCase):
    def test_summary(self):
        found = protocol.summary([float(value) for value in range(1, 102)], 0)
        self.assertEqual((found["median_ms"], found["p5_ms"], found["p95_ms"]), (51, 6, 96))
        self.assertEqual((found["median_low_ms"], found["median_high_ms"], found["samples"]), (40, 62, 101))
        single = protocol.summary([2.0], 0.5)
        self.assertEqual((single["median_low_ms"], single["median_high_ms"]), (1.75, 2.25))

    def test_contest(self):
        steady, broken = FakeContender([1.0, 1.001]), FakeContender([1.0], "no memory")
        entrants = protocol.contest([steady, broken], "cold", wanted=10, budget_ms=5000)
        self.assertEqual(len(entrants[0].samples), 10)
        self.assertEqual(entrants[0].warmups, protocol.WARMUPS)
        self.assertEqual(steady.rotated, {0, 1, 2})
        self.assertEqual(entrants[1].failure, "RuntimeError: no memory")
        self.assertEqual(entrants[1].samples, [])
        loose = FakeContender([1.0, 3.0])
        self.assertEqual(len(protocol.contest([loose], "hot", wanted=10, budget_ms=5000)[0].samples), 50)
        self.assertEqual(loose.rotated, {0})


def row(variant, median, spread=0.01, **other):
    return {"variant": variant, "device": "cuda:0", "work": "convolution", "width": 64, "height": 32,
            "kernel_width": 3, "kernel_height": 3, "kernel": "random", "pixel": "f32", "border": "zero",
            "cache": "cold", "scope": "kernel", "median_ms": median, "median_low_ms": median - spread,
            "median_high_ms": median + spread, "samples": 100, "bytes": 1e6, "operations": 2e6,
            "share_of": "roofline", "failure": None} | other  # fmt: skip


CEILINGS = {"copy_cold": [{"bytes": 1e5, "bytes_per_second": 1e9}, {"bytes": 1e7, "bytes_per_second": 4e9}],
            "copy_hot": [], "fp32_operations_per_second": 1e9}  # fmt: skip


class ReportTest(unittest.TestCase):
    def made(self):
        return {"seed": 5, "device": {"id": "cuda:0"}, "ceilings": CEILINGS,
                "rows": [row("tiled", 3.0), row("naive", 5.0), row("tiled", 9.0, kernel_width=5, kernel_height=5)]}

    def test_workloads_and_seeds(self):
        found = report.workloads(self.made())
        self.assertEqual([(one["kernel_width"], one["seed"]) for one in found], [(3, 1005), (5, 2005)])

    def test_floor(self):
        made = row("x", 4.0)
        self.assertAlmostEqual(report.copy_rate(CEILINGS, 1e6, "cold"), 2.5e9)
        report.add_floor(made, CEILINGS)
        self.assertAlmostEqual(made["floor_ms"], 2.0)  # 2e6 operations at 1e9 a second
        self.assertAlmostEqual(made["share"], 0.5)
        made["share_of"] = "memory"
        report.add_floor(made, CEILINGS)
        self.assertAlmostEqual(made["floor_ms"], 0.4)
        report.add_floor(made, None)
        self.assertIsNone(made["share"])

    def test_merge_ranks_and_replaces(self):
        added = [row("torch-conv2d", 3.005), row("torch-conv2d", 4.0, scope="call"), row("cupy", 1.0, failure="wrong")]
        merged = report.merge(self.made(), added, [{"variant": "opencv", "reason": "missing"}])
        by_name = {one["variant"]: one for one in merged["rows"] if one["kernel_width"] == 3 and one["scope"] == "kernel"}
        self.assertEqual(by_name["torch-conv2d"]["tie_with"], ["tiled"])
        self.assertEqual(by_name["tiled"]["tie_with"], ["torch-conv2d"])
        self.assertEqual([by_name[name]["rank"] for name in ("tiled", "torch-conv2d", "naive", "cupy")],
                         [1, 1, 3, None])  # fmt: skip
        self.assertEqual(len(merged["left_out"]), 1)
        again = report.merge(merged, [row("torch-conv2d", 2.0)])
        self.assertEqual(len(again["rows"]), 6)
        text = report.table(again["rows"])
        self.assertIn("| torch-conv2d (cuda:0) | 1 | 2 |", text)
        self.assertIn("wrong", text)


class CommandTest(unittest.TestCase):
    def run_main(self, *arguments):
        output, errors = io.StringIO(), io.StringIO()
        code = None
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                code = python_peers.main(list(arguments))
            except SystemExit as stop:
                code = stop.code
        return code, output.getvalue(), errors.getvalue()

    def test_missing_libraries_are_left_out_with_a_word(self):
        class Missing(libraries.Contender):
            variant = "absent"

            def __init__(self, *_):
                raise libraries.LeftOut("it is not installed")

        kept = dict(libraries.LIBRARIES)
        libraries.LIBRARIES.clear()
        libraries.LIBRARIES["absent"] = [Missing]
        try:
            code, output, errors = self.run_main("--size", "16x16", "--kernel-sizes", "3")
        finally:
            libraries.LIBRARIES.clear()
            libraries.LIBRARIES.update(kept)
        self.assertEqual(code, 1)
        self.assertIn("left out: absent, 3x3 f32: it is not installed", errors)

    def test_merges_rows_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            made = os.path.join(folder, "report.json")
            rows = os.path.join(folder, "rows.json")
            with open(made, "w", encoding="utf-8") as file:
                json.dump(ReportTest().made(), file)
            with open(rows, "w", encoding="utf-8") as file:
                json.dump({"rows": [row("torch-conv2d", 1.0)]}, file)
            code, output, _ = self.run_main("--merge", made, "--rows", rows)
            self.assertEqual(code, 0)
            self.assertIn("torch-conv2d", output)
            with open(os.path.join(folder, "report.peers.json"), encoding="utf-8") as file:
                self.assertEqual(len(json.load(file)["rows"]), 4)
            code, _, _ = self.run_main("--merge", made, "--rows", rows)  # nothing is replaced unasked
            self.assertIn("is there already", str(code))
            code, _, _ = self.run_main("--merge", rows + "x", "--rows", rows)
            self.assertIn("cannot be used", str(code))

    def test_wrong_usage(self):
        self.assertEqual(self.run_main("--libraries", "matlab")[0], 2)
        self.assertEqual(self.run_main("--rows", "x")[0], 2)
        self.assertEqual(self.run_main("--cache", "warm")[0], 2)


if __name__ == "__main__":
    unittest.main()
