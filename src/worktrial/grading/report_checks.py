"""Checks of the report form: fields that were handed in, compared as they are."""

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from worktrial.grading.check import HALF_A_CENT, CheckResult, Claim, Facts, Tolerance, near
from worktrial.workplaces.artifact import Workplace
from worktrial.workplaces.executable.report_form import REPORT_TOOL, handed_in, one_spelling_of, outcomes_of

OneOrMore = Annotated[
    tuple[Annotated[str, Field(pattern=r"\w")], ...],
    Field(min_length=1),
    BeforeValidator(lambda given: (given,) if isinstance(given, str) else given),
]
_NO_REPORT = "no report was handed in"


class OtherLine(BaseModel):
    """Fields of another line that is right as well, all of them together."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    outcome: OneOrMore
    amount: float | None = None
    date: dt.date | None = None
    number: float | None = None
    ids: tuple[str, ...] | None = None


class ReportLine(Claim):
    """The report that was handed in last has one line of this case, and the fields that are given here are right.

    An amount of 0, and an empty list of ids, may be left out of it.
    """

    check: Literal["report_line"]
    case: OneOrMore = Field(description="Id of the case, or several by which it may be named.")
    outcome: OneOrMore = Field(description="Code of the form, or several that are right alike.")
    amount: float | None = None
    date: dt.date | None = None
    number: float | None = None
    ids: tuple[str, ...] | None = Field(None, description="Ids, in any order.")
    others: tuple[OtherLine, ...] = Field((), description="Other lines that are right as well, each as a whole.")
    tolerance: Tolerance = HALF_A_CENT

    @property
    def codes(self) -> list[str]:
        """Outcomes that are right, those of other lines included."""
        return [code for one in self._lines() for code in one.outcome]

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        asked = f"{' or '.join(self.case)} is reported with {self._right()}"
        lines = handed_in(facts.trajectory)
        if lines is None:
            return CheckResult(asked, False, _NO_REPORT)
        own = [line for line in lines if _is_of(self.case, line)]
        if len(own) != 1:
            return CheckResult(asked, False, f"the report has {len(own) or 'no'} line{'s' if own else ''} of it")
        told = f"reported with {_told(own[0])}"
        if any(self._agree(one, own[0]) for one in self._lines()):
            return CheckResult(asked, True, told)
        return CheckResult(asked, False, f"{told}; right is {self._right()}")

    def _agree(self, right: "ReportLine | OtherLine", line: Mapping[str, Any]) -> bool:
        return (
            line["outcome"] in right.outcome
            and self._is_near(right.amount, line.get("amount") or 0)
            and self._is_near(right.number, line.get("number"))
            and (right.date is None or line.get("date") == right.date.isoformat())
            and (right.ids is None or _spelled(right.ids) == _spelled(line.get("ids") or ()))
        )

    def _is_near(self, value: float | None, found: float | None) -> bool:
        return value is None or (found is not None and near(found, value, self.tolerance))

    def _right(self) -> str:
        fields = {"amount", "date", "number", "ids"}
        return "; or ".join(
            _told({"outcome": " or ".join(one.outcome), **one.model_dump(include=fields)}) for one in self._lines()
        )

    def _lines(self) -> "list[ReportLine | OtherLine]":
        return [self, *self.others]


class ReportLines(Claim):
    """The report that was handed in last has lines of no other cases than these."""

    check: Literal["report_lines"]
    cases: OneOrMore = Field(description="Ids of the cases, and others by which they may be named.")

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; see `AnyCheck`."""
        asked = f"nothing is reported but {', '.join(self.cases)}"
        lines = handed_in(facts.trajectory)
        if lines is None:
            return CheckResult(asked, False, _NO_REPORT)
        others = [line["case"] for line in lines if not _is_of(self.cases, line)]
        return CheckResult(asked, not others, f"also reported: {', '.join(others)}" if others else "so it is")


def report_problems(checks: Iterable[object], workplace: Workplace) -> list[str]:
    """Reasons why checks of the report cannot hold in this workplace."""
    of_reports = [check for check in checks if isinstance(check, ReportLine | ReportLines)]
    tool = workplace.tool(REPORT_TOOL)
    if of_reports and tool is None:
        return [f"{of_reports[0].check}: the workplace has no report form; give its workplace.yaml a `report`"]
    known = outcomes_of(tool) if tool is not None and of_reports else ()
    return [
        f"report_line of {check.case[0]}: the outcome {code!r} is none of {', '.join(known)}"
        for check in of_reports
        if isinstance(check, ReportLine)
        for code in check.codes
        if code not in known
    ]


def _is_of(names: Iterable[str], line: Mapping[str, Any]) -> bool:
    return one_spelling_of(line["case"]) in _spelled(names)


def _spelled(names: Iterable[str]) -> set[str]:
    return {one_spelling_of(name) for name in names}


def _told(line: Mapping[str, Any]) -> str:
    """The fields of a line but the case, as text."""
    fields = ("outcome", "amount", "date", "number", "ids")
    said = {name: line.get(name) for name in fields if line.get(name) is not None}
    return ", ".join(f"{name} {_as_text(value)}" for name, value in said.items())


def _as_text(value: Any) -> str:
    return ", ".join(sorted(value)) or "none" if isinstance(value, list | tuple) else str(value)
