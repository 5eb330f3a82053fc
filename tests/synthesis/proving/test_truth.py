"""Ends of a task compared: what two workers did alike, in whatever order, is no difference."""

import copy
from typing import Any

import pytest
from tests.support.tool_hire.shop import entry, tasks_of

from worktrial.synthesis.proving.truth import End, EndDifference, differences

CLAIMS = {"C-1": {"claim_id": "C-1", "rests_on": ["S-5", "D-2"]}, "C-2": {"claim_id": "C-2", "rests_on": ["S-6"]}}


def payments(*paid: tuple[str, str, float]) -> dict[str, Any]:
    return {id: {"payment_id": id, "claim_id": claim, "amount": amount} for id, claim, amount in paid}


AUTHOR = {
    "claims": CLAIMS,
    "payments": payments(("Z-42", "C-1", 1.0), ("Z-43", "C-1", 10.0), ("Z-44", "C-2", 20.0)),
    "messages": [
        {"message_id": "M-91", "claim_id": "C-1", "text": "You get it with payment Z-43."},
        {"message_id": "M-92", "claim_id": "C-2", "text": "Paid: Z-44."},
    ],
    "receipts": {"Q-1": {"payment": "Z-43"}, "Q-2": {"payment": "Z-44"}},
}
OTHER = {
    "claims": {"C-1": CLAIMS["C-1"] | {"rests_on": ["D-2", "S-5"]}, "C-2": CLAIMS["C-2"]},
    "payments": payments(("Z-42", "C-1", 1.0), ("Z-43", "C-2", 20.0), ("Z-44", "C-1", 10.0)),
    "messages": [
        {"message_id": "M-91", "claim_id": "C-2", "text": "Paid: Z-43."},
        {"message_id": "M-92", "claim_id": "C-1", "text": "Dear customer, the money is on its way."},
    ],
    "receipts": {"Q-1": {"payment": "Z-44"}, "Q-2": {"payment": "Z-43"}},
}


def found(other: Any, *, exact: bool = False) -> list[EndDifference]:
    written = entry("hire-04")
    written["instruction"] += " Receipt Q-9, after payment Z-42."
    (task,) = tasks_of(written)
    task = task.model_copy(update={"initial_state": {**task.initial_state, "claims": CLAIMS}})
    return differences(task, End(copy.deepcopy(AUTHOR), ""), End(other, ""), [], exact=exact)


def test_created_records_and_lists_in_another_order_are_no_difference() -> None:
    other = copy.deepcopy(OTHER)
    assert found(other) == []
    assert other == OTHER, "the stored end stays as it is"
    assert {one.at for one in found(other, exact=True)} >= {"/payments/Z-43/claim_id", "/claims/C-1/rests_on/0"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda s: s["payments"]["Z-44"].update(amount=11.0), [("/payments/Z-43/amount", 10.0, 11.0, None)]),
        (lambda s: s["receipts"]["Q-1"].update(payment="Z-43"), [("/receipts/Q-1/payment", "Z-43", "Z-44", None)]),
        # An id that the task names is nobody's to choose.
        (lambda s: s["payments"]["Z-42"].update(amount=2.0), [("/payments/Z-42/amount", 1.0, 2.0, None)]),
        (lambda s: s["claims"]["C-1"].update(rests_on=["D-9", "S-5", "S-5"]),
         [("/claims/C-1/rests_on", ["D-2"], ["S-5", "D-9"], ["S-5"])]),
        (lambda s: s["claims"]["C-2"].update(rests_on=[]), [("/claims/C-2/rests_on", ["S-6"], [], [])]),
        # A second payment of the same stands beside the first, whichever of them came first.
        (lambda s: s["payments"].update(payments(("Z-45", "C-2", 20.0))),
         [(f"/payments/Z-45/{name}", None, value, None)
          for name, value in (("payment_id", "Z-45"), ("claim_id", "C-2"), ("amount", 20.0))]),
    ],
)  # fmt: skip
def test_what_differs_is_shown_once(change: Any, expected: Any) -> None:
    other = copy.deepcopy(OTHER)
    change(other)
    shown = [(one.at, one.author, one.solver, one.shared) for one in found(other)]
    assert [(at, a, sorted(b) if isinstance(b, list) else b, s) for at, a, b, s in shown] == [
        (at, a, sorted(b) if isinstance(b, list) else b, s) for at, a, b, s in expected
    ]
