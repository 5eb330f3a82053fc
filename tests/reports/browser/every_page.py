"""The pages that every check of looks goes through."""

EVERY_PAGE = (
    "index.html",
    "section-industries.html",
    "section-robustness.html",
    "section-runs.html",
    "samples.html",
    "samples.html#run=hostile&condition=E1",
    "samples.html#run=gold&sort=-cost",
    "samples.html#run=nobody",
    "samples.html#run=brook&category=Alchemy",
    "tasks.html",
    "tasks.html#suite=occupations&show=differ&q=task-1",
    "task.html#suite=occupations&sample=task-4",
    "task.html#sample=nothing",
    "trajectory.html#run=brook&sample=task-4&condition=E2",
    "trajectory.html#run=heron&sample=task-2&condition=E1&call=2",
    "trajectory.html#run=plan&sample=nothing",
    "trajectory.html#run=gold&sample=EN%2F1",
    "trajectory.html#run=reference&sample=H001",
    "trajectory.html#run=hostile&sample=task-3&condition=E3",
)
"""Of `tests.support.made_site`, with their states: filtered, sorted, empty, wrong."""
