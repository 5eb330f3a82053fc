"""The claims desk that was written by hand: its papers, its rules, and whether its tasks see plausible mistakes."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.sandbox.sessions import needs_sandbox

from worktrial.agents.plan import follow
from worktrial.grading.state_checks import StateNumber, run_checks
from worktrial.suite import find_suite
from worktrial.suites.executable.folder import OwnExecutableSuite, TrustOptions
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.workplaces import Observation, ToolCall, Trajectory
from worktrial.workplaces.executable.code import CodeWorkplace, ScriptedEpisode
from worktrial.workplaces.handbook import Handbook

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDER = EXAMPLES / "parcel-claims-trial"


def suite() -> OwnExecutableSuite:
    found = find_suite(FOLDER)
    assert isinstance(found, OwnExecutableSuite)
    return found


@pytest.fixture(scope="module")
def tasks() -> dict[str, ExecutableTask]:
    return {task.id: task for task in suite().library_of(TrustOptions(trust=True)).tasks}


def home_of(tasks: dict[str, ExecutableTask]) -> CodeWorkplace:
    home = next(iter(tasks.values())).home
    assert isinstance(home, CodeWorkplace)
    return home


def plain(text: str) -> str:
    return " ".join(text.split())


def test_the_handbook_is_the_procedure_word_for_word() -> None:
    procedure = plain((EXAMPLES / "parcel-claims" / "procedure.md").read_text("utf-8"))
    papers = Handbook(FOLDER / "handbook", templates=False).on({})
    assert [paper.section for paper in papers] == [str(number) for number in range(1, 9)]
    assert all(plain(paper.text) in procedure for paper in papers)


def test_clauses_stand_in_their_sections_and_tasks_cite_them(tasks: dict[str, ExecutableTask]) -> None:
    papers = {paper.section: plain(paper.text) for paper in Handbook(FOLDER / "handbook", templates=False).on({})}
    clauses = {c["id"]: c for c in yaml.safe_load((FOLDER / "clauses.yaml").read_text("utf-8"))}
    assert all(plain(clause["quote"]) in papers[clause["section"]] for clause in clauses.values())
    cited = {clause for task in tasks.values() for clause in task.clauses}
    cited |= {clause for task in tasks.values() for check in task.checks for clause in check.clauses}
    cited |= {clause for found in home_of(tasks).citations.values() for clause in found}
    assert cited <= clauses.keys()
    assert len(cited) >= 40


def test_the_tools_are_the_operations_of_the_interface(tasks: dict[str, ExecutableTask]) -> None:
    api = yaml.safe_load((EXAMPLES / "parcel-claims" / "api.yaml").read_text("utf-8"))
    operations = {
        operation["operationId"] for path in api["paths"].values() for operation in path.values() if operation
    }
    tools = {tool.name for tool in home_of(tasks).artifact.tools}
    assert tools == operations | {"search_handbook", "read_section", "hand_in_report"}


def amounts(task: ExecutableTask) -> dict[str, float]:
    """Amounts above 0 that the checks ask for, by claim."""
    pattern = re.compile(r"/claims/(C-\d+)/decision/amount")
    numbers = [check for check in task.checks if isinstance(check, StateNumber)]
    found = [(pattern.fullmatch(check.at), check.value) for check in numbers]
    return {match[1]: value for match, value in found if match and value}


def test_amounts_are_those_of_the_rules(tasks: dict[str, ExecutableTask]) -> None:
    """`rules.py` computes them from the state; the tasks' were worked out by hand."""
    checked = 0
    for task in tasks.values():
        state = task.initial_state
        for claim_id, amount in amounts(task).items():
            claim = state["claims"][claim_id]
            parcel, scans = state["parcels"][claim["parcel_id"]], state["scans"][claim["parcel_id"]]
            assert asyncio.run(home_of(tasks).call_function("rules", "due", claim, parcel, scans)) == amount
            checked += 1
    assert checked == 9


def calls_of(task: ExecutableTask) -> list[list[Any]]:
    done = asyncio.run(follow(task.plan, task.open()))
    return [[call.tool, dict(call.arguments)] for call in done.calls]


def passes(task: ExecutableTask, calls: list[list[Any]]) -> bool:
    assert isinstance(task.home, CodeWorkplace)
    (episode,) = asyncio.run(
        task.home.episodes([ScriptedEpisode(task.initial_state, [tuple(call) for call in calls])])
    )
    assert episode.failure is None
    made = [
        ToolCall(n, n, tool, given, Observation(call.content, call.origin))
        for n, ((tool, given), call) in enumerate(zip(calls, episode.calls, strict=True))
    ]
    done = Trajectory(calls=made)
    results = run_checks(task.checks, initial_state=task.initial_state, final_state=episode.state, trajectory=done)
    return all(result.passed for result in results)


def paid(amount: float) -> dict[str, Any]:
    return {"outcome": "PAID", "amount": amount}


