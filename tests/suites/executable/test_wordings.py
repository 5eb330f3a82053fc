"""The same work, said otherwise: tasks in several wordings, the condition W, and what they cost."""

import re
from pathlib import Path

import pytest
from tests.support.cli import command

import worktrial as wt
from worktrial.agents.assignment import Assignment
from worktrial.errors import SettingError
from worktrial.suites.starter import load_tasks

_FACT = re.compile(r"[A-Z]+-?\d[\d-]*|\d[\d.,:]*\d|\d")


class Parcel(wt.Record):
    status: str = "in the shop"


def shop(*wordings: str) -> wt.Workplace:
    made = wt.Workplace("parcel shop", parcels={"P1": Parcel()})

    @made.writes
    def hand_over(state, parcel: str):  # type: ignore[no-untyped-def]
        """Hand a parcel to the customer."""
        state.parcels[parcel].status = "handed over"

    @made.task(*wordings)
    def collect(do):  # type: ignore[no-untyped-def]
        do(hand_over, parcel="P1")

    return made


async def takes_orders_literally(assignment: Assignment) -> str:
    if "hand it over" in assignment.instruction:
        await assignment.call("hand_over", {"parcel": "P1"})
    return "Done."


@pytest.mark.parametrize("task", load_tasks(), ids=lambda task: task.id)
def test_a_starter_task_has_three_wordings_with_the_same_facts(task) -> None:  # type: ignore[no-untyped-def]
    every = [task.instruction, *task.wordings]
    assert len(set(every)) == 3
    facts = [{found.rstrip(".,:") for found in _FACT.findall(said)} for said in every]
    assert facts[0] == facts[1] == facts[2]


def test_what_other_words_cost_stands_beside_the_faults(tmp_path: Path) -> None:
    made = shop("P1 is collected: hand it over.", "The customer of P1 is at the door.", "P1, please.")
    run = wt.run(made, takes_orders_literally, wordings=True, repeats=2, out=tmp_path / "run")
    assert {(r.condition, r.outcome) for r in run.run.records} == {("E0", "pass"), ("W", "fail")}
    assert run.figure("said_otherwise", condition="").value == -1.0
    said = {run.trajectory("collect", n, "W")["instruction"] for n in range(2)}
    assert said == {"The customer of P1 is at the door.", "P1, please."}
    told = command("show", tmp_path / "run").out
    assert "said otherwise: -100.0 points" in told


def test_a_task_of_one_wording_cannot_be_said_otherwise() -> None:
    with pytest.raises(SettingError, match=r"wordings: 1 of 1 tasks have one wording alone \(collect\)"):
        wt.run(shop("P1 is collected: hand it over."), "plan", wordings=True)


def test_wordings_and_faults_go_together_and_r_is_of_faults_alone(tmp_path: Path) -> None:
    words = ["--tasks", "lab-00,lab-01", "--agent", "plan", "--faults", "all", "--wordings"]
    done = command("run", "starter", *words, "-o", tmp_path / "run")
    assert done.code == 0
    run = wt.load(tmp_path / "run")
    assert {r.condition for r in run.run.records} == {"E0", "E1", "E2", "E3", "W"}
    assert run.figure("said_otherwise", condition="").value == 0.0
    assert run.figure("worst_case", condition="").note != "W"
