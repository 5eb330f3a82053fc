"""Ends of a task compared: what two workers did alike, in whatever order, is no difference."""

import asyncio
import copy
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.tool_hire.shop import entry, tasks_of, with_form

from worktrial.synthesis.proving.truth import End, EndDifference, differences, end_of_run, ruled

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
    return differences(task, End(copy.deepcopy(AUTHOR)), End(other), exact=exact)


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


@pytest.mark.parametrize(
    ("rests_on", "differs"), [(["D-2", "D-9"], False), (["S-5"], False), (["D-9"], True), (["D-2", "D-7"], True)]
)
def test_a_list_that_checks_admit_is_no_difference(rests_on: list[str], *, differs: bool) -> None:
    written = entry("hire-04")
    listed = {"check": "state_items", "at": "/claims/C-1/rests_on", "one_of": ["D-2", "S-5"]}
    wide = {**listed, "one_of": ["D-2", "S-5", "D-9"], "none_else": True}
    written["checks"] = [*written["checks"], listed, wide]
    (task,) = tasks_of(written)
    task = task.model_copy(update={"initial_state": {**task.initial_state, "claims": CLAIMS}})
    other = copy.deepcopy(AUTHOR)
    other["claims"]["C-1"]["rests_on"] = rests_on
    found = differences(task, End(copy.deepcopy(AUTHOR)), End(other))
    assert [one.at for one in found] == (["/claims/C-1/rests_on"] if differs else [])
    assert differences(task, End(copy.deepcopy(AUTHOR)), End(other), exact=True)


LINE = {"case": "Q-301", "outcome": "REFUSED", "amount": 0, "date": "2031-06-14", "ids": ["R-204", "M-3"]}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"case": "q301", "ids": ["M-3", "R-204"], "outcome": "RESERVED", "date": "2031-06-14"}, []),
        ({**LINE, "number": 4}, []),
        ({**LINE, "outcome": "GRANTED"}, [("report/Q-301/outcome", "REFUSED", "GRANTED")]),
        ({**LINE, "date": "2031-06-19"}, [("report/Q-301/date", "2031-06-14", "2031-06-19")]),
        (None, [(f"report/Q-301/{name}", LINE[name], None) for name in ("outcome", "date", "ids")]),
        ({**LINE, "case": "Q-302"}, [
            *((f"report/Q-301/{name}", LINE[name], None) for name in ("outcome", "date", "ids")),
            *((f"report/Q-302/{name}", None, LINE[name]) for name in ("outcome", "amount", "date", "ids")),
        ]),
    ],
)  # fmt: skip
def test_reports_are_compared_field_by_field(line: dict[str, Any] | None, expected: Any) -> None:
    written = entry("hire-04")
    codes = ["REFUSED", "RESERVED"]
    written["checks"][-1] = {"check": "report_line", **LINE, "case": ["Q-301", "Q301"], "outcome": codes}
    (task,) = tasks_of(written, home=with_form("REFUSED", "RESERVED", "GRANTED"))
    author, solver = End({}, [LINE]), End({}, None if line is None else [line])
    assert [(one.at, one.author, one.solver) for one in differences(task, author, solver)] == expected


class Asked:
    """A judge that keeps what it was asked."""

    model = "judge-1"
    prompt = ""

    async def write(self, prompt: str, kind: Any, *, salt: str, check: Any = None) -> Any:
        self.prompt = prompt
        return kind(why="So it says.", right="first", quotes=[{"id": "C-01", "quote": "Money."}])


def test_a_ruling_is_asked_for_with_headings_and_the_records_that_were_looked_at() -> None:
    (task,) = tasks_of(entry("hire-04"))
    state = {
        "parcels": {"BW-1": {"parcel_id": "BW-1", "service": "plus"}, "BW-2": {"parcel_id": "BW-2"}},
        "notes": [{"note_id": "N-1", "about": "early"}, {"note_id": "N-2", "about": "late"}],
        "claims": {"C-1": {"claim_id": "C-1"}},
    }
    task = task.model_copy(update={"initial_state": state})
    call = {
        "arguments": {"claim_id": "C-1"},
        "observation": {"content": {"parcel_id": "BW-1", "notes": [{"note_id": "N-2"}]}},
    }
    end = end_of_run(SimpleNamespace(trajectory={"final_state": state, "answer": "", "calls": [call]}))  # type: ignore[arg-type]
    judge = Asked()
    found = [EndDifference(at="/claims/C-1/papers", author=["D-1"], solver=[], shared=["D-2"])]
    rules = {"C-01": "Money.", "C-02": "Jewellery.", "C-03": "The lowest."}
    headings = {"C-01": "Section 6: What is never paid", "C-02": "Section 6: What is never paid"}
    asyncio.run(ruled(task, "00000000", found, rules, judge, headings=headings, seen=end.seen))  # type: ignore[arg-type]
    assert "Section 6: What is never paid\nC-01: Money." in judge.prompt
    assert judge.prompt.count("What is never paid") == 1
    for shown in (
        'parcels/BW-1: {"parcel_id": "BW-1", "service": "plus"}',
        'notes: {"note_id": "N-2"',
        "claims/C-1:",
    ):
        assert shown in judge.prompt
    assert "BW-2" not in judge.prompt and "N-1" not in judge.prompt
    assert 'both have ["D-2"]' in judge.prompt and 'person 1: ["D-1"]\n  person 2: []' in judge.prompt
