"""Reports of tessera bench: floors, ranks and ties for rows that are added, and their table."""

import math

KEY = ("work", "width", "height", "kernel_width", "kernel_height", "kernel", "pixel", "border", "distribution", "cache",
       "scope")
WORKLOAD = ("width", "height", "kernel_width", "kernel_height", "kernel", "pixel", "border")


def key_of(row):
    return tuple(row.get(name) or ("convolution" if name == "work" else "") for name in KEY)


def workloads(report):
    """The convolutions of a report, in order, each once, with the seed of its data."""
    seen = []
    for row in report["rows"]:
        if row.get("work", "convolution") != "convolution":
            continue
        workload = {name: row.get(name) for name in WORKLOAD}
        if workload not in seen:
            seen.append(workload)
    seed = int(report.get("seed") or 0)
    return [dict(workload, seed=seed + 1000 * (index + 1)) for index, workload in enumerate(seen)]


def device_of(report, device):
    """The ceilings of the device that a row names; None where the report has none."""
    if report.get("device", {}).get("id") == device:
        return report.get("ceilings")
    for other in [report.get("host") or {}, *report.get("other_devices", [])]:
        if other.get("id") == device:
            return other.get("ceilings")
    return None


def copy_rate(ceilings, size, cache):
    rates = ceilings.get("copy_hot") if cache == "hot" else None
    rates = rates or ceilings.get("copy_cold") or []
    if not rates:
        return None
    rates = sorted(rates, key=lambda rate: rate["bytes"])
    if size <= rates[0]["bytes"]:
        return rates[0]["bytes_per_second"]
    for low, high in zip(rates, rates[1:]):
        if size <= high["bytes"]:
            share = math.log(size / low["bytes"]) / math.log(high["bytes"] / low["bytes"])
            return low["bytes_per_second"] + share * (high["bytes_per_second"] - low["bytes_per_second"])
    return rates[-1]["bytes_per_second"]


def floor_ms(row, ceilings):
    """As app/bench/ceilings.cpp: dense work against memory and arithmetic, other work against memory alone."""
    if not ceilings:
        return None
    rate = copy_rate(ceilings, row["bytes"], row["cache"])
    if not rate:
        return None
    floor = 1e3 * row["bytes"] / rate
    if row["share_of"] == "roofline":
        operations = ceilings.get("fp32_operations_per_second")
        if not operations:
            return None
        floor = max(floor, 1e3 * row["operations"] / operations)
    return floor


def add_floor(row, ceilings):
    row["floor_ms"] = floor_ms(row, ceilings)
    median = row.get("median_ms")
    row["share"] = row["floor_ms"] / median if row["floor_ms"] and median else None


def interval_of(row):
    median = row["median_ms"]
    return row.get("median_low_ms", median), row.get("median_high_ms", median)


def ranked(row):
    return not row.get("failure") and row.get("median_ms") is not None and row.get("samples", 0) > 0


def rank(rows):
    """Sets rank and tie_with within each contest: one is faster only where the intervals lie apart."""
    contests = {}
    for row in rows:
        contests.setdefault(key_of(row), []).append(row)
    for group in contests.values():
        for row in group:
            row["tie_with"], row["rank"] = [], None
            if not ranked(row):
                continue
            row["rank"] = 1
            low, high = interval_of(row)
            for other in group:
                if other is row or not ranked(other):
                    continue
                other_low, other_high = interval_of(other)
                if other_high < low:
                    row["rank"] += 1
                elif not high < other_low:
                    name = other["variant"]
                    same = other.get("device") == row.get("device")
                    row["tie_with"].append(name if same else f"{name}@{other.get('device')}")


def merge(report, rows, left_out=()):
    """Adds rows; those of the same variant, device and contest are replaced."""
    identity = lambda row: (row["variant"], row.get("device"), key_of(row))
    new = {identity(row) for row in rows}
    for row in rows:
        add_floor(row, device_of(report, row["device"]))
    report["rows"] = [row for row in report["rows"] if identity(row) not in new] + list(rows)
    rank(report["rows"])
    report.setdefault("left_out", []).extend(left_out)
    return report


def number(value, form="{:.4g}"):
    return "-" if value is None else form.format(value)


def table(rows):
    """Markdown, a table a contest, the fastest first."""
    contests = {}
    for row in rows:
        contests.setdefault(key_of(row), []).append(row)
    lines = []
    for key, group in contests.items():
        named = dict(zip(KEY, key))
        kernel = "" if named["kernel"] in ("", "random") else f" {named['kernel']}"
        lines += ["", f"{named['width']}x{named['height']} {named['pixel']}, {named['kernel_width']}x"
                      f"{named['kernel_height']}{kernel}, border {named['border']}: {named['scope']}, {named['cache']}",
                  "", "| variant | rank | median ms | p5 | p95 | samples | share | max error | remarks |",
                  "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
        for row in sorted(group, key=lambda row: row["median_ms"] if ranked(row) else math.inf):
            remarks = [row["failure"]] if row.get("failure") else []
            if row.get("tie_with"):
                remarks.append("tie with " + ", ".join(row["tie_with"]))
            if row.get("note"):
                remarks.append(row["note"])
            variant = row["variant"] + (f" ({row['device']})" if row.get("device") else "")
            lines.append("| " + " | ".join([
                variant, str(row.get("rank") or "-"), number(row.get("median_ms")), number(row.get("p5_ms")),
                number(row.get("p95_ms")), str(row.get("samples", 0)), number(row.get("share"), "{:.3f}"),
                number(row.get("max_error"), "{:.2g}"), "; ".join(remarks)]) + " |")  # fmt: skip
    return "\n".join(lines[1:])
