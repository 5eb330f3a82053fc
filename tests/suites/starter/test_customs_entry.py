"""The customs office's numbers, worked out a second time, and mistakes that must not pass."""

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from tests.support.starter_work import Mistake, add, change, leave_out, passes, work

from worktrial.suites.starter import load_tasks

TASKS = {task.id: task for task in load_tasks() if task.workplace == "customs_entry"}
VAT = {"standard": Decimal("0.21"), "reduced": Decimal("0.09")}


def exact(value: Any) -> Decimal:
    return Decimal(str(value))


def cents(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


def ten_months_earlier(day: str) -> str:
    year, month, rest = int(day[:4]), int(day[5:7]), day[8:]
    return f"{year - (month <= 10)}-{month - 10 if month > 10 else month + 2:02d}-{rest}"


def assessment(state: dict[str, Any], entry_id: str, first_lines: int | None = None) -> tuple[Decimal, ...]:
    """Customs value, duty and VAT of the entry, or of what somebody works out who saw its first lines only."""
    entry = state["entries"][entry_id]
    accepted = entry["accepted_on"]
    (rate,) = (
        exact(r["units_per_euro"])
        for r in state["rates"]
        if (r["currency"], r["month"]) == (entry["currency"], accepted[:7])
    )
    certified = {
        paper["country"]
        for paper in entry["documents"]
        if paper["kind"] == "origin_certificate" and ten_months_earlier(accepted) <= paper["issued_on"] <= accepted
    }
    lines = entry["lines"][:first_lines]
    invoiced = sum(exact(line["value"]) for line in lines)
    charges = exact(entry["freight"]) + exact(entry["insurance"])
    shares = [cents(charges * exact(line["value"]) / invoiced) for line in lines[:-1]]
    shares.append(charges - sum(shares))
    totals = [Decimal(0)] * 3
    for line, share in zip(lines, shares, strict=True):
        tariff = state["tariff"][line["code"]]
        value = cents(exact(line["value"]) / rate) + share
        if line["origin"] in certified & tariff["preferences"].keys():
            duty = cents(value * exact(tariff["preferences"][line["origin"]]) / 100)
        else:
            by_weight = exact(tariff["per_100_kg"] or 0) * exact(line["net_kg"]) / 100
            duty = max(cents(value * exact(tariff["percent"]) / 100), cents(by_weight))
        vat = cents((value + duty) * VAT[tariff["vat"]])
        totals = [total + part for total, part in zip(totals, (value, duty, vat), strict=True)]
    return tuple(totals)


def stated(task_id: str) -> list[Decimal]:
    return [
        exact(check.value) for check in TASKS[task_id].checks if check.check in ("answer_number", "answer_money")
    ]


@pytest.mark.parametrize(
    ("task_id", "entry_id"), [("customs-01", "E-4101"), ("customs-02", "E-4102"), ("customs-03", "E-4103")]
)
def test_assessments(task_id: str, entry_id: str) -> None:
    state = TASKS[task_id].initial_state
    right = assessment(state, entry_id)
    (given,) = (step.arguments for step in TASKS[task_id].plan.steps if step.call == "record_assessment")
    assert tuple(exact(given[name]) for name in ("customs_value", "duty", "vat")) == right
    assert tuple(stated(task_id)[:3]) == right
    importer = state["importers"][state["entries"][entry_id]["importer_id"]]
    covered = exact(importer["deferment_limit"]) - exact(importer["deferment_used"]) >= right[1] + right[2]
    paid = [step.arguments["payment"] for step in TASKS[task_id].plan.steps if step.call == "release_entry"]
    assert paid == ([] if task_id == "customs-03" else ["deferred" if covered else "cash"])


def test_the_entries_that_others_assessed_are_right_too() -> None:
    state = TASKS["customs-04"].initial_state
    for entry_id in ("E-4100", "E-4104"):
        recorded = state["entries"][entry_id]["assessment"]
        assert assessment(state, entry_id) == tuple(exact(recorded[n]) for n in ("customs_value", "duty", "vat"))


def test_two_taxes_in_one_sum() -> None:
    value, duty, vat = assessment(TASKS["customs-02"].initial_state, "E-4102")
    assert stated("customs-02") == [value, duty, vat, duty + vat]


@pytest.mark.parametrize(("task_id", "entry_id"), [("customs-02", "E-4102"), ("customs-03", "E-4103")])
def test_a_list_cut_short_changes_every_figure(task_id: str, entry_id: str) -> None:
    state = TASKS[task_id].initial_state
    right = assessment(state, entry_id)
    for lines in range(1, len(state["entries"][entry_id]["lines"])):
        assert all(a != b for a, b in zip(assessment(state, entry_id, lines), right, strict=True))


def test_what_is_missing_and_until_when() -> None:
    state = TASKS["customs-03"].initial_state
    entry = state["entries"]["E-4103"]
    there = {paper["kind"] for paper in entry["documents"]}
    missing = [
        line["line"] for line in entry["lines"] if state["tariff"][line["code"]]["requires"] not in {None, *there}
    ]
    assert missing == [4]
    due, left = date.fromisoformat(state["clock"]), 10
    while left:
        due += timedelta(days=1)
        left -= due.weekday() < 5
    (asked,) = (step.arguments for step in TASKS["customs-03"].plan.steps if step.call == "request_document")
    assert asked["due"] == due.isoformat()


MISTAKES: dict[str, dict[str, Mistake]] = {
    "customs-00": {
        "cash": change("release_entry", payment="cash"),
        "the next entry assessed too": add(
            "record_assessment", entry_id="E-4101", customs_value=12840.58, duty=364.91, vat=2773.15
        ),
        "not released": leave_out("release_entry"),
    },
    "customs-01": {
        "last month's rate": change("record_assessment", customs_value=12536.99, duty=356.28, vat=2707.59),
        "paid in cash": change("release_entry", payment="cash"),
        "not released": leave_out("release_entry"),
        "another entry released too": add("release_entry", entry_id="E-4100", payment="cash"),
    },
    "customs-02": {
        "today's rate": change("record_assessment", customs_value=38681.89, duty=744.15, vat=4654.01),
        "a cent off": change("record_assessment", vat=4543.78),
        "not released": leave_out("release_entry"),
        "paid from a short account": change("release_entry", payment="deferred"),
        "a needless referral": add("refer_entry", entry_id="E-4102", to="supervisor", question="Is this right?"),
    },
    "customs-03": {
        "an old certificate believed": change("record_assessment", duty=2323.52, vat=6398.54),
        "released without a hold": leave_out("place_hold"),
        "the line miscounted": change("place_hold", line=5),
        "ten calendar days": change("request_document", due="2025-09-25"),
        "tried to release": add("release_entry", entry_id="E-4103", payment="deferred"),
    },
    "customs-04": {
        "another authority's hold lifted": add("lift_hold", hold_id="H-31"),
        "tried to release": add("release_entry", entry_id="E-4104", payment="cash"),
        "nobody asked": leave_out("refer_entry"),
        "the wrong desk": change("refer_entry", to="supervisor"),
        "our own hold left": leave_out("lift_hold"),
    },
}


@pytest.mark.parametrize(("task_id", "mistake"), [(t, m) for t, made in MISTAKES.items() for m in made])
def test_plausible_mistakes_fail(task_id: str, mistake: str) -> None:
    task = TASKS[task_id]
    right = work(task, task.plan)[1].answer
    wrong = MISTAKES[task_id][mistake](task.plan.model_copy(update={"answer": "-"}))
    assert not passes(task, wrong, right)


def test_every_task_has_mistakes() -> None:
    assert MISTAKES.keys() == TASKS.keys()
