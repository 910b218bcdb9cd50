#!/usr/bin/env python3
"""Reads the compiled kernels' machine code and checks that it is what their source is written for.

usage: machine_code_test.py [--tools DIR]... FILE...

FILE: objects, archives or executables with device code. cuobjdump and nvdisasm are looked for in $TESSERA_CUOBJDUMP's
folder, the folders given, PATH, /usr/local/cuda/bin and Python's packages (pip install nvidia-cuda-cuobjdump
nvidia-cuda-nvdisasm). Where they are not found the test prints 'skipped: ' and the reason. Each rule names kernels by a
pattern of their mangled names; a pattern that matches no kernel is a failure, so that renaming one cannot silence it.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field


@dataclass
class Kernel:
    name: str
    architecture: str
    code: list = field(default_factory=list)  # [(address, instruction)]
    resources: dict = field(default_factory=dict)  # {'REG': 32, 'STACK': 0, ...}

    def find(self, pattern):
        expression = re.compile(pattern)
        return [text for _, text in self.code if expression.search(text)]


# ---- what is checked: each returns what is wrong with a kernel, or None ----


def has(*patterns):
    def check(kernel):
        missing = [pattern for pattern in patterns if not kernel.find(pattern)]
        return f"has no {' and no '.join(missing)}" if missing else None

    return check


def lacks(*patterns):
    def check(kernel):
        present = [kernel.find(pattern)[0] for pattern in patterns if kernel.find(pattern)]
        return f"has {present[0]}" if present else None

    return check


def shuffle_offsets(kernel):
    found = [re.search(r"SHFL\.DOWN PT, R\d+, R\d+, (0x[0-9a-f]+), 0x1f", text) for text in kernel.find(r"SHFL\.DOWN")]
    return [int(match.group(1), 16) for match in found if match]


def shuffles_in_order(kernel):
    """Five exchanges, halving the distance, and none besides."""
    offsets = shuffle_offsets(kernel)
    return None if offsets == [16, 8, 4, 2, 1] else f"shuffles down by {offsets}"


def shuffles_whole_warps(kernel):
    """Many reductions, whose halves of 64-bit values the compiler moves in any order: all five distances, no other."""
    offsets = sorted(set(shuffle_offsets(kernel)), reverse=True)
    return None if offsets == [16, 8, 4, 2, 1] else f"shuffles down by {offsets}"


def has_no_loop(kernel):
    """No jump back, but for the endless one behind the code's end."""
    for address, text in kernel.code:
        target = re.search(r"\bBRA(?:\.\w+)* .*?(0x[0-9a-f]+)", text)
        if target and int(target.group(1), 16) < address:
            return f"jumps back: {text}"
    return None


def does_not_spill(kernel):
    used = {name: kernel.resources.get(name) for name in ("STACK", "LOCAL")}
    if any(value != 0 for value in used.values()):
        return f"uses local memory: {used}, {kernel.resources.get('REG')} registers"
    return lacks(r"\b(STL|LDL)\b")(kernel)


def from_90(check):
    """Of code for GPUs that have what the check is about; for others the kernel is compiled and never launched."""

    def checked(kernel):
        number = re.search(r"\d+", kernel.architecture)
        return check(kernel) if number and int(number.group()) >= 90 else None

    return checked


LOAD_128, STORE_128 = r"\bLDG\.E(\.\w+)*\.128\b", r"\bSTG\.E(\.\w+)*\.128\b"
SCALAR_LOAD, SCALAR_STORE = r"\bLDG\.E(\.(SYS|CONSTANT|CI))* ", r"\bSTG\.E(\.(SYS|CI))* "
ANY_128 = r"\b(LDG|STG)\.E(\.\w+)*\.128\b"
# Packed arithmetic. HFMA2 with RZ in front only sets a register, and HADD2.F32 only converts.
PACKED = r"\b(HFMA2|HADD2)(\.(?!F32)\w+)* R\d+, (?!-?RZ\b)"
VOTE = r"\bVOTE\.(ANY|ALL|EQ)\b"
RUN = "runKernel"
TILE = r"11FetchedTileI"
LEVELS = r"9LevelTileI"
GREY_LEVELS = LEVELS + r"XtlNS_10LevelShapeELi1E"
LADDER = r"(Interleaved|Strided|Sequential|OnLoad|LastWarp|Unrolled)"

