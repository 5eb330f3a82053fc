"""Checks of a task: its dates, its plan, and the tools that its rubric names."""

import json
import re
from collections.abc import Iterator

import msgspec

from worktrial.finding import Finding
from worktrial.synthesis.artifacts import SCALES
from worktrial.synthesis.checks.case import CheckName, SlotDraft, linted, problem
from worktrial.synthesis.gates.leaks import steps_told
from worktrial.workplaces.clock import ClockSource, derive_clock
from worktrial.workplaces.lint import dates_without_a_clock, tool_verbs, tools_missing_from_rubric


def dates(case: SlotDraft) -> Iterator[Finding]:
    """Absolute dates where neither a field of the state nor a tool tells the date."""
    state = case.workplace.initial_state
    if derive_clock(case.task.instruction, state).source is ClockSource.CLOCK_FIELD:
        return
    finding = dates_without_a_clock(case.task.instruction, state, case.tool_names)
    # A field such as current_date is the smaller change, and it is the state's.
    yield from linted(CheckName.DATES_WITHOUT_CLOCK, "workplace", finding)


def plan_calls(case: SlotDraft) -> Iterator[Finding]:
    """Steps that call what is not there, or with arguments that the tool's schema refuses."""
    if not case.task.plan:
        yield problem(CheckName.PLAN_CALLS, "plan", "plan", "has no step", "Write the calls that solve the task")
    for index, step in enumerate(case.task.plan):
        where = f"plan[{index}]"
        if step.tool not in case.tool_names:
            what = f"calls {step.tool!r}, and there is no such tool"
            fix = f"Call one of {', '.join(sorted(case.tool_names))}"
            yield problem(CheckName.PLAN_CALLS, "plan", f"{where}.tool", what, fix)
        elif tool := case.usable.get(step.tool):
            for argument, what in ((str(p["argument"]), str(p["problem"])) for p in tool.problems(step.arguments)):
                field = f"{where}.arguments" + ("" if argument == "(all)" else f".{argument}")
                fix = f"Give what the schema of {step.tool} asks for"
                yield problem(CheckName.PLAN_CALLS, "plan", field, what, fix)


PLAN_STEPS = {level: (scale.steps[0] - 1, scale.steps[1] * 3 // 2) for level, scale in SCALES.items()}
"""Level to fewest and most calls of its plan: one less than its author is asked for, and half as many again. What
makes work hard is not its length alone."""


def plan_length(case: SlotDraft) -> Iterator[Finding]:
    """A plan outside of its level's range; one without steps is another check's."""
    fewest, most = PLAN_STEPS[case.task.level]
    count = len(case.task.plan)
    if count and not fewest <= count <= most:
        what = f"has {count} call{'' if count == 1 else 's'}; level {case.task.level} takes {fewest} to {most}"
        fix = "Ask for more, so that more has to be found out and done" if count < fewest else "Ask for less"
        # The task is too small or too large, and the plan only shows it.
        yield problem(CheckName.PLAN_LENGTH, "instruction", "plan", what, fix)


def steps_given_away(case: SlotDraft) -> Iterator[Finding]:
    """An instruction that names the tools of the plan, or tells its steps in order; as the gate of that name."""
    reads = {tool.name for tool in case.workplace.tools if not tool.writes}
    for code, text in case.task.instructions.items():
        for found in steps_told(case.task.id, text, [step.tool for step in case.task.plan], reads):
            field = "instruction" if len(case.task.instructions) == 1 else f"instructions.{code}"
            yield problem(CheckName.STEPS_TOLD, "instruction", field, found.what, found.fix)


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
"""Verbs that names of tools begin with almost everywhere; one workplace has too few tools to tell."""


def rubric_tools(case: SlotDraft) -> Iterator[Finding]:
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
        yield from linted(CheckName.RUBRIC_TOOLS, "rubric", finding)
        return
    # Everything that workplace, instruction or plan speak of.
    spoken = [msgspec.to_builtins(workplace), task.instruction, msgspec.to_builtins(task.plan)]
    known = tools | set(_WORD.findall(json.dumps(spoken, ensure_ascii=False)))
    named = [*_CODE.findall(task.rubric), *_CALL.findall(task.rubric)]
    named += [one or other for one, other in _TOOL.findall(task.rubric)]
    strange = [name for name in dict.fromkeys(named) if name not in known]
    if strange:
        what = f"names {', '.join(strange)}, and neither a tool nor a field of the workplace is called so"
        fix = f"Name the workplace's own tools ({', '.join(sorted(tools))}), or say what must be true afterwards"
        yield problem(CheckName.RUBRIC_TOOLS, "rubric", "rubric", what, fix)
