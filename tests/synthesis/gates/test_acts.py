"""Gates of acts: one too many, another choice, a text that says nothing, the wrong order."""

import asyncio
from dataclasses import replace

import pytest
from tests.support.tool_hire.shop import Entry, clauses, entry, shop, tasks_of

from worktrial.finding import Finding
from worktrial.synthesis.clauses import Clause
from worktrial.synthesis.gates import Gated, GateName, through_gates
from worktrial.synthesis.gates.sequence import fixes_order
from worktrial.synthesis.gates.texts import OutcomeText, outcome_texts

AFTER = "The customer is sent the note only after the request has been decided."


def findings(subject: Gated) -> list[Finding]:
    return asyncio.run(through_gates(subject, mutate=0)).findings


def of(gate: GateName, subject: Gated) -> list[str]:
    return [one.what for one in findings(subject) if one.check == gate]


def citing(task: Entry, *more: Clause) -> Gated:
    """The shop with one task that cites the clause of notes, and more clauses."""
    ids = ("C-10", *(clause.id for clause in more))
    tasks = [one.model_copy(update={"clauses": ids}) for one in tasks_of(task)]
    return replace(shop(task), tasks=tasks, clauses=[*clauses(), *more])


def says(task: Entry) -> Entry:
    """The task with a check of what its note says."""
    task["checks"].insert(0, {"check": "state_items", "at": "/notes", "mentioning": {"text": ["reserved"]}})
    return task


def clause(quote: str, kind: str = "obligation") -> Clause:
    return Clause(id="C-15", document="counter", section="4", quote=quote, kind=kind)  # type: ignore[arg-type]


def test_a_letter_too_many() -> None:
    task = entry("hire-04")
    assert of(GateName.EXTRA_ACT, shop(task)) == []
    task["checks"][2].pop("at_most")
    task["checks"][3]["at"] = ["/requests/Q-301", "/notes"]
    (said,) = of(GateName.EXTRA_ACT, shop(task))
    assert said.startswith("all checks pass when send_note({") and "is called as well" in said


def test_an_act_of_a_tool_that_is_not_in_the_plan() -> None:
    """A request of somebody else is decided as well: no step of the plan decides any."""
    task = entry("hire-09")
    task["checks"][1]["at"] = ["/approvals", "/requests", "/hires"]
    found = of(GateName.EXTRA_ACT, shop(task))
    assert any("decide_request(" in said for said in found)
    assert all("ask_approval" not in said for said in found if "in place" in said)


def test_an_act_in_place_of_another() -> None:
    """The manager is asked for an approval in place of the decision, and nothing asks whether it was made."""
    task = entry("hire-04")
    task["checks"] = [
        {"check": "state_items", "at": "/notes", "matching": {"hire_id": "R-204", "to": "customer"}, "at_most": 1},
        {"check": "only_changed", "at": ["/requests/Q-301", "/notes/1", "/approvals"]},
        {"check": "answer_date", "value": "2031-06-14"},
    ]
    assert any(
        "ask_approval(" in said and "in place of step 3 (decide_request)" in said
        for said in of(GateName.EXTRA_ACT, shop(task))
    )


def test_what_a_task_leaves_open_is_no_finding_but_for_every_kind_of_it() -> None:
    task = entry("hire-04")
    task["checks"][2].pop("at_most")
    task["checks"][3] |= {"at": ["/requests/Q-301", "/notes/1"], "open": ["/notes"]}
    (said,) = of(GateName.EXTRA_ACT, shop(task))
    assert said == "all checks pass when send_note is called as well, with any to: customer, manager"
    none = {"check": "state_items", "at": "/notes", "matching": {"to": "manager"}, "at_most": 0}
    task["checks"].insert(0, none)
    assert of(GateName.EXTRA_ACT, shop(task)) == []
    task["checks"].remove(none)
    # Open is what is done there, not whatever else is done with it.
    task["checks"][3]["at"].append("/requests")
    assert any("decide_request" in said for said in of(GateName.STRAY_WRITE, shop(task)))


@pytest.mark.parametrize(
    ("dropped", "said"),
    [
        (1, "all checks pass when reason of step 3 (decide_request) is 'TOO_LATE' instead of 'RESERVED'"),
        (0, None),
    ],
)
def test_another_code_than_is_due(dropped: int, said: str | None) -> None:
    task = entry("hire-04")
    task["checks"].pop(dropped)
    assert of(GateName.CHOICE, shop(task)) == ([said] if said else [])


def test_another_addressee() -> None:
    task = entry("hire-04")
    task["checks"][2]["matching"].pop("to")
    assert of(GateName.CHOICE, shop(task)) == [
        "all checks pass when to of step 4 (send_note) is 'manager' instead of 'customer'"
    ]
    task["checks"].append({"check": "state_one_of", "at": "/notes/1/to", "values": ["customer", "manager"]})
    assert of(GateName.CHOICE, shop(task)) == []


