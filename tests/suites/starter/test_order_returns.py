"""The returns desk: its sums worked out a second time from the initial states, and the mistakes that must fail."""

from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import pytest
from tests.support.starter_refusals import refused
from tests.support.starter_work import add, change, leave_out, passes, work

from worktrial.suites.starter import load_tasks

TASKS = {task.id: task for task in load_tasks() if task.workplace == "order_returns"}
TAKE_PART = {"HOME40": {"lighting", "furniture"}}
MONEY_OFF = {"HOME40": Decimal(40), "SAVE60": Decimal(60)}
MINIMUM = {"HOME40": 600, "SAVE60": 400}
LABEL = Decimal("5.95")


def exact(value: Any) -> Decimal:
    return Decimal(str(value))


def cents(amount: Decimal) -> Decimal:
    return amount.quantize(Decimal("0.01"), ROUND_HALF_UP)


def list_amounts(order: dict[str, Any]) -> dict[str, Decimal]:
    return {line["line_id"]: line["quantity"] * exact(line["unit_price"]) for line in order["lines"]}


def paid_for(order: dict[str, Any]) -> dict[str, Decimal]:
    """What was paid for each line."""
    amounts, code = list_amounts(order), order["promotion"]
    categories = {line["line_id"]: line["category"] for line in order["lines"]}
    joined = [
        line_id for line_id in amounts if categories[line_id] in TAKE_PART.get(code, set(categories.values()))
    ]
    base = sum(amounts[line_id] for line_id in joined)
    off = cents(base / 10) if code == "SPRING10" else MONEY_OFF.get(code, Decimal(0))
    shares = {line_id: cents(off * amounts[line_id] / base) for line_id in joined[:-1]}
    shares[joined[-1]] = off - sum(shares.values())
    return {line_id: amount - shares.get(line_id, 0) for line_id, amount in amounts.items()}


def value(order: dict[str, Any], line_id: str, units: int) -> Decimal:
    ordered = next(line["quantity"] for line in order["lines"] if line["line_id"] == line_id)
    return cents(paid_for(order)[line_id] * units / ordered)


def in_time(state: dict[str, Any], record: dict[str, Any]) -> bool:
    order = state["orders"][record["order_id"]]
    category = next(line["category"] for line in order["lines"] if line["line_id"] == record["line_id"])
    days = 14 if category == "electronics" else 30
    if state["customers"][order["customer_id"]]["tier"] == "plus":
        days += 15
    delivered = max(
        parcel["delivered_on"]
        for parcel in state["parcels"].values()
        if parcel["order_id"] == record["order_id"] and record["line_id"] in parcel["items"]
    )
    return (date.fromisoformat(record["announced_on"]) - date.fromisoformat(delivered)).days <= days


def restocking(state: dict[str, Any], record: dict[str, Any]) -> Decimal:
    order = state["orders"][record["order_id"]]
    category = next(line["category"] for line in order["lines"] if line["line_id"] == record["line_id"])
    assert record["reason"] == "change_of_mind"
    share = Decimal(0)
    if category == "electronics" and record["condition"] == "opened":
        share = Decimal("0.15")
    elif category == "furniture":
        share = Decimal("0.10")
    return cents(share * value(order, record["line_id"], record["quantity"]))


def calls(task_id: str, tool: str) -> list[dict[str, Any]]:
    return [step.arguments for step in TASKS[task_id].plan.steps if step.call == tool]


def stated(task_id: str) -> set[Decimal]:
    return {
        exact(check.value) for check in TASKS[task_id].checks if check.check in ("answer_number", "answer_money")
    }


def test_the_orders_add_up() -> None:
    for order_id, order in TASKS["returns-01"].initial_state["orders"].items():
        paid = exact(order["paid_by_card"]) + exact(order["paid_by_gift_card"])
        assert sum(paid_for(order).values()) + exact(order["shipping_fee"]) == paid, order_id


