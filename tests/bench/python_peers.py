#!/usr/bin/env python3
"""Times PyTorch, CuPy and OpenCV's Python as tessera bench times its own variants: the same data (made from the same
seed, see peer_rows/data.py), results checked against float64 before they are timed, contenders interleaved, buffers
rotated past the cache, CUDA events, medians. A library that is missing is left out with a word.

  tests/bench/python_peers.py --size 8192x8192 --kernel-sizes 3,5,7 --json rows.json
  tests/bench/python_peers.py --merge report.json        # the workloads of a report; adds rows, writes report.peers.json
  tests/bench/python_peers.py --merge report.json --rows rows.json    # rows measured before
"""

import argparse
import json
import os
import sys

import peer_rows.data as data
import peer_rows.libraries as libraries
import peer_rows.protocol as protocol
import peer_rows.report as report_tools


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="8192x8192", help="WxH[,WxH...] (default: %(default)s)")
    parser.add_argument("--kernel-sizes", default="3,5,7,9,11,15,21,31", help="sides (default: %(default)s)")
    parser.add_argument("--pixel", default="f32", help="f32, f16, u8, rgba8, ... (default: %(default)s)")
    parser.add_argument("--border", default="zero", choices=data.BORDERS, help="(default: %(default)s)")
    parser.add_argument("--cache", help="cold, hot or both with a comma (default: cold, or as in the report)")
    parser.add_argument("--samples", type=int, default=100, help="at least, where time allows (default: %(default)s)")
    parser.add_argument("--budget", type=float, default=10.0, metavar="S",
                        help="seconds for one contender in one contest (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the data, as in a report (default: %(default)s)")
    parser.add_argument("--libraries", default=",".join(libraries.LIBRARIES), help="(default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write device and rows")
    parser.add_argument("--merge", metavar="REPORT.json", help="a report of tessera bench --json")
    parser.add_argument("--rows", metavar="FILE", help="with --merge: take these rows, measure nothing")
    parser.add_argument("--output", metavar="FILE", help="with --merge: the report with its new rows "
                        "(default: REPORT.peers.json)")
    parser.add_argument("--overwrite", action="store_true", help="replace files that are there")
    options = parser.parse_args(arguments)
    if options.rows and not options.merge:
        parser.error("--rows needs --merge")
    options.libraries = [name for name in options.libraries.split(",") if name]
    for name in options.libraries:
        if name not in libraries.LIBRARIES:
            parser.error(f"there is no library '{name}': {', '.join(libraries.LIBRARIES)}")
    options.caches = (options.cache or "cold").split(",")
    if not set(options.caches) <= {"cold", "hot"}:
        parser.error("--cache takes cold, hot or cold,hot")
    return options


def asked_workloads(options):
    workloads = []
    for size in options.size.split(","):
        width, height = (int(side) for side in size.split("x"))
        for pixel in options.pixel.split(","):
            if pixel not in data.PIXELS:
                sys.exit(f"python_peers: there is no pixel type '{pixel}': {', '.join(data.PIXELS)}")
            for side in options.kernel_sizes.split(","):
                workloads.append({"width": width, "height": height, "kernel_width": int(side),
                                  "kernel_height": int(side), "kernel": "random", "pixel": pixel,
                                  "border": options.border})  # fmt: skip
    return [dict(workload, seed=options.seed + 1000 * (index + 1)) for index, workload in enumerate(workloads)]


def reason_against(workload):
    if workload["kernel"] != "random":
        return f"the taps of '{workload['kernel']}' are known to tessera alone"
    if workload["border"] not in data.BORDERS:
        return f"border '{workload['border']}' is left to tessera"
    return None if workload["pixel"] in data.PIXELS else f"pixels '{workload['pixel']}' are left to tessera"


def title(workload):
    return f"{workload['kernel_width']}x{workload['kernel_height']} {workload['pixel']}"


def run_workload(workload, options, rows, left_out):
    def leave_out(variant, device, reason):
        entry = {"variant": variant, "device": device, "what": title(workload), "reason": reason}
        if entry not in left_out:
            left_out.append(entry)
            print(f"left out: {variant}, {entry['what']}: {reason}", file=sys.stderr)

    if reason := reason_against(workload):
        return leave_out("python", "", reason)
    print(f"{workload['width']}x{workload['height']} {title(workload)}, border {workload['border']}", file=sys.stderr)
    picture = data.random_picture(workload["pixel"], workload["width"], workload["height"], workload["seed"])
    kernel = data.random_kernel(workload["kernel_width"], workload["kernel_height"], workload["seed"])
    exact = data.ExactValues(picture, kernel, workload["border"])
    contenders, checked = [], {}
    for name in options.libraries:
        for kind in libraries.LIBRARIES[name]:
            try:
                contender = kind(picture, kernel, workload, "cold" in options.caches)
                contender.run(0)
                contender.finish()
                checked[contender] = exact.compare(contender.result(), contender.stated, contender.truncates)
            except libraries.LeftOut as reason:
                leave_out(kind.variant, kind.device, str(reason))
            except Exception as error:  # noqa: BLE001 - what one library throws must not end the others
                leave_out(kind.variant, kind.device, f"{type(error).__name__}: {error}".splitlines()[0])
            else:
                contenders.append(contender)
    for cache in options.caches:
        right = [contender for contender in contenders if checked[contender][1] is None]
        entrants = protocol.contest(right, cache, options.samples, 1000 * options.budget)
        for contender in contenders:
            row = libraries.base_row(contender, cache) | checked[contender][0]
            row["failure"] = checked[contender][1]
            for entrant in entrants:
                if entrant.contender is not contender:
                    continue
                row["warmups"], row["failure"] = entrant.warmups, entrant.failure
                if entrant.samples and not entrant.failure:
                    row |= protocol.summary(entrant.samples, contender.resolution_ms)
            rows.append(row)


def write(path, value, overwrite):
    if os.path.exists(path) and not overwrite:
        sys.exit(f"python_peers: {path} is there already; --overwrite replaces it")
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(value, file, indent=2)
        file.write("\n")
    os.replace(path + ".part", path)
    print(f"written: {path}", file=sys.stderr)


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
        if not isinstance(value.get("rows"), list):
            raise ValueError("it has no rows")
        return value
    except (OSError, ValueError, AttributeError) as error:
        sys.exit(f"python_peers: {path} cannot be used: {error}")


def main(arguments):
    options = parse(arguments)
    report = read(options.merge) if options.merge else None
    output = options.output or (os.path.splitext(options.merge)[0] + ".peers.json" if options.merge else None)
    for path in filter(None, (options.json, output)):  # before minutes of measuring
        if os.path.exists(path) and not options.overwrite:
            sys.exit(f"python_peers: {path} is there already; --overwrite replaces it")
    if report and not options.cache:
        options.caches = sorted({row.get("cache", "cold") for row in report["rows"]})
    rows, left_out = [], []
    if options.rows:
        measured = read(options.rows)
        rows, left_out = measured["rows"], measured.get("left_out", [])
    else:
        for workload in report_tools.workloads(report) if report else asked_workloads(options):
            run_workload(workload, options, rows, left_out)
        for row in rows:
            row["floor_ms"] = row["share"] = None
        report_tools.rank(rows)
    if options.json:
        device = {"id": "cuda:0", "name": libraries.gpu_name()}
        write(options.json, {"device": device, "ceilings": {}, "seed": options.seed, "rows": rows,
                             "left_out": left_out}, options.overwrite)  # fmt: skip
    if report:
        report_tools.merge(report, rows, left_out)
        write(output, report, options.overwrite)
        rows = report["rows"]
    print(report_tools.table(rows))
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
