#!/usr/bin/env bash
# The recipe for Slurm on a cluster of one node that is started here and ended again: a job array over traces gives the cases that a plain
# run gives, also where a task is started again. Each test is a TAP line; skipped by name where Slurm is absent or may not be started.
set -u
cd "$(dirname "$0")/../.." || exit 1
analyzer=$PWD/artifacts/bin/analyzer/release/analyzer.dll
tasks=3 traces=17

skip() {
	echo "ok slurm: a job array # SKIP $1"
	exit 0
}

[ -e "$analyzer" ] || skip "analyzer is not built: dotnet build -c Release"
for command in munged slurmctld slurmd sbatch; do
	command -v $command >/dev/null || skip "no $command here: packages slurmctld, slurmd, slurm-client, munge"
done
[ "$(id -u)" = 0 ] || skip "a cluster of one node needs root"

work=$(mktemp -d)
chmod 755 "$work"
end() {
	local pids
	pids=$(cat "$work"/slurmd.pid "$work"/slurmctld.pid "$work"/munge/pid 2>/dev/null)
	kill $pids 2>/dev/null
	for _ in $(seq 50); do
		# shellcheck disable=SC2086 # Several.
		ps -o stat= -p "$(echo $pids | tr ' ' ',')" | grep -qv '^Z' || break
		sleep 0.1
	done
	rm -rf "$work"
}
trap end EXIT

# The ports of a run of its own, so that two do not meet.
port=$((30000 + $$ * 10 % 2000))
mkdir -p "$work"/{munge,state,spool,traces,plain,results}
chmod 700 "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 400 "$work/munge/key"
host=$(hostname -s)
cat >"$work/slurm.conf" <<-END
	ClusterName=tracer
	SlurmctldHost=$host(127.0.0.1)
	SlurmctldPort=$port
	SlurmdPort=$((port + 1))
	SlurmUser=root
	AuthType=auth/munge
	AuthInfo=socket=$work/munge.socket
	StateSaveLocation=$work/state
	SlurmdSpoolDir=$work/spool
	SlurmctldPidFile=$work/slurmctld.pid
	SlurmdPidFile=$work/slurmd.pid
	SlurmctldLogFile=$work/slurmctld.log
	SlurmdLogFile=$work/slurmd.log
	ProctrackType=proctrack/pgid
	TaskPlugin=task/none
	SwitchType=switch/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SchedulerType=sched/builtin
	NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=2000 State=UNKNOWN
	PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
printf 'CgroupPlugin=cgroup/v1\nIgnoreSystemd=yes\n' >"$work/cgroup.conf"
export SLURM_CONF=$work/slurm.conf
{ munged --force --key-file="$work/munge/key" --socket="$work/munge.socket" --pid-file="$work/munge/pid" \
	--log-file="$work/munge/log" --seed-file="$work/munge/seed" &&
	timeout 20 slurmctld -f "$SLURM_CONF" && timeout 20 slurmd -f "$SLURM_CONF"; } >"$work/said" 2>&1 ||
	skip "Slurm could not be started: $(tail -n 1 "$work/said")"
for _ in $(seq 50); do
	timeout 5 sinfo -h -o %t 2>/dev/null | grep -q idle && break
	sleep 0.2
done
timeout 5 sinfo -h -o %t 2>/dev/null | grep -q idle || skip "Slurm's node does not come up: $(tail -n 1 "$work/slurmd.log")"

samples=(samples/*.etl)
for number in $(seq $traces); do
	cp "${samples[$((number % ${#samples[@]}))]}" "$work/traces/$(printf %02d "$number").etl"
done
printf 'no trace' >"$work/traces/99.etl"
ls "$work"/traces/*.etl >"$work/list"

# result NAME: as the command before ended; its words are in $work/said.
result() {
	if [ $? = 0 ]; then
		echo "ok $1"
	else
		head -n 20 "$work/said" | sed 's/^/# /'
		echo "not ok $1"
	fi
}

# Each case once: the samples are there several times.
cases() { cat "$1"/*.jsonl | sort -u; }

# The tasks one after the other as Slurm has room for them; ends when none is left.
array() {
	sbatch --array="1-$tasks" --mem-per-cpu=200 --output="$work/%a.log" --export="ALL,ANALYZER=dotnet $analyzer" \
		batch/slurm-array.sh "$work/list" "$work/results" >"$work/said" 2>&1 || return
	for _ in $(seq 400); do
		[ -n "$(squeue -h)" ] || break
		sleep 0.3
	done
	tail -n 3 "$work"/*.log >>"$work/said"
}

dotnet "$analyzer" blame "@$work/list" --format cases -o "$work/plain/all.jsonl" 2>/dev/null
array && cmp -s <(cases "$work/results") <(cases "$work/plain") && [ "$(cat "$work"/results/*.jsonl | wc -l)" = $((traces + 1)) ]
result "slurm: a job array gives the cases of a plain run"

# A task that was killed in the middle of a line, and is started again.
truncate -s "$(($(stat -c %s "$work/results/2.jsonl") / 2))" "$work/results/2.jsonl"
array && cmp -s <(cases "$work/results") <(cases "$work/plain") && ! grep -q "6 traces of 6 judged" "$work/2.log"
result "slurm: tasks that are started again go on"
