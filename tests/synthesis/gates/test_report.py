"""Gate of reports: another outcome, another sum, a line less, and nothing of it may pass."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.support.tool_hire.shop import Entry, entry, shop, tasks_of, with_form

from worktrial.finding import Finding
from worktrial.synthesis.gates import Door, Gated, GateName, GateReport, task_gates
from worktrial.synthesis.gates.work import carry_out

FORM = ("REFUSED", "GRANTED", "WAITS", "CLOSED")
LINE = {"case": "Q-301", "outcome": "REFUSED", "amount": 24.5, "date": "2031-06-14", "ids": ["R-204"], "number": 3}
CHECK = {"check": "report_line", **LINE}
LINES = {"check": "report_lines", "cases": ["Q-301"]}


def reporting(*checks: dict[str, Any], lines: list[dict[str, Any]] | None = None) -> Entry:
    """The refusal of an extension, reported in the form, with these checks of the report."""
    task = entry("hire-04")
    task["plan"]["steps"].append({"call": "hand_in_report", "with": {"cases": lines or [LINE]}})
    task["checks"] = [*task["checks"][:-1], *checks]
    return task


def with_report(task: Entry) -> Gated:
    home = with_form(*FORM)
    return shop(door=Door(home), tasks=tasks_of(task, home=home))


def found(subject: Gated) -> list[Finding]:
    async def gates() -> list[Finding]:
        plans = [(task.plan_alone, task.initial_state) for task in subject.tasks]
        report = GateReport()
        await task_gates(subject, await carry_out(subject.door, plans), report)
        return report.findings

    return asyncio.run(gates())


def of(gate: GateName, task: Entry) -> list[str]:
    return [one.what for one in found(with_report(task)) if one.check == gate]


def without(*names: str) -> dict[str, Any]:
    return {name: value for name, value in CHECK.items() if name not in names}


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ([CHECK, LINES], None),
        ([without("amount"), LINES], "Q-301 reports no amount instead of 24.5"),
        ([without("date"), LINES], "Q-301 reports no date instead of '2031-06-14'"),
        ([without("ids"), LINES], "Q-301 reports no ids instead of ['R-204']"),
        ([without("number"), LINES], "Q-301 reports no number instead of 3"),
        ([CHECK], "Q-302 is reported as well, which nobody asked about"),
        ([{**CHECK, "outcome": list(FORM[:2])}, LINES], None),
        ([LINES], "Q-301 reports outcome 'GRANTED' instead of 'REFUSED'"),
    ],
)
def test_a_report_that_says_otherwise(checks: list[dict[str, Any]], said: str | None) -> None:
    found = of(GateName.REPORTS, reporting(*checks))
    assert found == [] if said is None else found and found[0].startswith(f"all checks pass when {said[:14]}"), (
        found
    )


def test_a_case_of_which_most_outcomes_are_right_says_nothing() -> None:
    assert of(GateName.REPORTS, reporting({**CHECK, "outcome": list(FORM[:3])}, LINES)) == [
        "3 of 4 outcomes are right for Q-301"
    ]


def test_a_task_whose_report_is_read_by_no_check() -> None:
    assert of(GateName.REPORTS, reporting()) == ["all checks pass when no report is handed in"]


def test_a_line_left_out_of_two() -> None:
    more = {"case": "Q-302", "outcome": "WAITS"}
    both = {"check": "report_lines", "cases": ["Q-301", "Q-302"]}
    lax = reporting(CHECK, both, lines=[LINE, more])
    assert of(GateName.REPORTS, lax) == ["all checks pass when Q-302 is left out of the report"]
    assert of(GateName.REPORTS, reporting(CHECK, both, {"check": "report_line", **more}, lines=[LINE, more])) == []


def test_a_report_alone_is_no_work() -> None:
    task = reporting(CHECK, LINES)
    task["checks"] = [CHECK, LINES]
    assert of(GateName.WORDS, task) == ["all checks pass when the work is only claimed"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("It is refused, I think.", False),
        ("Mark it REFUSED.", True),
        ("The tower stays due on 14 June 2031.", False),
    ],
)
def test_an_instruction_does_not_tell_what_has_to_be_reported(said: str, told: bool) -> None:
    task = reporting(CHECK, LINES)
    task["instruction"] += f" {said}"
    assert bool(of(GateName.SOLUTION_TOLD, task)) is told


def test_letters_that_are_left_open_are_those_about_the_records_of_the_case() -> None:
    task = reporting(CHECK, LINES)
    task["checks"][2].pop("at_most")
    task["checks"][3] |= {"open": ["/notes"]}
    assert passes(with_report(task), "R-205"), "a note about another hire"
    task["checks"][3] |= {"about": ["R-204"]}
    subject = with_report(task)
    assert passes(subject, "R-204") and not passes(subject, "R-205")


def passes(subject: Gated, hire: str) -> bool:
    """Whether the plan passes with one more note about a hire."""
    (task,) = subject.tasks
    note = {"call": "send_note", "with": {"hire_id": hire, "to": "customer", "text": "We pay you 500.00 soon."}}
    steps = [*task.plan.model_dump(by_alias=True)["steps"], note]
    other = task.model_copy(update={"plan": task.plan.model_validate({"steps": steps, "answer": "Done."})})
    return not any(one.check == GateName.PLAN for one in found(replace(subject, tasks=[other])))


@pytest.mark.parametrize(("said", "told"), [("It may be refused.", False), ("It may be REFUSED.", True)])
def test_a_word_is_not_the_code_that_is_spelled_like_it(said: str, told: bool) -> None:
    task = reporting(CHECK, LINES)
    task["instruction"] += f" {said}"
    assert bool(of(GateName.SOLUTION_TOLD, task)) == told
