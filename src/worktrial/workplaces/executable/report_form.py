"""The report form of a workplace: the tool by which an agent hands in, for each case, what a program can read."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from worktrial.language import JsonObject
from worktrial.workplaces.executable.declare import Declaration, Function, ToolError, marked
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.tools import Tool
from worktrial.workplaces.trajectory import Trajectory

REPORT_TOOL = "hand_in_report"
_APART = re.compile(r"[\W_]+")


class ReportForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Form in which agents report."""

    outcomes: Annotated[
        dict[Annotated[str, Meta(pattern=r"^\S(.*\S)?$")], Annotated[str, Meta(pattern=r"\S")]],
        Meta(min_length=2),
    ]
    """Codes in which a case may end or stand, with their meanings in a few words each."""


def report_functions(form: ReportForm, state_type: Any) -> list[Function]:
    """`hand_in_report`, as a tool that changes nothing: what it was given is read from the trajectory.

    Args:
        form: The workplace's form.
        state_type: Type of the state of the workplace's other tools.
    """
    told = "; ".join(f"{code}: {meaning}" for code, meaning in form.outcomes.items())

    def hand_in_report(state: Any, cases: Any) -> JsonObject:
        """Hand in the report. This is the last call, when all work is done: one line for each case.

        A later report replaces an earlier one, so it has to be whole. What else is written at the end is not
        judged.

        Args:
            cases: The lines, one for each case.
        """
        seen: set[str] = set()
        for line in cases:
            case = one_spelling_of(line.case)
            if case in seen:
                raise ToolError("two_lines", f"{line.case!r} has two lines. Hand in one line for each case.")
            seen.add(case)
        return {"handed_in": len(cases)}

    hand_in_report.__annotations__.update(state=state_type, cases=_lines(form, told))
    return [marked(hand_in_report, Declaration(writes=False, example=None))]


def _lines(form: ReportForm, told: str) -> Any:
    case = "Id of the case as the assignment or the records name it, and nothing else."
    outcome = f"How the case has ended, or stands. {told}."
    optional = {
        "amount": (
            float,
            "What stands as paid on the case when you are done, in the desk's own currency, by whomever and "
            "whenever it was paid; 0 where nothing does, such as while a payment waits for somebody.",
        ),
        "date": (dt.date, "Date that assignment or outcome asks for, such as 2031-05-26."),
        "number": (float, "Count or measure that assignment or outcome asks for."),
        "ids": (list[str], "Ids that assignment or outcome asks for."),
    }
    line = msgspec.defstruct(
        "LineOfReport",
        [
            ("case", Annotated[str, Meta(min_length=1, description=case)]),
            ("outcome", Annotated[Literal[tuple(form.outcomes)], Meta(description=outcome)]),
            *((n, Annotated[kind | None, Meta(description=said)], None) for n, (kind, said) in optional.items()),
        ],
        kw_only=True,
        forbid_unknown_fields=True,
    )
    return Annotated[list[line], Meta(min_length=1)]  # type: ignore[valid-type]


def one_spelling_of(name: str) -> str:
    """An id however it is spelled: `c 901` and `C-901` are one."""
    return _APART.sub("-", name).strip("-").casefold()


def handed_in(trajectory: Trajectory) -> Sequence[Mapping[str, Any]] | None:
    """Lines of the last report that was handed in; None where none was. A call that failed hands in nothing."""
    for call in reversed(trajectory.calls):
        if call.tool == REPORT_TOOL and not is_error(call.observation.content):
            lines: Sequence[Mapping[str, Any]] = call.arguments["cases"]
            return lines
    return None


def outcomes_of(tool: Tool) -> Sequence[str]:
    """Codes that a workplace's `hand_in_report` knows."""
    codes: Sequence[str] = tool.parameters["properties"]["cases"]["items"]["properties"]["outcome"]["enum"]
    return codes
