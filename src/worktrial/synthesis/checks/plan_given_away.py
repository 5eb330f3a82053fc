"""Instructions that tell how instead of what."""

import re
from collections.abc import Iterator

from worktrial.synthesis.artifacts import Problem
from worktrial.synthesis.checks.case import Case, problem
from worktrial.synthesis.checks.names import CheckName

_COMPOUND = re.compile(r"[_-]|[a-z][A-Z]")


def plan_given_away(case: Case) -> Iterator[Problem]:
    """An instruction that names every tool of the plan, in the order in which the plan first calls them.

    Names of one plain word (`search`) do not count: any instruction may hold them.
    """
    order = list(dict.fromkeys(step.tool for step in case.task.plan))
    if not order or not all(_COMPOUND.search(tool) for tool in order):
        return
    at = 0
    for tool in order:
        found = re.compile(rf"(?<![\w-]){re.escape(tool)}(?![\w-])").search(case.task.instruction, at)
        if found is None:
            return
        at = found.end()
    what = f"names the plan's tools in order ({', '.join(order)})"
    fix = "Say what is wanted and leave the way to the agent"
    yield problem(CheckName.PLAN_GIVEN_AWAY, "instruction", "instruction", what, fix)
