#!/usr/bin/env bash
# The main job, offline: our executable workplaces with an agent that follows the plans, then with a real model.
set -euo pipefail
cd "$(dirname "$0")/.."
model=${1:-medium}

rm -rf runs/trial-plan runs/trial-local runs/trial-orchestration runs/trial-documents
printf '\n== 1. An agent that follows the solution plans: it must pass every task\n'
worktrial run starter --agent plan -o runs/trial-plan
worktrial validate starter

# One task of each industry: the embedded model takes about half a minute for each.
tasks=triage-01,covenant-01,line-01,irrigation-01,returns-01,registry-01,customs-01,lab-01,fleet-01,terminal-01

printf '\n== 2. A real language model on this machine: the embedded %s model\n' "$model"
worktrial model pull "$model"
worktrial run starter --agent "local:$model" --tasks "$tasks" -o runs/trial-local

printf '\n== 3. The other suites, with reference agents that need no model\n'
worktrial run orchestration --agent gold -o runs/trial-orchestration
worktrial run documents --agent reference -o runs/trial-documents

cat <<'END'

== What you saw
The plan agent shows that the tasks can be done. The embedded model is small: that it works at all is the point,
its score says nothing about agents.

Look closer:
  .venv/bin/worktrial trajectory runs/trial-local triage-01
Try your own model, at any OpenAI-compatible endpoint:
  .venv/bin/worktrial run starter --agent MODEL --base-url http://localhost:8000/v1 -o runs/mine
See several runs side by side, with every sample behind every number:
  .venv/bin/worktrial report runs/trial-plan runs/trial-local -o runs/report
Then the 382 tasks of OccuBench, in workplaces that a model plays (name the folder of its release):
  .venv/bin/worktrial run occupations --data DIR --agent MODEL --simulator MODEL --judge MODEL \
    --base-url http://localhost:8000/v1 --limit 10 -o runs/first
END
