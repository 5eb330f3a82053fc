#!/usr/bin/env bash
# The main job, offline: reference agents clean and under faults, a working day, a real model, and one report of all.
set -euo pipefail
cd "$(dirname "$0")/.."
model=${1:-small}

runs=runs/trial
rm -rf "$runs"

printf '\n== 1. Reference agents on the starter suite: as it should be (E0), and with answers that are quietly wrong (E2)\n'
worktrial run starter --agent plan --agent careful --agent greedy --agent idle --faults E0,E2 -o "$runs/agents"
worktrial compare "$runs/agents/greedy" "$runs/agents/careful"

printf '\n== 2. Two hours at an on-call desk: a clock, an inbox and people\n'
for agent in greedy careful; do
  worktrial run shifts --desk service_desk --length short --variant 0 --agent "$agent" -o "$runs/shift-$agent"
done

# The model takes nearly all of the time, so it works on five of the ten entry tasks: of five industries, one of the five
# in Korean. The other five are line-00, registry-00, returns-00, fleet-00 and terminal-00.
tasks=triage-00,covenant-00,irrigation-00,customs-00,lab-00

printf '\n== 3. A real language model on this machine, the embedded %s one, at five of the ten entry tasks\n' "$model"
worktrial model pull "$model"
worktrial run starter --agent "local:$model" --tasks "$tasks" --max-turns 4 --output-tokens 200 -o "$runs/local"

printf '\n== 4. A report of all of them\n'
worktrial report "$runs"/agents/* "$runs"/shift-* "$runs/local" -o "$runs/report"

cat <<END

== What you saw
plan shows that every task can be done, idle that none is done by itself. careful and greedy follow the same plans:
who reads again before it acts keeps what quietly wrong answers take from who believes them. The embedded model is
small: that it works at all is the point.

Open the report, with every sample behind every number:
  $PWD/$runs/report/index.html
Look closer:
  .venv/bin/worktrial trajectory $runs/local triage-00
  .venv/bin/worktrial trajectory $runs/agents/greedy triage-03 --condition E2
Try your own model, at any OpenAI-compatible endpoint:
  .venv/bin/worktrial run starter --agent MODEL --base-url http://localhost:8000/v1 -o runs/mine
Then a whole working day, or the 382 tasks of OccuBench in workplaces that a model plays:
  .venv/bin/worktrial run shifts --length full --agent MODEL --base-url http://localhost:8000/v1 -o runs/day
  .venv/bin/worktrial run occupations --data DIR --agent MODEL --simulator MODEL --judge MODEL \\
    --base-url http://localhost:8000/v1 --limit 10 -o runs/first
END
