#!/usr/bin/env bash
# Checks form: clang-format and shellcheck on everything, the desktop files and the manual, clang-tidy where asked.
#
# usage: packaging/lint.sh [--fix] [--tidy] [--all] [FILE...]
#   --fix     format the C++ and CUDA files in place instead of only checking them
#   --tidy    run clang-tidy too (needs build/dev configured; slow), on the files that differ from main
#   --all     with --tidy: on all files
#   FILE...   only these files
#
# Exit 1 where something is not as it should be. clang-tidy's warnings are shown, its errors count.
set -euo pipefail
# shellcheck source=packaging/shell/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/shell/common.sh"
cd "$tesseraRoot"

fix=false tidy=false all=false files=()
while [ $# -gt 0 ]; do
    case $1 in
    --fix) fix=true ;;
    --tidy) tidy=true ;;
    --all) all=true ;;
    -h | --help) printUsage "$0"; exit 0 ;;
    -*) fail "unknown option '$1'" "packaging/lint.sh --help lists the options" ;;
    *) files+=("$1") ;;
    esac
    shift
done
patterns=('*.h' '*.cpp' '*.cu' '*.cuh')
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files --cached --others --exclude-standard -- "${patterns[@]}")
failures=0

need() { command -v "$1" >/dev/null || fail "$1 is not installed" "packaging/setup.sh --packaging installs it"; }
check() { quietly "$@" || failures=$((failures + 1)); }

# Names the files with the number of places in each.
formatIsRight() {
    ! clang-format --dry-run "${files[@]}" 2>&1 | sed -n 's/:[0-9]*:[0-9]*: warning:.*//p' | sort | uniq -c | grep .
}

tidyFiles() {
    local changed=()
    [ -e build/dev/compile_commands.json ] || fail "build/dev is not configured" "cmake --preset dev"
    if $all; then
        mapfile -t changed < <(printf '%s\n' "${files[@]}" | grep '\.cpp$')
    else
        mapfile -t changed < <(git diff --name-only --diff-filter=d "$(git merge-base HEAD main 2>/dev/null || echo HEAD)" -- '*.cpp')
    fi
    [ ${#changed[@]} -gt 0 ] || { echo "no file differs"; return 0; }
    printf '%s\0' "${changed[@]}" | xargs -0 -n 4 -P "$(buildJobs)" clang-tidy -p build/dev --quiet
}

step "Form"
need clang-format
if $fix; then
    quietly "format ${#files[@]} files" clang-format -i "${files[@]}"
else
    check "format of ${#files[@]} files" formatIsRight
fi
mapfile -t scripts < <(git ls-files --cached --others --exclude-standard -- '*.sh' .ci/run)
need shellcheck
check "${#scripts[@]} scripts" shellcheck -x -P . -S warning "${scripts[@]}"
need desktop-file-validate
check "desktop file" desktop-file-validate packaging/desktop/tessera.desktop
need appstreamcli
check "metainfo" appstreamcli validate --no-net packaging/desktop/tessera.metainfo.xml
check "manual" bash -c '! MANROFFOPT=-ww man --warnings -l packaging/man/tessera.1 2>&1 >/dev/null | grep .'
if $tidy; then
    need clang-tidy
    tidyFiles || failures=$((failures + 1))
fi
[ "$failures" -eq 0 ] || fail "$failures checks failed" "packaging/lint.sh --fix formats the sources"
