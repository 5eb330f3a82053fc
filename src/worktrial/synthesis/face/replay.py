"""The calls on which a face is tried: the plan's, and the same with ids that nobody has."""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from worktrial.language import JsonObject
from worktrial.synthesis.artifacts import PlanStep
from worktrial.synthesis.face.session import SandboxedFace
from worktrial.workplaces import Tool, Workplace
from worktrial.workplaces.conformance.context import is_error
from worktrial.workplaces.fidelity import TrueCall, true_call, with_unknown_ids
from worktrial.workplaces.simulator.json_text import json_text

Stay = Literal["plan", "errors"]
STAYS: tuple[Stay, ...] = ("plan", "errors")
MOST_ERRORS = 6
"""Errors are alike; more of them would drown the plan's calls."""


class Call(NamedTuple):
    """A call that reaches the workplace."""

    tool: Tool
    arguments: JsonObject


class FaceUnfit(Exception):
    """A face that cannot be the truth; the message says why, in words that its author can use."""


def calls_of(workplace: Workplace, plan: Iterable[PlanStep]) -> dict[Stay, list[Call]]:
    """What is called in each stay. A call that the tool's schema refuses reaches no face, so it is left out."""
    known = ((workplace.tool(step.tool), step.arguments) for step in plan)
    planned = [Call(tool, given) for tool, given in known if tool is not None and not tool.problems(given)]
    strange: dict[str, Call] = {}
    for call in planned:
        for given in with_unknown_ids(call.arguments):
            if not call.tool.problems(given):
                strange.setdefault(call.tool.name, Call(call.tool, given))
    return {"plan": planned, "errors": list(strange.values())[:MOST_ERRORS]}


async def replay(workplace: Workplace, source: str, calls: dict[Stay, list[Call]]) -> dict[Stay, list[TrueCall]]:
    """What a face does with the calls, in a stay of its own each; twice, to see that it does the same again.

    Raises:
        FaceUnfit: a call of the plan ends in an error, or one is answered differently the second time.
        FaceBroken: a call cannot be carried out.
        SandboxUnavailable: nothing can be run here.
    """
    first = {stay: await _stay(workplace, source, calls[stay]) for stay in STAYS}
    for stay in STAYS:
        for one, other in zip(first[stay], await _stay(workplace, source, calls[stay]), strict=True):
            if json_text([one.content, one.after]) != json_text([other.content, other.after]):
                raise FaceUnfit(f"{one.tool.name} answers the same call differently when the work is done again")
    for number, call in enumerate(first["plan"]):
        if is_error(call.content):
            said = json_text(call.content)[:200]
            raise FaceUnfit(f"call {number + 1} of the plan, {call.tool.name}, ends in an error: {said}")
    return first


async def _stay(workplace: Workplace, source: str, calls: Iterable[Call]) -> list[TrueCall]:
    async with SandboxedFace(workplace, source) as session:
        return [await true_call(session, *call) for call in calls]
