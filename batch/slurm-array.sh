#!/bin/sh
# The map step of a fleet as a Slurm job array: each task judges its part of a list of traces and writes its own file of cases.
#   mkdir results
#   sbatch --array=1-16 batch/slurm-array.sh traces.txt results
#   analyzer fleet results/*.jsonl
# traces.txt has a path (or address) on each line, on storage that all nodes see; as many tasks as lines is one command for each trace.
# ANALYZER is the command where it is not on the path. A task that is started again goes on where it was. A task ends with status 1 where
# a trace could not be judged; its case says why, and all others are there.
#SBATCH --job-name=blame
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=1G
#SBATCH --time=04:00:00
#SBATCH --requeue
set -eu
list=$1 results=$2
number=$SLURM_ARRAY_TASK_ID
# Every Nth line, so that the tasks have as many; the last of them may have one less.
awk -v first=$((number - SLURM_ARRAY_TASK_MIN)) -v tasks="$SLURM_ARRAY_TASK_COUNT" 'NF && n++ % tasks == first' "$list" |
	${ANALYZER:-analyzer} blame @- --format cases --jobs "${SLURM_CPUS_PER_TASK:-1}" -o "$results/$number.jsonl" --resume
