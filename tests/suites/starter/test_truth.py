"""The numbers of the tasks, worked out a second time from the initial states alone."""

from datetime import date, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal
from itertools import permutations
from typing import Any

import pytest

from worktrial.suites.starter import load_tasks, load_workplace

TASKS = {task.id: task for task in load_tasks()}


def recorded(task_id: str, tool: str) -> list[dict[str, Any]]:
    """The arguments of the plan's calls of a tool."""
    return [step.arguments for step in TASKS[task_id].plan.steps if step.call == tool]


def banded(value: float, bands: list[tuple[float, int]]) -> int:
    """The points of the first band whose upper limit holds `value`."""
    return next(points for limit, points in bands if value <= limit)


def early_warning_parts(vitals: dict[str, Any], scale: int) -> list[int]:
    top = float("inf")
    on_oxygen = vitals["on_oxygen"]
    first = [(91, 3), (93, 2), (95, 1), (top, 0)]
    above_92 = [(94, 1), (96, 2), (top, 3)] if on_oxygen else [(top, 0)]
    second = [(83, 3), (85, 2), (87, 1), (92, 0), *above_92]
    return [
        banded(vitals["respiratory_rate"], [(8, 3), (11, 1), (20, 0), (24, 2), (top, 3)]),
        banded(vitals["spo2"], first if scale == 1 else second),
        2 if on_oxygen else 0,
        banded(vitals["systolic_bp"], [(90, 3), (100, 2), (110, 1), (219, 0), (top, 3)]),
        banded(vitals["pulse"], [(40, 3), (50, 1), (90, 0), (110, 1), (130, 2), (top, 3)]),
        0 if vitals["consciousness"] == "alert" else 3,
        banded(vitals["temperature"], [(35.0, 3), (36.0, 1), (38.0, 0), (39.0, 1), (top, 2)]),
    ]


@pytest.mark.parametrize("task_id", [name for name in TASKS if name.startswith("triage")])
def test_scores_and_levels(task_id: str) -> None:
    state = TASKS[task_id].initial_state
    for given in recorded(task_id, "record_triage"):
        patient = state["patients"][given["patient_id"]]
        latest = patient["vitals"][-1]
        age = datetime.fromisoformat(state["clock"]) - datetime.fromisoformat(latest["taken_at"])
        vitals = latest if age <= timedelta(minutes=30) else state["bedside"][given["patient_id"]]
        parts = early_warning_parts(vitals, patient["oxygen_scale"])
        score = sum(parts)
        level = 1 if score >= 7 else 2 if score >= 5 or 3 in parts else 3 if score else 4
        assert (given["score"], given["level"]) == (score, level), given


def test_sepsis_doses() -> None:
    patient = TASKS["triage-04"].initial_state["patients"]["P-318"]
    first = next(v for v in patient["vitals"] if sum(early_warning_parts(v, 1)) >= 5)
    due = datetime.fromisoformat(first["taken_at"]) + timedelta(minutes=60)
    antibiotic, fluid = recorded("triage-04", "order_treatment")
    assert antibiotic["due_by"] == due.isoformat(timespec="minutes")
    assert antibiotic["dose"] == min(750, 10 * patient["weight_kg"])
    assert fluid["dose"] == 50 * round(30 * patient["weight_kg"] / 50)


def cents(amount: Decimal, rounding: str = ROUND_HALF_UP) -> Decimal:
    return amount.quantize(Decimal("0.01"), rounding)


def net_operating_income(state: dict[str, Any], loan_id: str) -> Decimal:
    def dollars(record: dict[str, Any], field: str) -> Decimal:
        return Decimal(str(record[field]))

    tested = date.fromisoformat(state["loans"][loan_id]["test_date"])
    assert (tested.month, tested.day) == (3, 31)
    leases = [lease for lease in state["leases"].values() if lease["loan_id"] == loan_id]
    income = Decimal(0)
    for lease in leases:
        if lease["term_ends"] < f"{tested.year}-09-30" or lease["notice_given"] or lease["months_in_arrears"] >= 2:
            continue
        months = 12
        if lease["surcharge_ends"]:
            ends = date.fromisoformat(lease["surcharge_ends"])
            months = min(12, 12 * (ends.year - tested.year) + ends.month - tested.month)
        income += 12 * dollars(lease, "base_rent") + months * dollars(lease, "surcharge")
    spent = state["expenses"][loan_id]
    fee = max(dollars(spent, "management_paid"), cents(income * Decimal("0.04")))
    fixed = sum(dollars(spent, field) for field in ("taxes", "insurance", "repairs", "utilities"))
    return income - fixed - fee - 450 * len(leases)