# (what is claimed, which kernels, the check)
RULES = [
    ("no shipped kernel spills", RUN, does_not_spill),
    ("B-5.2.1: one float a thread", r"ElementsScalar", has(SCALAR_LOAD, SCALAR_STORE)),
    ("B-5.2.1: no vector where one float is asked for", r"Elements(Scalar|Strided)", lacks(ANY_128)),
    ("B-5.2.1: four floats in one access", r"ElementsVector", has(LOAD_128, STORE_128)),
    ("B-5.2: and the way of one float beside it", r"ElementsVector", has(SCALAR_LOAD, SCALAR_STORE)),
    ("naive-float4 moves 128 bits", r"NaiveVectorConvolveINS_5PixelIfLi1EEES4_", has(LOAD_128, STORE_128)),
    ("tiled-float4 moves 128 bits", r"TiledVectorConvolveINS_5PixelIfLi1EEES4_", has(LOAD_128, STORE_128)),
    ("naive-half2 computes in pairs", r"NaiveHalf2Convolve", has(PACKED)),
    ("tiled-half2 computes in pairs", r"TiledHalf2Convolve", has(PACKED)),
    ("B-5.5.1: two sums in one instruction", r"AddHalfPairs", has(PACKED)),
    ("no packed arithmetic in float kernels", r"(Naive|Tiled)ConvolveINS_5PixelIf", lacks(PACKED)),
    ("B-5.3.1: V6 and V7 shuffle by 16 8 4 2 1", r"Reduce(Shuffle|Vector)INS_", shuffles_in_order),
    ("V0 to V5 go through shared memory alone", rf"Reduce{LADDER}INS_", lacks(r"\bSHFL\b")),
    ("V5 and V6 have no loop", r"Reduce(Unrolled|Shuffle)INS_", has_no_loop),
    ("V7 loads 128 bits", r"ReduceVectorINS_", has(LOAD_128)),
    ("statistics reduce whole warps", r"ReduceStatistics", shuffles_whole_warps),
    ("B-5.4.1: ballots", r"(MarkAbove|CountAboveBallot|CountAboveGrid|ReduceStatisticsINS_5PixelI\w+EELb1)", has(VOTE)),
    ("statistics without a threshold do not vote", r"ReduceStatisticsINS_5PixelI\w+EELb0", lacks(VOTE)),
    ("statistics of tiles reduce warps in one instruction", r"TileStatistics", from_90(has(r"\bREDUX\b"))),
    ("and the launch after them waits for them", r"JoinTotals", has(r"\bACQBULK\b")),
    ("8-bit separable sums on tensor cores", r"SeparableBytes", has(r"\bHMMA\.16816\.F32\b", r"\bUBLKCP\b")),
    ("histograms of 16 bits find runs by ballot", r"NS_9HistogramINS_5PixelIt", has(VOTE, r"SHFL\.DOWN")),
    ("or count in shared memory, without looking for runs", r"WideHistogramINS_5PixelIt", has(r"ATOMS")),
    ("a tile's window is fetched as a box, and 128 bits are loaded and stored", TILE, from_90(has(r"UTMALDG\.2D", r"\bLDS\.128\b", STORE_128))),
    ("8-bit sums on tensor cores, of boxes that are fetched", LEVELS, from_90(has(r"UTMALDG\.2D", r"IMMA\.16832\.U8\.S8"))),
    ("halves on tensor cores, of boxes that are fetched", r"8HalfTileI", from_90(has(r"UTMALDG\.2D", r"HMMA\.16816\.F32"))),
    ("one channel leaves in boxes too", GREY_LEVELS, from_90(has(r"UTMASTG\.2D"))),
    ("a whole interleaved pixel in one load", r"LuminanceVector", has(LOAD_128)),
]


