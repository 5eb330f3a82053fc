"""Gate of arguments that are left out, empty or junk: a decision has to rest on something."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from tests.synthesis.gates.test_acts import of
from tests.synthesis.gates.test_composed import PARCELS

from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.gates import Gated, GateName
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.junk import junk_arguments
from worktrial.synthesis.gates.work import carry_out
from worktrial.workplaces.executable.code import CodeWorkplace

DECIDED = "/claims/C-901/decision"
RIGHT = ["S-1", "D-1"]


@pytest.fixture(scope="module")
def door() -> Door:
    return Door(CodeWorkplace.read(PARCELS / "workplaces/claims_desk", trust=True))


def grounds(door: Door, claim_id: str) -> list[str]:
    state = door.artifact.initial_state
    claim = state["claims"][claim_id]
    papers = [paper["paper_id"] for paper in claim["papers"]]
    return [*papers, *(scan["scan_id"] for scan in state["scans"][claim["parcel_id"]])]


def task(door: Door, rests_on: Sequence[str] | None, *checks: dict[str, Any], code: str = "LATE") -> ExecutableTask:
    """A claim is closed, for what `rests_on` names."""
    given = {"claim_id": "C-901", "decision": "CLOSE", "reason_code": code, "amount": 0}
    if rests_on is not None:
        given["rests_on"] = list(rests_on)
    changed = ["/claims/C-901/status", DECIDED]
    return ExecutableTask.model_validate(
        {
            **{"id": "claims-01", "workplace": "claims_desk", "home": door.home, "scenario": "a desk"},
            **{"category": "services", "domain": "desks", "language": "en", "difficulty": 1},
            **{"instruction": "Claim C-901 is about a late parcel; close it.", "clock": "2031-05-20"},
            "initial_state": door.artifact.initial_state,
            "plan": {"steps": [{"call": "decide_claim", "with": given}], "answer": "C-901 is closed as LATE."},
            "checks": [
                {"check": "state_equals", "at": f"{DECIDED}/decision", "value": "CLOSE"},
                {"check": "state_number", "at": f"{DECIDED}/amount", "value": 0},
                *checks,
                {"check": "only_changed", "at": changed, "open": [f"{DECIDED}/rests_on"]},
            ],
            "rubric": "The claim is closed.",
        }
    )


def ways(door: Door, one: ExecutableTask) -> list[str]:
    return of(GateName.JUNK, Gated(door=door, tasks=[one]))


def test_a_decision_that_rests_on_nothing_is_found_also_where_the_author_left_it_open(door: Door) -> None:
    own = grounds(door, "C-901")
    code = {"check": "state_equals", "at": f"{DECIDED}/reason_code", "value": "LATE"}
    assert ways(door, task(door, own[:2], code)) == [
        "all checks pass when rests_on of step 0 (decide_claim) is left out"
    ]
    resting = {"check": "state_items", "at": f"{DECIDED}/rests_on", "one_of": own}
    assert of(GateName.NEIGHBOUR, Gated(door=door, tasks=[task(door, own[:1], code, resting)])) == []
    assert ways(door, task(door, own[:1], code, resting)) == []
    assert ways(door, task(door, None, code)) == [], "what the plan does not write need not be checked"


def test_a_code_that_is_no_word_of_a_list(door: Door) -> None:
    assert ways(door, task(door, None)) == [
        "all checks pass when reason_code of step 0 (decide_claim) is 'XX' instead of 'LATE'"
    ]
    either = {"check": "state_one_of", "at": f"{DECIDED}/reason_code", "values": ["LATE", "TOO_LATE"]}
    assert ways(door, task(door, None, either)) == []


def test_what_a_list_is_filled_with(door: Door) -> None:
    own = grounds(door, "C-901")
    one = task(door, own[:1])
    (work,) = asyncio.run(carry_out(door, [(one.plan_alone, one.initial_state)]))
    told = [variant.calls[0][1].get("rests_on") for variant in junk_arguments(one, work)]
    left_out, _, empty, strange, others = told
    assert (left_out, empty) == (None, [])
    every = {id for claim in one.initial_state["claims"] for id in grounds(door, claim)}
    assert strange[0][0] == own[0][0] and every.isdisjoint(strange)
    assert set(others) <= every - set(own[:1])
