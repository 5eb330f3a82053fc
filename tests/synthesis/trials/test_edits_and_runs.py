"""What a person does with a suite: change a draft and resume, and give it to an agent with faults."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from tests.support.cli import at, lines_of, samples_of, worktrial
from tests.support.request import text_of
from tests.support.scripted_server import ScriptedServer
from tests.support.synthesis.command import SMALL, words
from tests.support.synthesis.desks import desk_of
from tests.support.synthesis.office import office

SLOT = "dual-use-export-permits-2"
"""Selected; one in four of its runs is invalid."""
PROCEDURE = """# Procedures of the customs office

## Export permits

Technology that may serve an army waits until its risk points are known. More than forty go to the committee.

## Rulings on tariff codes

A ruling is issued once at most two questions are open. Otherwise it is deferred.

## Guarantee accounts

A guarantee that is used to more than eighty percent is blocked.
"""


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(office("small")) as server:
        yield server


@pytest.fixture(scope="module")
def suite(server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    suite = tmp_path_factory.mktemp("suite") / "customs"
    procedure = suite.parent / "procedure.md"
    procedure.write_text(PROCEDURE)
    ran = worktrial(*words(server.url, suite, *SMALL, "--document", procedure))
    assert ran.code == 0, ran.err
    return suite


def test_references_rest_on_the_users_procedure(suite: Path) -> None:
    references = [yaml.safe_load(path.read_text()) for path in (suite / "work" / "references").iterdir()]
    assert len(references) == 3
    for reference in references:
        quotes = [c["quote"] for statement in reference["workflow"] for c in statement["citations"]]
        assert quotes
        assert all(quote in PROCEDURE for quote in quotes)


@pytest.mark.parametrize("modes", ["E0", "all"])
def test_the_suite_runs_with_faults(modes: str, suite: Path, server: ScriptedServer, tmp_path: Path) -> None:
    tasks = {task["id"] for task in lines_of(suite / "tasks.jsonl")}
    run = tmp_path / "run"
    ran = worktrial("run", suite, *at(server.url), "--faults", modes, "--max-invalid", 1, "-o", run)
    assert ran.code == 0, ran.err
    names = ["E0"] if modes == "E0" else ["E0", "E1", "E2", "E3"]
    samples = samples_of(run)
    assert len(samples) == len(tasks) * len(names)
    assert {record["sample"] for record in samples} == tasks
    for record in lines_of(run / "trajectories.jsonl"):
        text = str(record)
        assert desk_of(text).slot == record["sample"]


def test_with_the_plan_every_task_is_passed(suite: Path, server: ScriptedServer, tmp_path: Path) -> None:
    run = tmp_path / "run"
    ran = worktrial("run", suite, *at(server.url), "--with-plan", "-o", run)
    assert ran.code == 0, ran.err
    assert {record["outcome"] for record in samples_of(run)} == {"pass"}


def test_an_edited_rubric_runs_its_own_task_again_and_nothing_else(suite: Path, server: ScriptedServer) -> None:
    draft = suite / "work" / "drafts" / SLOT / "task.yaml"
    before = {path: path.read_bytes() for path in (suite / "work" / "drafts").rglob("*") if path.is_file()}
    runs = {path.name: path.read_bytes() for path in (suite / "work" / "runs").iterdir()}
    text = draft.read_text()
    edited = text.replace("No other permit was changed.", "No other permit was changed in any way.")
    assert edited != text
    draft.write_text(edited)
    asked = server.count()

    ran = worktrial("synthesize", "-o", suite, "--yes")
    assert ran.code == 0, ran.err

    new = server.requests[asked:]
    assert {r.role for r in new} == {"agent", "simulator", "judge"}
    assert {desk_of("\n".join(map(text_of, r.messages))).slot for r in new} == {SLOT}
    judged = [r for r in new if r.role == "judge"]
    assert all("changed in any way" in text_of(r.messages[-1]) for r in judged)
    changed = [path for path, content in before.items() if path.read_bytes() != content]
    assert changed == [draft]
    assert draft.read_text() == edited
    grown = {name for name, content in runs.items() if (suite / "work" / "runs" / name).read_bytes() != content}
    assert grown == {f"{SLOT}.jsonl"}
    last = [r for r in lines_of(suite / "provenance.jsonl") if r["file"] == f"work/drafts/{SLOT}/task.yaml"][-1]
    assert last["edited"]
    [task] = [task for task in lines_of(suite / "tasks.jsonl") if task["id"] == SLOT]
    assert task["rubric"] == yaml.safe_load(edited)["rubric"]
    # Once more, and nothing is left to do.
    asked = server.count()
    assert worktrial("synthesize", "-o", suite, "--yes").code == 0
    assert server.count() == asked
