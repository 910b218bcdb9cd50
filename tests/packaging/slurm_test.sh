#!/usr/bin/env bash
# A real Slurm on this machine: an array of tasks over a few hundred pictures, one of them killed in the middle.
# Checks that every output is there once and is what a single run makes of it.
#
# usage: slurm_test.sh PROGRAM SBATCH-SCRIPT
# Ends with 77 and a line 'skipped: ...' where Slurm cannot be had.
set -euo pipefail

tessera=$(realpath "${1:?usage: slurm_test.sh PROGRAM SBATCH-SCRIPT}")
script=$(realpath "${2:?usage: slurm_test.sh PROGRAM SBATCH-SCRIPT}")
pictures=240 tasks=4 killedTask=1

skip() { echo "skipped: $1"; exit 77; }
fail() {
    echo "FAILED: $1" >&2
    for log in "$dir"/log/*.log "$dir"/slurm-*.out; do
        [ ! -s "$log" ] || { echo "--- ${log##*/}" >&2; tail -n 15 "$log" >&2; }
    done
    exit 1
}
[ "$(id -u)" -eq 0 ] || skip "starting Slurm's daemons needs root"
PATH=$PATH:/usr/sbin:/sbin
for program in munged slurmctld slurmd sbatch squeue scontrol; do
    command -v "$program" >/dev/null || skip "$program is not installed (packaging/setup.sh --tests installs Slurm)"
done

dir=$(mktemp -d /tmp/tessera-slurm.XXXXXX)
daemons=()
cleanUp() {
    scancel --quiet --full --name=tessera >/dev/null 2>&1 || true
    for process in "${daemons[@]}"; do
        kill "$process" 2>/dev/null || true
    done
    sleep 0.5
    for process in "${daemons[@]}"; do
        kill -KILL "$process" 2>/dev/null || true
    done
    rm -rf "$dir"
}
trap cleanUp EXIT

waitFor() { # SECONDS COMMAND...
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.05
    done
}

# ---- the cluster ----

startCluster() {
    chmod 755 "$dir"
    mkdir -p "$dir"/{munge,state,spool,log}
    chmod 700 "$dir/munge" "$dir/log"
    mkdir -m 755 "$dir/socket"
    head -c 1024 /dev/urandom >"$dir/munge/key"
    chmod 400 "$dir/munge/key"
    munged --foreground --force --key-file="$dir/munge/key" --socket="$dir/socket/munge" \
        --pid-file="$dir/socket/munge.pid" --seed-file="$dir/munge/seed" --log-file="$dir/log/munged.log" \
        >"$dir/log/munged-start.log" 2>&1 &
    daemons+=($!)
    waitFor 20 test -S "$dir/socket/munge" || fail "munged does not start"

    local host port=$((20000 + RANDOM % 20000))
    host=$(hostname -s)
    cat >"$dir/slurm.conf" <<CONF
ClusterName=tessera
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/socket/munge,cred_expire=5
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=2,batch_sched_delay=1
RequeueExit=75
JobRequeue=1
ReturnToService=2
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
    export SLURM_CONF=$dir/slurm.conf
    slurmctld -D -i -f "$SLURM_CONF" >"$dir/log/slurmctld-start.log" 2>&1 &
    daemons+=($!)
    slurmd -D -f "$SLURM_CONF" >"$dir/log/slurmd-start.log" 2>&1 &
    daemons+=($!)
    nodeIsIdle() { [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ]; }
    waitFor 60 nodeIsIdle || fail "the cluster does not come up: $(sinfo 2>&1)"
}

# ---- the batch ----

makePictures() {
    local i
    mkdir -p "$dir/in"
    for ((i = 0; i < pictures; ++i)); do
        { printf 'P6\n300 %d\n255\n' $((200 + i % 37)); head -c $((300 * 3 * (200 + i % 37))) /dev/urandom; } \
            >"$dir/in/$(printf %03d $i).ppm"
    done
}

# Twenty large disks one after another, on one thread: seconds for a task, so that it is surely caught in the middle.
options=(--device cpu --name '{stem}.{ext}')
for ((i = 0; i < 20; ++i)); do
    options+=(--filter "disk:radius=$((18 + i % 10))")
done

doneBy() { # the pictures that the task to be killed has recorded
    wc -l 2>/dev/null <"$dir/out/.tessera-batch.$((killedTask + 1))-of-$tasks.jsonl" || echo 0
}
hasBegun() { [ "$(doneBy)" -ge 3 ]; }

processOfTask() { # the program, not the script that started it
    local process
    for process in $(pgrep -x tessera); do
        if [ "$(readlink "/proc/$process/exe")" = "$tessera" ] &&
            tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qx "SLURM_ARRAY_TASK_ID=$killedTask" &&
            tr '\0' '\n' <"/proc/$process/environ" 2>/dev/null | grep -qx "SLURM_CONF=$SLURM_CONF"; then
            echo "$process"
            return
        fi
    done
}

startCluster
makePictures
cd "$dir"
TESSERA=$tessera sbatch --quiet --array=0-$((tasks - 1)) --cpus-per-task=1 --mem-per-cpu=0 --time=10 "$script" \
    "$dir/in" "$dir/out" "${options[@]}"
waitFor 120 hasBegun || fail "task $killedTask did not begin"
process=$(processOfTask)
[ -n "$process" ] || fail "task $killedTask was over before it could be killed"
kill -KILL "$process"
recorded=$(doneBy)
[ "$recorded" -lt $((pictures / tasks)) ] || fail "task $killedTask was done before it was killed"
echo "killed task $killedTask after $recorded of $((pictures / tasks)) pictures"

queueIsEmpty() { [ -z "$(squeue --noheader 2>/dev/null)" ]; }
waitFor 240 queueIsEmpty || fail "the array does not come to its end: $(squeue 2>&1)"

# ---- what must be there ----

grep -qh "task $killedTask ended with 137, restart 0" "$dir"/slurm-*_"$killedTask".out ||
    fail "the killed task was not restarted"
"$tessera" batch "$dir/in" -o "$dir/whole" "${options[@]}" --quiet || fail "the single run failed"
for picture in "$dir"/whole/*.ppm; do
    cmp -s "$picture" "$dir/out/${picture##*/}" || fail "${picture##*/} is missing or wrong"
done
present=$(find "$dir/out" -type f ! -path '*/reports/*' ! -name '.tessera-batch.*.jsonl' | wc -l)
[ "$present" -eq "$pictures" ] || fail "$present files are there, not $pictures"
"$tessera" report merge "$dir"/out/reports/*.jsonl -o "$dir/merged.jsonl" || fail "the merged report is not in order"
[ "$(wc -l <"$dir/merged.jsonl")" -eq "$pictures" ] || fail "the merged report has $(wc -l <"$dir/merged.jsonl") lines"
# Once: of the killed task's pictures, none was computed by both of its lives but those it lost.
again=$(grep -h '"status":"done"' "$dir/out/reports/part-$killedTask.jsonl" | grep -o '"output":"[^"]*"' | sort | uniq -d)
[ -z "$again" ] || fail "done twice: $again"
echo "$pictures pictures by $tasks tasks, one of them killed and requeued: all there, once, and right"
