"""Tools that a rubric names and the workplace lacks."""

import json
import re
from collections.abc import Iterator

import msgspec

from worktrial.synthesis.artifacts import Problem
from worktrial.synthesis.checks.case import Case, of_finding, problem
from worktrial.synthesis.checks.names import CheckName
from worktrial.workplaces.lint import tool_verbs, tools_missing_from_rubric

_CODE = re.compile(r"`([A-Za-z]\w*(?:[_-]\w+)+)(?:\([^`]*\))?`")
_CALL = re.compile(r"(?<![\w`.-])([a-z]+(?:_[a-z0-9]+)+)\(")
_TOOL = re.compile(
    r"(?<![\w`.-])([a-z]+(?:_[a-z0-9]+)+)(?= (?:tool|action|call)\b)|\btool `?([a-z]+(?:_[a-z0-9]+)+)"
)
_WORD = re.compile(r"[A-Za-z]\w*(?:-\w+)*")

_VERBS = frozenset(
    _WORD.findall(
        "add apply approve assign book calculate cancel check close create delete escalate fetch file find get "
        "issue list log lookup notify open process query read record reject remove request reserve retrieve "
        "schedule search send set start stop submit transfer update validate verify"
    )
)
"""With which names of tools begin almost everywhere; one workplace has too few tools to tell."""


def rubric_tools(case: Case) -> Iterator[Problem]:
    """Names in the rubric that sound like a tool's, or are spoken of as one, and are none.

    A judge who takes such a rubric at its word fails work that could not have been done otherwise.
    """
    workplace, task, tools = case.workplace, case.task, case.tool_names
    finding = tools_missing_from_rubric(
        task.rubric,
        tools=tools,
        verbs=_VERBS | tool_verbs(tools, at_least=1),
        state=workplace.initial_state,
        instruction=task.instruction,
    )
    if finding is not None:
        yield of_finding(CheckName.RUBRIC_TOOLS, "rubric", finding)
        return
    known = tools | _words(case)
    named = [*_CODE.findall(task.rubric), *_CALL.findall(task.rubric)]
    named += [one or other for one, other in _TOOL.findall(task.rubric)]
    strange = [name for name in dict.fromkeys(named) if name not in known]
    if strange:
        what = f"names {', '.join(strange)}, and neither a tool nor a field of the workplace is called so"
        fix = f"Name the workplace's own tools ({', '.join(sorted(tools))}), or say what must be true afterwards"
        yield problem(CheckName.RUBRIC_TOOLS, "rubric", "rubric", what, fix)


def _words(case: Case) -> set[str]:
    """Everything that workplace, instruction or plan speak of."""
    spoken = [msgspec.to_builtins(case.workplace), case.task.instruction, msgspec.to_builtins(case.task.plan)]
    return set(_WORD.findall(json.dumps(spoken, ensure_ascii=False)))
