"""Figures of a suite in sentences: fewer and easier tasks than were asked for, and what nobody has decided."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import msgspec
import yaml

from worktrial.synthesis.files import to_yaml
from worktrial.synthesis.proving.refusals import RefusedWork
from worktrial.synthesis.proving.way import ProvedTask
from worktrial.synthesis.worth import SuiteWorth, described, worth


def end(number: int, fate: Any = "kept", level: int = 1, **more: Any) -> ProvedTask:
    known = {"truth": "confirmed" if fate == "kept" else "open", **more}
    return ProvedTask(task=f"desk-{number:02}", content=str(number), fate=fate, level=level, **known)


def figures(ends: Sequence[ProvedTask], wanted: int) -> SuiteWorth:
    kept: Any = [SimpleNamespace(id=one.task, clauses=[], atoms=[]) for one in ends if one.fate == "kept"]
    nothing: dict[str, Any] = {
        "clauses": [],
        "atoms": [],
        "runs": 0,
        "tokens": 0,
        "cost": None,
        "solver": "",
        "agent": "a",
    }
    return worth(kept, ends, wanted=wanted, **nothing)


def test_fewer_and_easier_tasks_than_were_asked_for_are_told_with_the_reasons_counted() -> None:
    ends = [
        *(end(n) for n in (1, 2, 3)),
        end(4, "question", why="Which code?"),
        *(end(n, "gate", 2, why="second-sum: another sum passes; junk: nothing passes") for n in (5, 6)),
        end(7, "gate", 2, why="twin: as desk-01"),
        end(8, "truth", 3, why="the rules bear out neither end: so"),
        end(9, "too_hard", 3, why="0 of 4 runs passed"),
    ]
    said = described(figures(ends, 10))
    assert (
        "10 of levels 1 to 3 asked, 3 of level 1 kept. Drawn: 4 of level 1 (3 kept, 1 question); 3 of level 2 "
        "(3 gate); 2 of level 3 (1 truth, 1 too hard). At a gate fell 2 second-sum, 1 twin."
    ) in said
    none = described(figures(ends[3:], 3))
    assert any(line.startswith("3 of levels 1 to 3 asked, none kept") for line in none)
    whole = [end(1), end(2, level=2), end(3, level=3)]
    assert not any("asked" in line for line in described(figures(whole, 3)))
    assert any("3 of levels 1 to 3 asked, 3 of level 1 kept" in line for line in described(figures(ends[:3], 3)))


def test_a_task_that_a_check_may_misread_is_neither_flawed_nor_sound() -> None:
    unread = end(3, "check_may_misread", truth="upheld")
    found = figures([end(1), end(2, "truth"), unread], 2)
    assert (found.found_flawed.count, found.found_flawed.of, found.undecided) == (1, 2, ["desk-03"])
    assert any(line.startswith("Undecided, and not counted there: desk-03.") for line in described(found))


def test_choices_that_kept_tasks_leave_open_are_named() -> None:
    choice = "May a claim wait on papers?"
    found = figures(
        [end(1, left_open=[choice]), end(2, left_open=[choice]), end(3, "gate", why="x: y", left_open=["z"])], 2
    )
    assert found.left_open == {choice: ["desk-01", "desk-02"]}
    assert any(line.startswith("Left open by the procedure") and line.endswith(choice) for line in described(found))
    stored = msgspec.convert(yaml.safe_load(to_yaml(found)), SuiteWorth)
    assert described(stored) == described(found)


def test_a_dropped_task_is_told_with_the_check_and_what_it_read() -> None:
    refused = [RefusedWork(check="the answer names PAY", read="Paid in part: PAY_PART.", runs=2)]
    told = end(1, "truth", why="the rules are on the side of the second worker: because", refused=refused).told
    assert told.startswith("truth: the answer names PAY read 'Paid in part: PAY_PART.': the rules are on the side")
    assert end(2, "gate", why="junk: nothing passes").told == "gate: junk: nothing passes"
