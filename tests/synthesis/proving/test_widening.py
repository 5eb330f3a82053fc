"""Checks widened to two ends that the rules allow."""

import copy
from typing import Any

import pytest
from tests.support.tool_hire.shop import entry, tasks_of, with_form

from worktrial.grading.check import Facts
from worktrial.synthesis.compose.composer import ComposedTask, Recipe, RecipeCase
from worktrial.synthesis.gates.report import reporting
from worktrial.synthesis.proving.truth import End
from worktrial.synthesis.proving.widening import MOST, NotWidened, widened

LINE = {"case": "Q-301", "outcome": "REFUSED", "date": "2031-06-14"}


def ends(change: Any, line: dict[str, str] = LINE, widenings: int = 0) -> ComposedTask:
    """The task whose request is refused, widened to an end that differs by a change of the state."""
    written = entry("hire-04")
    written["checks"][-1] = {"check": "report_line", **LINE}
    home = with_form("REFUSED", "RESERVED")
    written["checks"][2]["matching"]["text"] = "No."
    (task,) = tasks_of(written, home=home)
    state = copy.deepcopy(task.initial_state)
    state["requests"]["Q-301"] |= {"status": "refused", "reason": "RESERVED"}
    state["notes"].append({"hire_id": "R-204", "to": "customer", "text": "No."})
    author = End(state, [LINE])
    other = copy.deepcopy(state)
    change(other)
    solver = End(other, [line])
    facts = Facts(task.initial_state, other, reporting([line]))
    failed = [result.check for check in task.checks if not (result := check.run(facts)).passed]
    draft = ComposedTask(
        recipe=Recipe(id=task.id, start=0, cases=[RecipeCase(atom="reserved", seed="0")]),
        patch=[], instructions={"en": task.instruction}, steps=[], checks=written["checks"],
        clauses=[], difficulty=1, refusals=1, exceptions=[], widened=widenings,
    )  # fmt: skip
    return widened(draft, task, author, solver, failed)


def reason(state: Any) -> None:
    state["requests"]["Q-301"]["reason"] = "TOO_LATE"


def test_another_value_in_the_same_place_is_allowed_as_well() -> None:
    made = ends(reason)
    assert made.widened == 1
    assert made.checks[1] == {
        "check": "state_one_of", "at": "/requests/Q-301/reason", "values": ["RESERVED", "TOO_LATE"]
    }  # fmt: skip


def test_an_item_is_matched_by_what_both_ends_have() -> None:
    made = ends(lambda state: state["notes"][-1].update(text="Sorry."))
    assert made.checks[2]["matching"] == {"hire_id": "R-204", "to": "customer"}


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda state: state["notes"].append(dict(state["notes"][-1])), "2 of 3 match"),
        (lambda state: state["notes"].pop(), "0 of "),
        (lambda state: state["hires"]["R-205"].update(extra={"kind": "?"}), "also changed: /hires/R-205/extra"),
        (lambda state: state["requests"]["Q-301"].pop("reason"), "/requests/Q-301/reason"),
    ],
    ids=["an item more", "an item less", "a record more", "a value less"],
)
def test_what_is_more_than_a_value_is_not_widened_and_its_check_is_named(change: Any, where: str) -> None:
    with pytest.raises(NotWidened, match="no check says both of: ") as told:
        ends(change)
    assert where in str(told.value)


def test_what_only_one_of_them_changes_may_have_either_value_and_no_other() -> None:
    made = ends(lambda state: state["hires"]["R-205"].update(closed=True))
    (either,) = [check for check in made.checks if check["check"] == "state_one_of"]
    assert (either["at"], either["values"]) == ("/hires/R-205/closed", [False, True])
    (only,) = [check for check in made.checks if check["check"] == "only_changed"]
    assert "/hires/R-205/closed" in only["open"]
    assert len(made.case_of_check) == len(made.checks)


def test_a_list_of_values_may_be_either_list() -> None:
    made = ends(lambda state: state["requests"]["Q-301"].update(reason=["RESERVED", "LATE"]))
    assert made.checks[1]["values"] == ["RESERVED", ["RESERVED", "LATE"]]


def test_another_outcome_is_allowed_as_well_and_another_day_with_its_own_outcome() -> None:
    made = ends(reason, {**LINE, "outcome": "RESERVED"})
    assert made.checks[-1]["outcome"] == ["REFUSED", "RESERVED"]
    made = ends(reason, {**LINE, "outcome": "RESERVED", "date": "2031-06-19"})
    assert made.checks[-1]["outcome"] == "REFUSED"
    assert made.checks[-1]["others"] == [{"outcome": "RESERVED", "date": "2031-06-19"}]


def test_no_task_is_widened_without_end() -> None:
    with pytest.raises(NotWidened, match="2 times already"):
        ends(reason, widenings=MOST)