@pytest.mark.parametrize(
    ("task_id", "loan_id"), [("covenant-01", "L-2207"), ("covenant-02", "L-2214"), ("covenant-03", "L-2231")]
)
def test_covenants(task_id: str, loan_id: str) -> None:
    state = TASKS[task_id].initial_state
    loan = state["loans"][loan_id]
    noi = net_operating_income(state, loan_id)
    base = {"dscr": Decimal(str(loan["annual_debt_service"])), "debt_yield": Decimal(str(loan["balance"])) / 100}
    tests = recorded(task_id, "record_test")
    assert {given["covenant"] for given in tests} == loan["minimums"].keys()
    for given in tests:
        value = cents(noi / base[given["covenant"]])
        if not isinstance(given["noi"], dict):
            assert Decimal(str(given["noi"])) == noi
        assert Decimal(str(given["value"])) == value
        assert given["passed"] is (value >= Decimal(str(loan["minimums"][given["covenant"]])))
    failed = [given["covenant"] for given in tests if not given["passed"]]
    notices = recorded(task_id, "send_notice")
    assert [notice["covenant"] for notice in notices] == failed
    for notice in notices:
        ends = date.fromisoformat(state["clock"]) + timedelta(days=30)
        while ends.weekday() >= 5:
            ends += timedelta(days=1)
        assert notice["cure_by"] == ends.isoformat()
    if "debt_yield" in failed:
        prepayment = cents(Decimal(str(loan["balance"])) - noi / Decimal("0.085"), ROUND_CEILING)
        assert f"{prepayment:,}" in TASKS[task_id].plan.answer


def test_an_old_rent_roll() -> None:
    state = TASKS["covenant-04"].initial_state
    for loan_id, loan in state["loans"].items():
        age = date.fromisoformat(loan["test_date"]) - date.fromisoformat(loan["rent_roll_as_of"])
        assert (age.days > 45) is (loan_id == "L-2240")
    due = date.fromisoformat(state["clock"])
    left = 10
    while left:
        due += timedelta(days=1)
        left -= due.weekday() < 5
    assert recorded("covenant-04", "request_document")[0]["due"] == due.isoformat()


def test_the_best_sequence() -> None:
    state = TASKS["line-03"].initial_state
    minutes = {(c["from_family"], c["to_family"]): c["minutes"] for c in state["changeovers"]}
    plans = []
    for sequence in permutations(["WO-504", "WO-505", "WO-506"]):
        now, setup, total, starts = datetime(2025, 6, 3, 8, 30), "tomato", 0, {}
        in_time = True
        for order_id in sequence:
            order = state["orders"][order_id]
            product = state["products"][order["product_id"]]
            change = minutes[setup, product["family"]]
            now += timedelta(minutes=change)
            starts[order_id] = now.isoformat(timespec="minutes")
            now += timedelta(minutes=-(-order["quantity"] * 60 // product["units_per_hour"]["F3"]))
            in_time &= now <= datetime.fromisoformat(order["due"])
            setup, total = product["family"], total + change
        plans.append((total, in_time, starts))
    best = min(plan for plan in plans if plan[1])
    assert best[2] == {given["order_id"]: given["start"] for given in recorded("line-03", "schedule_order")}
    assert sum(plan[:2] == best[:2] for plan in plans) == 1, "one solution only"
    assert min(plan[0] for plan in plans) < best[0], "the shortest sequence is late"


def test_jobs_in_the_initial_states_take_as_long_as_they_must() -> None:
    for task in TASKS.values():
        if task.workplace != "production_line":
            continue
        for order in task.initial_state["orders"].values():
            if order["start"]:
                rate = task.initial_state["products"][order["product_id"]]["units_per_hour"][order["machine_id"]]
                took = datetime.fromisoformat(order["end"]) - datetime.fromisoformat(order["start"])
                assert took == timedelta(minutes=-(-order["quantity"] * 60 // rate)), order
    assert load_workplace("production_line").artifact.initial_state["maintenance"] == []


def test_the_machine_on_which_it_ends_first() -> None:
    state = TASKS["line-05"].initial_state
    product = state["products"]["P-LEM"]
    minutes = {(c["from_family"], c["to_family"]): c["minutes"] for c in state["changeovers"]}
    ends = {}
    for machine_id, rate in product["units_per_hour"].items():
        jobs = [o for o in state["orders"].values() if o["machine_id"] == machine_id and o["end"]]
        last = max(jobs, key=lambda order: order["end"])
        change = minutes.get((state["products"][last["product_id"]]["family"], product["family"]), 0)
        start = datetime.fromisoformat(last["end"]) + timedelta(minutes=change)
        took = timedelta(minutes=-(-state["orders"]["WO-505"]["quantity"] * 60 // rate))
        ends[machine_id] = (start + took, start)
    best = min(ends, key=lambda machine_id: ends[machine_id])
    given = recorded("line-05", "schedule_order")[0]
    assert (given["machine_id"], given["start"]) == (best, ends[best][1].isoformat(timespec="minutes"))
    assert ends[best][0] in [check.value for check in TASKS["line-05"].checks if check.check == "answer_time"]