# ---- reading ----


def tool_folders(given):
    named = os.environ.get("TESSERA_CUOBJDUMP")
    folders = [os.path.dirname(named)] if named else []
    folders += given + os.environ.get("PATH", "").split(os.pathsep) + ["/usr/local/cuda/bin"]
    for packages in sys.path:
        folders += sorted(glob.glob(os.path.join(packages, "nvidia", "*", "bin")))
    return [folder for folder in folders if folder]


def run(tool, arguments, folders):
    # cuobjdump calls nvdisasm, which may lie elsewhere.
    environment = dict(os.environ, PATH=os.pathsep.join(folders))
    result = subprocess.run([tool] + arguments, capture_output=True, text=True, env=environment, check=False)
    if result.returncode != 0:
        sys.exit(f"{tool} {' '.join(arguments)}: exit {result.returncode}\n{result.stderr}")
    return result.stdout


def kernels_of(tool, path, folders):
    """{(architecture, name): Kernel}"""
    kernels, current, architecture = {}, None, ""
    for line in run(tool, ["-sass", path], folders).splitlines():
        if match := re.match(r"\s*arch = (\S+)", line):
            architecture = match.group(1)
        elif match := re.search(r"Function : (\S+)", line):
            current = kernels.setdefault((architecture, match.group(1)), Kernel(match.group(1), architecture))
        elif current and (match := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+([^;]+);", line)):
            current.code.append((int(match.group(1), 16), " ".join(match.group(2).split())))
    for line in run(tool, ["-res-usage", path], folders).splitlines():
        if match := re.match(r"\s*arch = (\S+)", line):
            architecture = match.group(1)
        elif match := re.search(r"Function (\S+):\s*$", line):
            current = kernels.get((architecture, match.group(1)))
        elif current and "REG:" in line:
            current.resources = {name: int(value) for name, value in re.findall(r"(\w+):(\d+)", line)}
    return kernels


def readable(kernel):
    tool = shutil.which("c++filt")
    name = kernel.name
    if tool:
        name = subprocess.run([tool, name], capture_output=True, text=True, check=False).stdout.strip() or name
        name = re.sub(r"^void tessera::cuda::runKernel<(.*)>\(.*\)$", r"\1", name).replace("tessera::", "")
    return f"{name} ({kernel.architecture})"


def check(kernels):
    failures = []
    for claim, pattern, rule in RULES:
        concerned = [kernel for kernel in kernels if re.search(pattern, kernel.name)]
        wrong = [f"{readable(kernel)} {problem}" for kernel in concerned if (problem := rule(kernel))]
        if not concerned:
            wrong = [f"no kernel's name matches {pattern}"]
        print(f"{'FAIL' if wrong else 'ok  '} {claim} ({len(concerned)} kernels)")
        failures += [f"  {claim}: {problem}" for problem in wrong]
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", action="append", default=[], metavar="DIR", help="look for cuobjdump and nvdisasm here")
    parser.add_argument("files", nargs="+", metavar="FILE")
    arguments = parser.parse_args()

    folders = tool_folders(arguments.tools)
    tools = {name: shutil.which(name, path=os.pathsep.join(folders)) for name in ("cuobjdump", "nvdisasm")}
    missing = [name for name, path in tools.items() if not path]
    if missing:
        print(f"skipped: {' and '.join(missing)} not found (pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm)")
        return 0

    kernels = []
    for path in arguments.files:
        kernels += kernels_of(tools["cuobjdump"], path, folders).values()
    kernels = [kernel for kernel in kernels if kernel.code]
    print(f"{len(kernels)} kernels read by {tools['cuobjdump']}")
    failures = check(kernels)
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
