# Shared by the scripts of packaging/: messages, quiet runs, how many jobs. Source it; it runs nothing by itself.
# shellcheck shell=bash disable=SC2034

tesseraRoot=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    boldText=$'\033[1m' plainText=$'\033[0m'
else
    boldText='' plainText=''
fi

say() { printf '%s\n' "$@"; }
step() { printf '%s==> %s%s\n' "$boldText" "$*" "$plainText"; }

# fail WHAT [REMEDY...]: says what went wrong and what to do, and ends the script.
fail() {
    printf 'error: %s\n' "$1" >&2
    shift
    [ $# -eq 0 ] || printf '       %s\n' "$@" >&2
    exit 1
}

# printUsage FILE: the comment block at the top of a script is its help.
printUsage() { sed -n '2,/^[^#]/{/^#/!d;s/^# \{0,1\}//;p}' "$1"; }

# quietly LABEL COMMAND...: one line where the command succeeds, all of its output where it fails.
quietly() {
    local label=$1 log status=0 started=$SECONDS
    shift
    log=$(mktemp "${TMPDIR:-/tmp}/tessera-log.XXXXXX")
    printf '    %-46s ' "$label"
    "$@" >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" -eq 0 ]; then
        printf '%s\n' "done, $((SECONDS - started)) s"
    else
        printf '%s\n' "FAILED (exit $status)"
        printf -- '--- %s\n' "$*"
        grep -v '^\[[0-9]*/[0-9]*\] ' "$log" || true # without ninja's lines for what went well
        printf -- '--- end of output\n'
    fi
    rm -f "$log"
    return "$status"
}

# One compiler a core, but no more than one per 1.5 GiB of memory.
buildJobs() {
    local cores memory
    cores=$(nproc 2>/dev/null || echo 1)
    memory=$(awk '/^MemAvailable:/ {print int($2 / 1572864)}' /proc/meminfo 2>/dev/null || echo "$cores")
    [ "${memory:-0}" -ge 1 ] || memory=1
    echo $((cores < memory ? cores : memory))
}