MISTAKES = [
    # The task, the arguments that a plausible mistake has instead, and what its report says of the first case.
    ("claims-01", {"decide_claim": {"amount": 310.0}, "order_payment": {"amount": 310.0}}, {"amount": 310.0}),
    ("claims-01", {"decide_claim": {"amount": 249.8}, "order_payment": {"amount": 249.8}}, {"amount": 249.8}),
    ("claims-07", {"decide_claim": {"amount": 640.0}, "order_payment": {"amount": 640.0}}, {"amount": 640.0}),
    ("claims-07", {"decide_claim": {"amount": 110.0}, "order_payment": {"amount": 110.0}}, {"amount": 110.0}),
    ("claims-09", {"decide_claim": {"amount": 1119.9}, "order_payment": {"amount": 1100.0}}, {"amount": 1119.9}),
    ("claims-11", {"decide_claim": {"amount": 365.0}, "order_payment": {"amount": 365.0}}, {"amount": 365.0}),
    ("claims-12", {"decide_claim": {"decision": "PAY", "amount": 450.0}}, paid(450.0)),
    ("claims-03", {"decide_claim": {"decision": "PAY", "reason_code": "DAMAGE", "amount": 640.0}}, paid(640.0)),
    ("claims-04", {"decide_claim": {"decision": "PAY", "reason_code": "LOSS", "amount": 1172.0}}, paid(1172.0)),
    ("claims-06", {"decide_claim": {"decision": "PAY", "reason_code": "MISSING", "amount": 118.0}}, paid(118.0)),
    ("claims-08", {"set_claim_status": {"status": "WAITING"}}, {"outcome": "WAITING"}),
    ("claims-10", {"open_trace": {"parcel_id": "BW-40160"}}, {}),
    ("claims-13", {"send_message": {"text": "Please send a photograph of the goods."}}, {}),
    ("claims-14", {"send_message": {"text": "Consent, please. It was declared at 190.00."}}, {}),
    ("claims-15", {"decide_claim": {"amount": 50.0}, "order_payment": {"amount": 50.0}}, {"amount": 50.0}),
    ("claims-15", {"decide_claim": {"amount": 81.4}, "order_payment": {"amount": 81.4}}, {"amount": 81.4}),
    ("claims-16", {"decide_claim": {"decision": "PAY", "reason_code": "MISSING", "amount": 340.0}}, paid(340.0)),
    ("claims-17", {"decide_claim": {"claim_id": "C-917"}}, {}),
    ("claims-20", {"decide_claim": {"amount": 120.0}, "order_payment": {"amount": 120.0}}, {"amount": 120.0}),
    ("claims-20", {"decide_claim": {"amount": 134.0}, "order_payment": {"amount": 134.0}}, {"amount": 134.0}),
    ("claims-21", {"decide_claim": {"amount": 60.0}, "order_payment": {"amount": 60.0}}, {"amount": 60.0}),
    ("claims-19", {"send_message": {"text": "It is lost, we will search."}}, {}),
]  # fmt: skip


@pytest.mark.parametrize(("task_id", "changes", "reported"), MISTAKES, ids=range(len(MISTAKES)))
def test_a_plausible_mistake_fails(
    tasks: dict[str, ExecutableTask], task_id: str, changes: dict[str, dict[str, Any]], reported: dict[str, Any]
) -> None:
    task = tasks[task_id]
    calls = [[tool, {**given, **changes.get(tool, {})}] for tool, given in calls_of(task)]
    assert calls != calls_of(task)
    assert not passes(task, with_report(calls, reported))


def test_a_right_deed_that_is_reported_wrongly_fails(tasks: dict[str, ExecutableTask]) -> None:
    for task in tasks.values():
        calls = calls_of(task)
        assert calls[-1][0] == "hand_in_report" and passes(task, calls), task.id
        assert not passes(task, calls[:-1]), task.id
        (first, *rest) = calls[-1][1]["cases"]
        others = {"amount": 1.0, "number": 1.0, "date": "2031-06-01"}
        wrong: list[dict[str, Any]] = [{name: others[name]} for name in others if first.get(name)]
        wrong += [{"outcome": "LATE"}, {"case": "C-1"}]
        for reported in wrong:
            assert not passes(task, with_report(calls, reported)), (task.id, reported)
        stray = [first, *rest, {"case": "C-1", "outcome": "PAID"}]
        assert not passes(task, [*calls[:-1], ["hand_in_report", {"cases": stray}]]), task.id


def with_report(calls: list[list[Any]], reported: dict[str, Any]) -> list[list[Any]]:
    first, *rest = calls[-1][1]["cases"]
    return [*calls[:-1], ["hand_in_report", {"cases": [{**first, **reported}, *rest]}]]


def test_the_instructions_do_not_tell_which_way_it_goes(tasks: dict[str, ExecutableTask]) -> None:
    codes = re.compile(r"OUT_OF_TIME|FOUND|DUPLICATE|NO_REPLY|REFUSE|CLOSE|WAITING|\b\d+\.\d\d\b|trace|consent")
    found = {task.id: codes.findall(task.instruction) for task in tasks.values()}
    assert {id: words for id, words in found.items() if words} == {}


@needs_sandbox
def test_draws_are_desks_with_edges() -> None:
    home = suite().library.workplace("claims_desk")
    assert isinstance(home, CodeWorkplace)
    state = asyncio.run(home.draw(7))
    stored = (FOLDER / "workplaces" / "claims_desk" / "states" / "busy.json").read_text("utf-8")
    assert json.loads(stored) == state
    assert len(state["claims"]) == len(state["parcels"]) == 51
    assert state == asyncio.run(home.draw(7)) != asyncio.run(home.draw(8))
    notes = [scan["note"] for scans in state["scans"].values() for scan in scans]
    assert sum("P0" in note for note in notes) == 10
    (done,) = asyncio.run(home.episodes([ScriptedEpisode(state, [("get_claim", {"claim_id": "C-901"})])]))
    assert not done.calls[0].error