def test_a_note_that_says_nothing() -> None:
    assert of(GateName.LETTERS, shop(entry("hire-04"))) == [], "no clause that the task cites asks for a note"
    (said,) = of(GateName.LETTERS, citing(entry("hire-04")))
    assert said == "all checks pass when text of step 4 (send_note) says nothing [C-10]"
    assert of(GateName.LETTERS, citing(says(entry("hire-04")))) == []


def test_a_note_with_another_date_than_is_due() -> None:
    task = says(entry("hire-04"))
    task["plan"]["steps"][4]["with"]["text"] += " It stays due on 2031-06-14."
    dated = clause("The note gives the date on which the hire is due.")
    (said,) = of(GateName.LETTERS, citing(task, dated))
    assert said == "all checks pass when text of step 4 (send_note) says '2031-06-15' for '2031-06-14' [C-10, C-15]"
    task["checks"][0]["mentioning"]["text"] = ["2031-06-14"]
    assert of(GateName.LETTERS, citing(task, dated)) == []


def test_a_note_need_not_name_what_the_case_is_called_by() -> None:
    numbered = clause("The note gives the number of the paper that it rests on.")
    for named, findings in ("", 1), (" It is about hire R-204.", 0):
        task = says(entry("hire-04"))
        task["instruction"] += named
        task["plan"]["steps"][4]["with"]["text"] += " This is about R-204."
        task["checks"].append({"check": "state_equals", "at": "/notes/1/hire_id", "value": "R-204"})
        assert len(of(GateName.LETTERS, citing(task, numbered))) == findings


def test_a_note_before_the_decision() -> None:
    task = says(entry("hire-04"))
    (said,) = of(GateName.SEQUENCE, citing(task, clause(AFTER)))
    assert said == "all checks pass when step 4 (send_note) comes before step 3 (decide_request) [C-15]"
    ordered = [{"tool": "decide_request", "with": {"request_id": "Q-301"}}, {"tool": "send_note"}]
    task["checks"].append({"check": "called_in_order", "calls": ordered})
    assert findings(citing(task, clause(AFTER))) == []


@pytest.mark.parametrize(
    ("quote", "kind", "fixed"),
    [
        (AFTER, "obligation", True),
        ("Nothing is paid until the approval is on record.", "prohibition", True),
        ("Once the money is out, the desk lead is told.", "exception", True),
        ("결정을 기록한 후에 편지를 보낸다.", "obligation", True),
        ("A parcel is paid for once.", "prohibition", False),
        ("Before that, the claim is put on WAITING and a trace is opened.", "obligation", False),
        ("The claim arrives within 7 days after delivery.", "obligation", False),
        ("A fee is due after the hire has ended.", "deadline", False),
    ],
)
def test_clauses_that_fix_an_order(quote: str, kind: str, fixed: bool) -> None:
    assert fixes_order(clause(quote, kind)) is fixed


def test_a_text_of_another_outcome() -> None:
    granted = "Your hire R-205 is extended as you asked, and nobody else has reserved the machine."
    other = OutcomeText(
        "send_note",
        ("text",),
        granted,
        frozenset({"decide_request"}),
        {("decide_request", ("decision",)): frozenset({"granted"})},
    )
    weak = citing(says(entry("hire-04")))
    (said,) = of(GateName.TEXTS, replace(weak, texts=[other]))
    assert "step 4 (send_note) says what a case with another outcome would: 'Your hire R-204 is extended" in said
    same = dict.fromkeys(other.choices, frozenset({"refused"}))
    assert of(GateName.TEXTS, replace(weak, texts=[replace(other, choices=same)])) == [], "no other outcome"
    task = says(entry("hire-04"))
    never = {"check": "state_items", "at": "/notes", "mentioning": {"text": ["is extended"]}, "at_most": 0}
    task["checks"].insert(0, never)
    assert of(GateName.TEXTS, replace(citing(task), texts=[other])) == []


def test_a_text_goes_with_the_writes_on_its_own_record() -> None:
    artifact = shop().door.artifact
    note = ("send_note", {"hire_id": "R-204", "to": "customer", "text": "It stays due on that day."})
    decided = ("decide_request", {"request_id": "Q-301", "decision": "refused", "reason": "RESERVED"})
    closed = ("close_hire", {"hire_id": "R-204", "late_fee": 0, "deposit_back": 120})
    ((at, alone),) = outcome_texts(artifact, [decided, note])
    assert (at, alone.acts) == (1, {"decide_request"})
    ((_, beside),) = outcome_texts(artifact, [decided, closed, note])
    assert beside.acts == {"close_hire"}
    assert alone.is_opposite(beside) and not beside.is_opposite(beside)
