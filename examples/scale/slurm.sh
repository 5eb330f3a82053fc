#!/usr/bin/env bash
# A run as an array of shards on Slurm, and a job after them that merges.
#
#   bash slurm.sh 16 runs/big starter --agent plan
#
# First the number of shards, then the folder of the run, on a disk that all nodes see, then what follows
# `worktrial run`. A shard that is preempted or whose node dies is queued again, and goes on where it was. The last job
# names what is missing, should a shard have given up: start the script again.
set -euo pipefail
shards=$1 run=$2
shift 2
parts=$run.shards
mkdir -p "$parts/logs"
printf -v words '%q ' "$@"
printf -v part '%q' "$parts/shard-"
printf -v whole '%q' "$run"

array=$(sbatch --parsable --job-name=worktrial --array="1-$shards" --requeue --signal=TERM@60 \
  --output="$parts/logs/%a.log" --open-mode=append \
  --wrap="exec worktrial run $words --shard \$SLURM_ARRAY_TASK_ID/$shards -o $part\$SLURM_ARRAY_TASK_ID")
sbatch --job-name=worktrial-merge --dependency="afterany:$array" --output="$parts/logs/merge.log" \
  --wrap="exec worktrial merge $part* -o $whole"
