#!/usr/bin/env bash
# Sets up, builds and runs all tests. Ends with ctest's summary; the exit status is 0 only where everything passed.
#
# usage: packaging/test.sh [--preset NAME] [--no-install] [--tests-only] [-- CTEST-OPTION...]
#   --preset NAME   release (default), dev, asan, ubsan, tsan or gpu
#   --no-install    install nothing
#   --tests-only    leave out the headless build (preset server), which is built and tried besides
#   -- ...          passed on to ctest, as in: packaging/test.sh -- -L ui
#
# A machine without a GPU passes: the tests that need one are listed as skipped.
set -euo pipefail
# shellcheck source=packaging/shell/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/shell/common.sh"
cd "$tesseraRoot"

preset=release install=() serverToo=true
while [ $# -gt 0 ]; do
    case $1 in
    --preset) preset=${2:?--preset needs a name}; shift ;;
    --no-install) install=(--no-install) ;;
    --tests-only) serverToo=false ;;
    --) shift; break ;;
    -h | --help) printUsage "$0"; exit 0 ;;
    *) fail "unknown option '$1'" "packaging/test.sh --help lists the options" ;;
    esac
    shift
done
case $preset in
asan | ubsan | tsan) serverToo=false ;;
esac
jobs=$(buildJobs)

buildServer() {
    # Without CUDA, whose code the build above has compiled already.
    quietly "configure server" cmake --preset server -DTESSERA_CUDA=OFF &&
        quietly "build server" cmake --build --preset server --parallel "$jobs" &&
        quietly "the headless program filters a picture" packaging/checks/headless.sh build/server/bin/tessera
}

# Known reports from libraries that are not built with a sanitizer; Tessera's own code is never listed there.
export ASAN_OPTIONS="detect_stack_use_after_return=1:strict_string_checks=1:${ASAN_OPTIONS:-}"
export LSAN_OPTIONS="suppressions=$tesseraRoot/packaging/sanitizers/lsan.supp:print_suppressions=0:${LSAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"
export TSAN_OPTIONS="suppressions=$tesseraRoot/packaging/sanitizers/tsan.supp:${TSAN_OPTIONS:-}"

packaging/setup.sh --tests "${install[@]}"

step "Build (preset $preset, $jobs jobs)"
quietly "configure" cmake --preset "$preset"
quietly "build" cmake --build --preset "$preset" --parallel "$jobs"

failed=()
if $serverToo; then
    step "Headless build (no Qt, no OpenCV)"
    buildServer || failed+=("the headless build")
fi

step "Tests"
# One line a test: without those that only say that one was started.
ctest --preset "$preset" --parallel "$jobs" --no-tests=error "$@" </dev/null | grep --line-buffered -v '^ *Start *[0-9]*: ' ||
    failed+=("the tests")

if [ ${#failed[@]} -gt 0 ]; then
    printf 'error: failed: %s\n' "${failed[*]}" >&2
    exit 1
fi
