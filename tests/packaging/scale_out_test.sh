#!/usr/bin/env bash
# The Kubernetes Job's own command run by hand, index by index, and the line of GNU parallel as its page has it: pods and
# parts that are killed or told to end are started again, and in the end every output is there once, as a single run
# makes it.
#
# usage: scale_out_test.sh PROGRAM PACKAGING-FOLDER kubernetes|parallel
# Ends with 77 and a line 'skipped: ...' where GNU parallel cannot be had.
set -euo pipefail

tessera=$(realpath "${1:?usage: scale_out_test.sh PROGRAM PACKAGING-FOLDER kubernetes|parallel}")
packaging=$(realpath "$2")
part=$3
dir=$(mktemp -d "${TMPDIR:-/tmp}/tessera-scale-out.XXXXXX")
trap 'rm -rf "$dir"' EXIT
fail() {
    echo "FAILED: $1" >&2
    tail -n 20 "$dir"/*.log >&2 || true
    exit 1
}

# On the path under the name that the pages use.
mkdir -p "$dir/bin" "$dir/in/a" "$dir/in/b"
ln -s "$tessera" "$dir/bin/tessera"
PATH=$dir/bin:$PATH
export TMPDIR=$dir

pictures=80
for ((i = 0; i < pictures; ++i)); do
    folder=$dir/in/a
    [ $((i % 3)) -gt 0 ] || folder=$dir/in/b
    { printf 'P6\n200 %d\n255\n' $((150 + i)); head -c $((200 * 3 * (150 + i))) /dev/urandom; } \
        >"$folder/$(printf %03d $i).ppm"
done

sameAsSingleRun() { # OPTION...
    tessera batch "$dir/in" -o "$dir/single" "$@" -q || [ $? -eq 1 ] || fail "the single run"
    (cd "$dir/single" && find . -type f -name '*.ppm' | sort | xargs cksum) >"$dir/expected.log"
    (cd "$dir/out" && find . -type f -name '*.ppm' | sort | xargs cksum) >"$dir/actual.log"
    cmp "$dir/expected.log" "$dir/actual.log" || fail "the outputs differ from those of a single run"
    [ "$(wc -l <"$dir/actual.log")" -eq $pictures ] || fail "not every output is there"
    [ -z "$(find "$dir/out" -name '*.tmp')" ] || fail "something temporary is left"
}

waitForOutput() { # until something is written, at most 60 s
    local end=$((SECONDS + 60))
    until [ -n "$(find "$dir/out" -name '*.ppm' 2>/dev/null | head -n 1)" ]; do
        [ $SECONDS -lt $end ] || fail "nothing is written"
        sleep 0.02
    done
}

# ---- Kubernetes ----

job=$packaging/kubernetes/tessera-job.yaml
filter=disk:radius=24
slowly=--verify\ 9 # the reference takes its time: slow enough to be caught in the middle
podCommand() { # what stands behind 'args: - |', at this folder's paths
    awk '/^ +- \|$/ { inside = 1; next } inside && /^              / { print substr($0, 15); next } { inside = 0 }' "$job" |
        sed -e "s|/data|$dir|g" -e "s|gaussian:sigma=2|$filter --jobs 1 \$how|"
}

runPods() {
    local completions count index code process
    completions=$(sed -n 's/^  completions: *\([0-9]*\).*/\1/p' "$job")
    count=$(sed -n '/name: TESSERA_SHARD_COUNT/{n;s/.*value: *"\([0-9]*\)".*/\1/p}' "$job")
    if [ -z "$completions" ] || [ "$completions" != "$count" ]; then
        fail "$completions completions, but TESSERA_SHARD_COUNT is $count"
    fi
    echo "no picture" >"$dir/in/a/bad.ppm"
    podCommand >"$dir/pod.sh"
    grep -q -- '--shard auto' "$dir/pod.sh" || fail "the command was not found in the Job"
    export TESSERA_SHARD_COUNT=$count
    # The first pod is drained in the middle: SIGTERM to the shell, which passes it on.
    how=$slowly JOB_COMPLETION_INDEX=0 /bin/sh "$dir/pod.sh" >"$dir/pod-0.log" 2>&1 &
    process=$!
    waitForOutput
    kill -TERM $process
    code=0
    wait $process || code=$?
    [ $code -eq 75 ] || fail "a drained pod ended with $code"
    # The second one is killed, shell and program together, as for memory.
    rm -f "$dir"/out/?/*.ppm # so that one of its own is waited for
    how=$slowly JOB_COMPLETION_INDEX=1 setsid /bin/sh "$dir/pod.sh" >"$dir/pod-1.log" 2>&1 &
    process=$!
    waitForOutput
    kill -KILL -- -$process
    wait $process 2>/dev/null || true
    # The Job starts the two again, and the others.
    for ((index = 0; index < count; ++index)); do
        code=0
        how='' JOB_COMPLETION_INDEX=$index /bin/sh "$dir/pod.sh" >"$dir/pod-$index.log" 2>&1 || code=$?
        [ $code -eq 0 ] || fail "pod $index ended with $code"
    done
    sameAsSingleRun --recursive --name '{folder}/{stem}.{ext}' --filter $filter
    code=0
    tessera report merge "$dir"/out/reports/*.jsonl -o "$dir/report.jsonl" 2>"$dir/merge.log" || code=$?
    [ $code -eq 1 ] || fail "the merge of reports with a bad picture ended with $code"
    grep '"failed"' "$dir/report.jsonl" | grep -q 'bad\.ppm' || fail "the merged report does not name the bad picture"
}

# ---- GNU parallel ----

pageLine() { # the N-th fenced block of the page, at this folder's paths
    awk -v wanted="$1" '/^```/ { ++fences; next } fences == 2 * wanted - 1' "$packaging/parallel/README.md" |
        sed -e "s|/data|$dir|g"
}

partAtWork() {
    local process
    for process in $(pgrep -x tessera); do
        if tr '\0' ' ' <"/proc/$process/cmdline" 2>/dev/null | grep -qF " batch $dir/in "; then
            echo "$process"
            return
        fi
    done
}

runParallel() {
    if ! parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
        echo "skipped: GNU parallel is not installed (packaging/setup.sh --tests installs it)"
        exit 77
    fi
    mv "$dir"/in/a/* "$dir"/in/b/* "$dir/in"
    # This machine instead of the four nodes.
    pageLine 1 | sed -e 's/--sshlogin [^ ]*/--sshlogin :/' -e "s/gaussian:sigma=2/$filter --jobs 1 \$how/" >"$dir/line.sh"
    grep -q -- '--sshlogin : ' "$dir/line.sh" || fail "the line was not found on the page"
    (cd "$dir" && how=$slowly bash line.sh) >"$dir/first.log" 2>&1 &
    local process=$!
    waitForOutput
    # The part that works at the moment is killed; parallel starts it again.
    local victim
    victim=$(partAtWork)
    [ -n "$victim" ] || fail "no part was there to be killed"
    kill -KILL "$victim"
    wait $process || fail "the line ended with $?"
    awk 'NR > 1 && $7 != 0 { exit 1 }' "$dir/parts.log" || fail "a part failed for good"
    sameAsSingleRun --filter $filter
    [ "$(wc -l <"$dir/out/report.jsonl")" -eq $pictures ] || fail "the merged report has not a line a picture"
    # Once more, nothing is to be done: --resume-failed knows.
    rm "$dir"/out/report.jsonl
    (cd "$dir" && how='' bash line.sh) >"$dir/second.log" 2>&1 || fail "the line cannot be run again"
    # The second line gives each part a GPU of its own.
    pageLine 2 | sed -e 's/^parallel /parallel --dry-run /' >"$dir/gpus.sh"
    bash "$dir/gpus.sh" >"$dir/gpus.log" 2>&1 || fail "the line for GPUs"
    grep -q -- '--device cuda:0 --shard 1/2' "$dir/gpus.log" || fail "the line for GPUs gives no first GPU a part"
    grep -q -- '--device cuda:1 --shard 2/2' "$dir/gpus.log" || fail "the line for GPUs gives no second GPU a part"
}

case $part in
kubernetes) runPods ;;
parallel) runParallel ;;
*) fail "no part '$part'" ;;
esac
echo "$part: $pictures pictures, each once and right"
