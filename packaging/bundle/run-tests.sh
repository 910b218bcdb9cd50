#!/bin/sh
# Runs the test executables of this bundle, or those named, and says which failed. Exit 1 where one did.
here=$(readlink -f -- "$0")
here=${here%/*}
# shellcheck source=packaging/bundle/environment.sh
. "$here/lib/environment.sh"
export QT_QPA_PLATFORM=offscreen
if [ $# -eq 0 ]; then
    set -- "$here"/bin/*_test
fi
passed=0 failed=0 skipped=0
for test in "$@"; do
    test=${test##*/}
    log=$("$here/bin/$test" 2>&1)
    status=$?
    if [ "$status" -ne 0 ]; then
        failed=$((failed + 1))
        printf 'FAILED  %s (exit %s)\n%s\n' "$test" "$status" "$log"
    elif printf '%s' "$log" | grep -q 'skipped: no CUDA device'; then
        skipped=$((skipped + 1))
        printf 'skipped %s: no CUDA device\n' "$test"
    else
        passed=$((passed + 1))
        printf 'passed  %s\n' "$test"
    fi
done
printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
