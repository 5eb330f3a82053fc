"""A small plan of our own, in the forms that models write it."""

from worktrial.suites.orchestration.planning.scenario import Workflow, WorkflowPlan, WorkflowStep

RAW = {
    "workflow_1": {
        "status": "pending",
        "type": "independent",
        "steps": [{"status": "pending", "name": "ferry_agent", "refined_query": "Find the {last} ferry"}],
    },
    "workflow_2": {
        "status": "pending",
        "type": "dependent",
        "depend_on": "workflow_1",
        "steps": [{"status": "pending", "name": "cabin_agent", "refined_query": "Book a cabin"}],
    },
}

PLAN = WorkflowPlan(
    (
        Workflow("workflow_1", steps=(WorkflowStep("ferry_agent", query="Find the {last} ferry"),)),
        Workflow(
            "workflow_2",
            type="dependent",
            depends_on=("workflow_1",),
            steps=(WorkflowStep("cabin_agent", query="Book a cabin"),),
        ),
    )
)

YAML = """\
workflow_1:
  status: pending
  type: independent
  steps:
  - status: pending
    name: ferry_agent
    refined_query: Find the {last} ferry
workflow_2:
  status: pending
  type: dependent
  depend_on: workflow_1
  steps:
  - status: pending
    name: cabin_agent
    refined_query: Book a cabin
"""

HOSTILE = {
    "braces": '"workflow_1' + "{" * 200_000,
    "brackets": '"workflow_1' + "[" * 200_000,
    "nested": '{"workflow_1": {' * 12_000,
    "keys": '"workflow_1": {' * 13_000,
    "keys_closed": '"workflow_1": {' * 13_000 + "}",
    "json_fences": "workflow_1 " + "```json{" * 25_000,
    "yaml_fences": "```yaml\nworkflow_1" * 11_000,
    "flat": '{"workflow_0": 1' + ',{"workflow_}' * 15_000,
    "escapes": '{"workflow_1' + '\\"' * 100_000,
    "comments": 'workflow_1 "//' * 14_000,
    "commas": "workflow , " * 18_000,
    "empty_workflows": "workflow_1:\n" * 16_000,
    "broken_workflows": "workflow_1:\n x: [\n" * 10_000,
    "questions": "workflow_1: [?" + "a?b, " * 18_000 + "]",
    "spaces": ("}" + " " * 500) * 400 + '"workflow_',
    "underscores": "_" * 200_000 + "workflow_1:",
    "indents": "".join(" " * (600 - n) + "workflow_1:\n" for n in range(600)),
    "thinking": "<think>workflow_" * 12_000,
}
