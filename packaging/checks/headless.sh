#!/usr/bin/env bash
# Tries a headless build of the program: that it links neither Qt nor OpenCV, and that the worked example (1 to 16,
# kernel 1 0 1 / 0 1 0 / 1 0 1, zeros outside) comes out as worked out by hand.
#
# usage: packaging/checks/headless.sh PROGRAM
set -euo pipefail

program=$(realpath "${1:?usage: headless.sh PROGRAM}")
work=$(mktemp -d "${TMPDIR:-/tmp}/tessera-headless.XXXXXX")
trap 'rm -rf "$work"' EXIT

if ldd "$program" | grep -E 'libQt|libopencv|libX11|libGL'; then
    echo "error: the headless program links the libraries above" >&2
    exit 1
fi
"$program" --version
"$program" devices

printf 'P2\n4 4\n255\n1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 16\n' >"$work/counting.pgm"
"$program" batch "$work/counting.pgm" -o "$work/out" --name 'result.{ext}' \
    --kernel '3x3: 1,0,1, 0,1,0, 1,0,1' --divisor 1 --border zero

expected='7 14 17 11 17 30 35 22 29 50 55 34 23 34 37 27'
actual=$(tail -c 16 "$work/out/result.pgm" | od -An -v -tu1 | xargs)
if [ "$actual" != "$expected" ]; then
    printf 'error: the worked example gives %s\n       expected               %s\n' "$actual" "$expected" >&2
    exit 1
fi
echo "worked example: $actual"
