#!/usr/bin/env bash
# Tries a bundle where nothing else is: in a root of its own that holds a shell, the C library and the bundle, with an
# empty environment. What the bundle forgot to bring is missing there, whatever this machine has installed.
#
# usage: packaging/check-bundle.sh [BUNDLE-FOLDER]     default: the one in build/release/bundle
#
# Needs Linux namespaces (unshare); where they are forbidden it says so and ends with 77.
set -euo pipefail
# shellcheck source=packaging/shell/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/shell/common.sh"

bundle=${1:-$(find "$tesseraRoot/build/release/bundle" -mindepth 1 -maxdepth 1 -type d -name 'tessera-*' 2>/dev/null | head -1)}
[ -x "${bundle:-}/tessera" ] || fail "there is no bundle to check" "packaging/bundle.sh makes one"
bundle=$(cd "$bundle" && pwd)

if ! unshare --user --map-root-user --mount true 2>/dev/null; then
    say "skipped: this system allows no namespaces, so the bundle cannot be tried alone"
    exit 77
fi

root=$(mktemp -d "${TMPDIR:-/tmp}/tessera-alone.XXXXXX")
trap 'rm -rf "$root"' EXIT
trap 'echo "error: packaging/check-bundle.sh stopped at line $LINENO" >&2' ERR

chrootTool=$(PATH=$PATH:/usr/sbin:/sbin command -v chroot)

# A root with a shell and what the starters call, each with the libraries of its own.
makeRoot() {
    local tool file
    mkdir -p "$root"/{bin,proc,dev,tmp,home} "$root/opt/another place"
    ln -s bin "$root/sbin"
    for tool in sh readlink grep cat ls timeout; do
        file=$(readlink -f "$(command -v "$tool")")
        cp "$file" "$root/bin/$tool"
        ldd "$file" | grep -o '/[^ ]*' | while read -r file; do
            install -D "$file" "$root$file"
        done
    done
    # The C library's other parts, which every system has.
    for file in libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libresolv.so.2 libutil.so.1; do
        file=$(ldconfig -p | awk -v name="$file" '$1 == name && /x86-64|AArch64/ && !found {print $NF; found = 1}')
        [ -z "$file" ] || install -D "$(readlink -f "$file")" "$root$file"
    done
}

# alone COMMAND: runs a shell command in that root, in the bundle's folder, without any variable of this session.
alone() {
    # shellcheck disable=SC2016  # the inner shell expands
    unshare --user --map-root-user --mount bash -c '
        set -e
        mount --bind "$1" "$2/opt/another place"
        mount --rbind /proc "$2/proc"
        mount --rbind /dev "$2/dev"
        exec env -i PATH=/bin HOME=/home "$4" "$2" /bin/sh -c "cd \"/opt/another place\" && $3"
    ' alone "$bundle" "$root" "$1" "$chrootTool"
}

checks=0 failures=0
check() { # LABEL COMMAND [PATTERN]: the command must succeed and print the pattern
    local log status=0
    checks=$((checks + 1))
    log=$(alone "$2" 2>&1 </dev/null) || status=$?
    if [ "$status" -eq 0 ] && grep -qE -- "${3:-}" <<<"$log"; then
        say "    passed  $1"
    else
        failures=$((failures + 1))
        say "    FAILED  $1 (exit $status): $2" "$log"
    fi
}

step "Bundle $(basename "$bundle"), alone"
makeRoot
check "says its version" "./tessera --version" '[0-9]+\.[0-9]+'
check "lists filters" "./tessera filters" gaussian
check "lists devices" "./tessera devices" cpu
check "filters PNG, JPEG and PFM" \
    "./tessera batch share/tessera/samples/chart.png share/tessera/samples/lake.jpg share/tessera/samples/lake-hdr.pfm -o /tmp/out --filter unsharp && ls /tmp/out" 'lake'
check "compares its own results" "./tessera compare /tmp/out/chart-unsharp.png /tmp/out/chart-unsharp.png" ''
if [ -e "$bundle/plugins/platforms/libqoffscreen.so" ]; then
    check "opens the window off the screen" "QT_QPA_PLATFORM=offscreen timeout 3 ./tessera share/tessera/samples/lake.jpg; test \$? -eq 124" ''
fi
if [ -e "$bundle/lib/tessera/libtessera-opencv-codecs.so" ]; then
    check "writes OpenEXR through OpenCV" "./tessera batch share/tessera/samples/lake-hdr.pfm -o /tmp/exr --filter box --format exr && ls /tmp/exr" '[.]exr'
fi
if [ -x "$bundle/run-tests" ]; then
    check "runs a test" "./run-tests border_test" '1 passed, 0 failed'
fi
say "$((checks - failures)) passed, $failures failed"
[ "$failures" -eq 0 ] || exit 1
