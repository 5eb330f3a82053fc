"""A small plan of our own, in the forms that models write it."""

from collections.abc import Callable

from tests.support.growth import growth

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

HOSTILE: dict[str, Callable[[int], str]] = {
    "braces": lambda n: '"workflow_1' + "{" * 200 * n,
    "brackets": lambda n: '"workflow_1' + "[" * 200 * n,
    "nested": lambda n: '{"workflow_1": {' * 12 * n,
    "keys": lambda n: '"workflow_1": {' * 13 * n,
    "keys_closed": lambda n: '"workflow_1": {' * 13 * n + "}",
    "json_fences": lambda n: "workflow_1 " + "```json{" * 25 * n,
    "yaml_fences": lambda n: "```yaml\nworkflow_1" * 11 * n,
    "flat": lambda n: '{"workflow_0": 1' + ',{"workflow_}' * 15 * n,
    "escapes": lambda n: '{"workflow_1' + '\\"' * 100 * n,
    "comments": lambda n: 'workflow_1 "//' * 14 * n,
    "commas": lambda n: "workflow , " * 18 * n,
    "empty_workflows": lambda n: "workflow_1:\n" * 16 * n,
    "broken_workflows": lambda n: "workflow_1:\n x: [\n" * 10 * n,
    "questions": lambda n: "workflow_1: [?" + "a?b, " * 18 * n + "]",
    "spaces": lambda n: ("}" + " " * 500) * (2 * n // 5) + '"workflow_',
    "underscores": lambda n: "_" * 200 * n + "workflow_1:",
    "indents": lambda n: "".join(" " * (300 - k % 300) + "workflow_1:\n" for k in range(5 * n // 4)),
    "thinking": lambda n: "<think>workflow_" * 12 * n,
}
"""Replies that are long for their own sake, by a size of which 1,000 is about 200,000 characters."""


def hostility(name: str, read: Callable[[str], object]) -> float:
    """Ratio of the CPU time of reading a hostile reply to that of reading one a quarter as long.

    Even the shorter one is too long to be remembered, so that every reading is a reading.
    """
    texts = {n: HOSTILE[name](n) for n in (250, 1000)}
    return growth(lambda n: read(texts[n]), 250)