def test_one_return() -> None:
    state = TASKS["returns-01"].initial_state
    record = state["returns"]["R-901"]
    assert in_time(state, record)
    standard = {**state, "customers": {"C-118": {"tier": "standard"}}}
    assert not in_time(standard, record), "the customer's tier decides"
    fee = restocking(state, record)
    due = value(state["orders"]["O-7701"], "1", 1) - fee - LABEL
    assert [exact(refund["amount"]) for refund in calls("returns-01", "issue_refund")] == [due]
    assert stated("returns-01") == {due, fee, LABEL}


def test_what_never_left_the_warehouse() -> None:
    state = TASKS["returns-02"].initial_state
    order = state["orders"]["O-7712"]
    waiting = {line["line_id"]: line["quantity"] - line["cancelled"] for line in order["lines"]}
    for parcel in state["parcels"].values():
        if parcel["order_id"] == "O-7712":
            for line_id, units in parcel["items"].items():
                waiting[line_id] -= units
    waiting = {line_id: units for line_id, units in waiting.items() if units}
    assert {c["line_id"]: c["quantity"] for c in calls("returns-02", "cancel_units")} == waiting
    due = sum(value(order, line_id, units) for line_id, units in waiting.items())
    back = [exact(r["amount"]) for r in state["refunds"] if (r["order_id"], r["means"]) == ("O-7712", "card")]
    card = min(due, exact(order["paid_by_card"]) - sum(back))
    assert 0 < card < due < 250
    paid = {refund["means"]: exact(refund["amount"]) for refund in calls("returns-02", "issue_refund")}
    assert paid == {"card": card, "gift_card": due - card}
    assert stated("returns-02") == {due, card, due - card}


def test_a_promotion_lost() -> None:
    state = TASKS["returns-03"].initial_state
    order = state["orders"]["O-7725"]
    records = {id_: record for id_, record in state["returns"].items() if record["order_id"] == "O-7725"}
    outcomes = {id_: "accepted" if in_time(state, record) else "rejected" for id_, record in records.items()}
    assert {c["return_id"]: c["outcome"] for c in calls("returns-03", "settle_return")} == outcomes
    taken = [record for id_, record in records.items() if outcomes[id_] == "accepted"]
    amounts = list_amounts(order)
    kept = sum(amounts.values()) - sum(amounts[record["line_id"]] for record in taken)
    assert kept < MINIMUM["SAVE60"] <= kept + amounts["5"]
    fees = sum(restocking(state, record) for record in taken)
    due = sum(paid_for(order).values()) - kept - fees - LABEL
    assert [exact(refund["amount"]) for refund in calls("returns-03", "issue_refund")] == [due]
    assert stated("returns-03") == {kept, due}


def test_final_sale() -> None:
    state = TASKS["returns-04"].initial_state
    order = state["orders"]["O-7733"]
    assert [line["line_id"] for line in order["lines"] if line["final_sale"]] == ["1"]
    announced = calls("returns-04", "announce_return")
    assert [given["line_id"] for given in announced] == ["2"]
    assert in_time(state, {**announced[0], "announced_on": state["clock"]})
    assert stated("returns-04") == {value(order, "2", announced[0]["quantity"]) - LABEL}


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("find_orders", {"customer_id": "C-1"}, "unknown_customer"),
        ("get_order", {"order_id": "O-1"}, "unknown_order"),
        ("list_lines", {"order_id": "O-7725", "page": 3}, "no_such_page"),
        ("get_promotion", {"code": "HOME"}, "unknown_promotion"),
        ("cancel_units", {"order_id": "O-7712", "line_id": "9", "quantity": 1}, "unknown_line"),
        ("cancel_units", {"order_id": "O-7712", "line_id": "1", "quantity": 3}, "already_shipped"),
        (
            "announce_return",
            {"order_id": "O-7712", "line_id": "2", "quantity": 3, "reason": "defective"},
            "too_many",
        ),
        ("settle_return", {"return_id": "R-1", "outcome": "accepted"}, "unknown_return"),
        ("settle_return", {"return_id": "R-902", "outcome": "accepted"}, "already_settled"),
        ("issue_refund", {"order_id": "O-7712", "amount": 194.66, "means": "card"}, "exceeds_payment"),
        ("open_ticket", {"order_id": "O-7712", "team": "supervisors", "note": ""}, "no_note"),
    ],
)
def test_what_the_system_refuses(tool: str, arguments: dict[str, Any], code: str) -> None:
    assert refused("order_returns", tool, arguments) == code


