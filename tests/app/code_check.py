#!/usr/bin/env python3
"""Runs the Python that Tessera copies for other libraries and compares its results with Tessera's own.

Usage: code_check.py FOLDER LIBRARY

FOLDER holds, for each case NAME: NAME.json (shape, dtype), NAME.in and NAME.out (raw values, rows of pixels, red
first), a picture file and NAME.LIBRARY.py, which loads that file by itself. LIBRARY is scipy or cv2. Integer results may differ by one level, at ties only; float ones
by 1e-5 of the largest value.

Exit codes: 0 all agree, 1 something differs, 77 the library is missing.
"""
import importlib
import json
import pathlib
import sys

try:
    import numpy as np
    importlib.import_module(sys.argv[2])
    if sys.argv[2] == "scipy":
        import imageio.v3
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)


def blue_first(values):
    """The colours in OpenCV's order, or back."""
    if values.ndim == 3 and values.shape[2] >= 3:
        values = values.copy()
        values[..., :3] = values[..., 2::-1]
    return values


folder, library = pathlib.Path(sys.argv[1]), sys.argv[2]
failures = checked = 0
for description in sorted(folder.glob("*.json")):
    case = json.loads(description.read_text())
    name = description.stem
    read = lambda ending: np.fromfile(folder / (name + ending), dtype=case["dtype"]).reshape(case["shape"])
    picture, wanted = read(".in"), read(".out").astype(np.float64)
    if library == "cv2":
        picture = blue_first(picture)
    scope = {}
    exec((folder / f"{name}.{library}.py").read_text(), scope)
    assert np.array_equal(scope["picture"], picture), f"{name}: another picture was loaded"
    result = scope["result"]
    assert result.dtype == picture.dtype and result.shape == picture.shape, name
    if library == "cv2":
        result = blue_first(result)
    difference = np.abs(result.astype(np.float64) - wanted)
    whole = picture.dtype.kind != "f"
    limit = 1 if whole else 1e-5 * max(1.0, np.abs(wanted).max())
    # Linear light stretches what rounding does to float32 powers; else only ties may fall the other way.
    often = (difference > 0).mean() > 0.05 if whole else False
    checked += 1
    if difference.max() > limit or often:
        failures += 1
        print(f"{name}: differs by up to {difference.max():g}, {(difference > 0).mean():.1%} of the values")
print(f"{checked} cases with {library}, {failures} differ")
sys.exit(1 if failures or not checked else 0)
