#!/usr/bin/env bash
# Everything that needs a GPU, in one call: tests, the same tests under compute-sanitizer's four tools, and benchmarks.
# The table of results comes last; logs lie in the output folder. Exit 0 when all that could run passed.
#
# usage: tests/gpu_check.sh [--bin DIR] [--output DIR] [--no-sanitizer] [--no-bench]
#   --bin DIR       where the test executables are (default: build/gpu/bin, built first where CMake and Qt are there)
#   --output DIR    where logs go (default: build/gpu-check)
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2

bin='' output=build/gpu-check sanitize=true bench=true
while [ $# -gt 0 ]; do
    case $1 in
    --bin) bin=${2:?--bin needs a folder}; shift ;;
    --output) output=${2:?--output needs a folder}; shift ;;
    --no-sanitizer) sanitize=false ;;
    --no-bench) bench=false ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) echo "gpu_check: unknown option '$1' (--help lists them)" >&2; exit 2 ;;
    esac
    shift
done
mkdir -p "$output"
if [ -z "$bin" ]; then
    bin=build/gpu/bin
    cmake --preset gpu >"$output/configure.log" && cmake --build --preset gpu >"$output/build.log" || {
        echo "gpu_check: the build failed, see $output/build.log" >&2
        exit 2
    }
fi
export QT_QPA_PLATFORM=offscreen LC_ALL=C.UTF-8
XDG_CACHE_HOME=$(cd "$output" && pwd)/cache # kernels compiled at run time: once for all tools, and not for the user
export XDG_CACHE_HOME

tests=(device_test attributes_test half_device_test level_device_test tile_device_test blocked_device_test tensor_device_test engine_contract_gpu_test engine_device_bands_gpu_test
    lessons_device_test jit_device_test peers_contract_test)
# What a device changes in the rest of the program; these need no sanitizer, as the kernels' own tests have had it.
others=(race_run_test pipeline_run_test commands_stages_test window_race_test window_trouble_test)
# What the slow tools run of the contract: small pictures, every kernel, every border.
declare -A reduced=([engine_contract_gpu_test]="bordersAndShapes depthsAndChannels regionsAndMasks workedExamples")
rows=() failed=0

note() { # NAME RESULT SECONDS DETAIL
    rows+=("$(printf '%-44s %-8s %6s  %s' "$1" "$2" "$3" "$4")")
    [ "$2" = FAILED ] && failed=1
    return 0
}
attempt() { # NAME LOG PATTERN-OF-A-CLEAN-RUN COMMAND...
    local name=$1 log=$2 clean=$3 start=$SECONDS result=passed
    shift 3
    "$@" >"$log" 2>&1 || result=FAILED
    grep -q 'skipped: no CUDA device' "$log" && result=skipped
    [ "$result" = passed ] && [ -n "$clean" ] && ! grep -q "$clean" "$log" && result=FAILED
    note "$name" "$result" $((SECONDS - start)) "$(grep -hE '^Totals|ERROR SUMMARY|RACECHECK SUMMARY' "$log" | tail -1 | cut -c1-70)"
}

for test in "${tests[@]}"; do
    [ -x "$bin/$test" ] || { note "$test" missing 0 "not built"; continue; }
    attempt "$test" "$output/$test.log" '' "$bin/$test"
done
for test in "${others[@]}"; do # a server's build has no window
    [ -x "$bin/$test" ] && attempt "$test" "$output/$test.log" '' "$bin/$test"
done
if $sanitize && command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck synccheck; do
        clean='ERROR SUMMARY: 0 errors'
        options=()
        [ $tool = racecheck ] && clean='RACECHECK SUMMARY: 0 hazards'
        # The transfer barriers of all blocks of a launch; with too few places the verdicts cannot be relied on, and far more would
        # make the tool too slow.
        [ $tool = synccheck ] && options=(--num-cuda-barriers 16384)
        [ $tool = memcheck ] && options=(--report-api-errors no) # tests provoke some on purpose and check them
        for test in "${tests[@]}"; do
            [ -x "$bin/$test" ] || continue
            # Vendors' libraries are their vendors' to check: they are not found here.
            # shellcheck disable=SC2086 # the functions are words
            attempt "$test $tool" "$output/$test-$tool.log" "$clean" env TESSERA_PEER_PATH="$output/none" compute-sanitizer --tool $tool \
                "${options[@]}" --error-exitcode 9 "$bin/$test" ${reduced[$test]:-}
        done
    done
elif $sanitize; then
    note compute-sanitizer missing 0 "not on PATH"
fi
if $bench; then
    for program in phase_form_bench variants_bench ladder_bench histogram_bench; do
        [ -x "$bin/$program" ] && attempt "$program" "$output/$program.log" '' "$bin/$program"
    done
    for suite in gpu separable large small histogram; do
        [ -x "$bin/tessera" ] && attempt "tessera bench --suite $suite" "$output/suite_${suite}_bench.log" '' \
            "$bin/tessera" bench --suite $suite --peers --budget 0.5 --overwrite --json "$output/suite_$suite.json"
    done
fi

for log in "$output"/*_bench.log; do
    [ -e "$log" ] && printf '\n%s\n' "$(basename "$log" .log)" && cat "$log"
done
printf '\n%-44s %-8s %6s\n' check result seconds
printf '%s\n' "${rows[@]}"
exit $failed