def test_a_return_that_has_not_arrived_is_not_settled() -> None:
    announced = {"order_id": "O-7733", "line_id": "2", "quantity": 1, "reason": "defective"}
    before = ("announce_return", announced)
    settled = {"return_id": "R-906", "outcome": "accepted"}
    assert refused("order_returns", "settle_return", settled, before) == "not_received"


MISTAKES = {
    "returns-00": {
        "a change of mind": change("announce_return", reason="change_of_mind"),
        "the headphones": change("announce_return", line_id="1"),
        "paid at once": add("issue_refund", order_id="O-7701", amount=54.9, means="card"),
    },
    "returns-01": {
        "the list price": change("issue_refund", amount=154.70),
        "rounded down": change("issue_refund", amount=138.64),
        "no label": change("issue_refund", amount=144.58),
        "no restocking fee": change("issue_refund", amount=164.15),
        "the window of the standard tier": change("settle_return", outcome="rejected"),
        "not settled": leave_out("settle_return"),
        "paid twice": add("issue_refund", order_id="O-7701", amount=5.95, means="card"),
    },
    "returns-02": {
        "the parcel on its way cancelled": change("cancel_units", quantity=3),
        "the shelf forgotten": leave_out("cancel_units", 1),
        "all to the card": change("issue_refund", amount=243.60),
        "one earlier refund overlooked": change("issue_refund", amount=209.65),
        "list prices": change("issue_refund", 1, amount=66.35),
        "shipping paid back": change("issue_refund", 1, amount=63.21),
        "no gift card": leave_out("issue_refund", 1),
        "approval asked for": add("open_ticket", order_id="O-7712", team="supervisors", note="244.96?"),
    },
    "returns-03": {
        "the values paid out": change("issue_refund", amount=82.92),
        "three returns accepted": change("settle_return", 2, outcome="accepted"),
        "the late one left open": leave_out("settle_return", 2),
        "two labels": change("issue_refund", amount=31.07),
        "restocking of the list price": change("issue_refund", amount=35.36),
        "no restocking": change("issue_refund", amount=48.85),
    },
    "returns-04": {
        "an exception": add("announce_return", order_id="O-7733", line_id="1", quantity=1, reason="change_of_mind"),
        "called defective": add("announce_return", order_id="O-7733", line_id="1", quantity=1, reason="defective"),
        "paid at once": add("issue_refund", order_id="O-7733", amount=149.00, means="card"),
        "the wrong team": change("open_ticket", team="supervisors"),
        "no ticket": leave_out("open_ticket"),
        "the throws refused as well": leave_out("announce_return"),
        "one throw only": change("announce_return", quantity=1),
    },
}


@pytest.mark.parametrize(
    ("task_id", "mistake"), [(task_id, mistake) for task_id, made in MISTAKES.items() for mistake in made]
)
def test_plausible_mistakes_fail(task_id: str, mistake: str) -> None:
    task = TASKS[task_id]
    right = work(task, task.plan)[1].answer
    wrong = MISTAKES[task_id][mistake](task.plan.model_copy(update={"answer": "-"}))
    assert not passes(task, wrong, right)


def test_every_task_has_mistakes() -> None:
    assert MISTAKES.keys() == TASKS.keys()
