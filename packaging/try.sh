#!/usr/bin/env bash
# From a fresh clone to filtered pictures: installs what is needed, builds the program, filters the sample pictures
# without a display, and says how to open the window. Can be run again at any time.
#
# usage: packaging/try.sh [--no-install] [PICTURE...]
#   --no-install   install nothing
#   PICTURE...     filter these instead of the samples
set -euo pipefail
# shellcheck source=packaging/shell/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/shell/common.sh"

install=() pictures=()
for argument in "$@"; do
    case $argument in
    --no-install) install=(--no-install) ;;
    -h | --help) printUsage "$0"; exit 0 ;;
    -*) fail "unknown option '$argument'" "packaging/try.sh --help lists the options" ;;
    *) [ -e "$argument" ] || fail "there is no picture '$argument'"; pictures+=("$(realpath "$argument")") ;;
    esac
done
cd "$tesseraRoot"
build=$tesseraRoot/build/release
program=$build/bin/tessera
samples=$build/share/tessera/samples
results=$tesseraRoot/out/try

filters=(gaussian:sigma=3 "unsharp:sigma=2,amount=1.5" sobel emboss)

# filterWith LABEL OPTION... -- PICTURE...: one run of the program. It replaces its own earlier results, in a folder
# that is this script's alone.
filterWith() {
    local label=$1 report=$results/reports/$1.jsonl options=() status=0
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    rm -f "$report"
    "$program" batch "$@" -o "$results" --overwrite --report "$report" -q --jobs 1 "${options[@]}" || status=$?
    [ "$status" -eq 0 ] || fail "tessera batch ended with exit code $status ($label)"
    printTimes "$label" <"$report"
}

# Variants that a processor or a GPU runs here; the simulator counts and is no race.
variantsHere() { "$program" variants | awk 'NR > 1 && /^[a-z]/ && $2 !~ /^(-|sim)$/ {print $1}'; }

# One line a picture from the report's JSON objects.
printTimes() {
    awk -v filter="$1" '
        function value(pattern) {
            if (!match($0, pattern)) return "-"
            pattern = substr($0, RSTART, RLENGTH)
            gsub(/^"[^"]*": *"?|"$/, "", pattern)
            return pattern
        }
        function text(key) { return value("\"" key "\": *\"[^\"]*\"") }
        function number(key) { return value("\"" key "\": *[0-9.]+") }
        {
            picture = text("input"); sub(/.*\//, "", picture)
            printf "    %-14s %-8s %-30s %-18s %10.3f %10.1f\n", text("variant"), text("device"), filter, picture,
                   number("width") * number("height") / 1e6, number("filter")
        }'
}

packaging/setup.sh "${install[@]}"

step "Build (the first time takes some minutes)"
quietly "configure" cmake --preset release
quietly "build" cmake --build --preset release --parallel "$(buildJobs)" --target tessera_program

race=${pictures[0]:-}
if [ ${#pictures[@]} -eq 0 ]; then
    pictures=("$samples"/chart.png "$samples"/chart-16bit.png "$samples"/lake.jpg "$samples"/lake-hdr.pfm)
    where=$samples
    race=$samples/lake.jpg
else
    where="as given"
fi
step "Filter ${#pictures[@]} pictures"
mkdir -p "$results/reports"
printf '    %-14s %-8s %-30s %-18s %10s %10s\n' variant device filter picture megapixels ms
for filter in "${filters[@]}"; do
    filterWith "$filter" --filter "$filter" -- "${pictures[@]}"
done
filterWith "own kernel" --kernel '3x3: 1,0,1, 0,1,0, 1,0,1' --normalize --name '{stem}-own.{ext}' -- "${pictures[@]}"

step "The same filter by every implementation that runs here"
for variant in $(variantsHere); do
    filterWith "gaussian:sigma=3 ($variant)" --filter gaussian:sigma=3 --variant "$variant" \
        --name "{stem}-gaussian-$variant.{ext}" -- "$race"
done

step "Done"
say "    pictures:  $where"
say "    results:   $results" \
    "" \
    "    Times are those of single runs, the first ones included; 'ms' is the filter alone, without reading and writing." \
    ""
if [ -e "$build/lib/libtessera-window.so" ]; then
    say "    The window:        ${program#"$tesseraRoot"/} ${pictures[0]#"$tesseraRoot"/}"
fi
say "    Your own pictures: ${program#"$tesseraRoot"/} batch FOLDER -o RESULTS --filter gaussian:sigma=2"
