"""ATIF: what is written has the format's form."""

import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.results.runs import record
from tests.support.cli import command
from tests.support.made_runs import make_run
from tests.support.odd_work import asked, call, odd_run, result, said
from tests.support.run_files import store_work
from tests.support.same_run import figures_shown, work

from worktrial.engine.segments import segment_path
from worktrial.engine.stored import open_run
from worktrial.results.turns import WorkedSample, turns
from worktrial.workplaces import ToolCall

DATA = Path(__file__).parents[2] / "data"
SCHEMA = json.loads((DATA / "schemas" / "atif-1.8.json").read_text())
AGENT_ONLY = {"model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"}


def check(document: dict[str, Any]) -> None:
    """The rules of the format: its schema, and what the package's validators ask beside it."""
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert document["schema_version"] == "ATIF-v1.8"
    assert [step["step_id"] for step in document["steps"]] == [*range(1, len(document["steps"]) + 1)]
    assert document["steps"]
    for step in document["steps"]:
        assert step["source"] == "agent" or not AGENT_ONLY & step.keys()
        ids = [made["tool_call_id"] for made in step.get("tool_calls", [])]
        assert len({*ids}) == len(ids)
        for one in step.get("observation", {}).get("results", []):
            assert one["source_call_id"] in ids


def files(folder: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(folder.rglob("*.json")):
        yield json.loads(path.read_text())


def runs(folder: Path) -> list[Path]:
    return [
        odd_run(folder / "odd"),
        make_run(folder / "hostile", tasks=6, hostile=True, seed=2, conditions=("E0", "E2"), invalid=0.3),
        DATA / "runs" / "starter",
        DATA / "runs" / "occupations",
        DATA / "runs" / "documents",
    ]


def test_every_kind_of_run_has_the_form(tmp_path: Path) -> None:
    for run in runs(tmp_path / "runs"):
        out = tmp_path / "out" / run.name
        ran = command("export", run, "--format", "atif", "-o", out)
        assert ran.code == 0, ran.err
        records = open_run(run).records
        assert f"{len(records)} samples -> {out}" in ran.err
        documents = [*files(out)]
        assert len(documents) == len(records) > 0
        for document in documents:
            check(document)


def test_numbers_come_with_condition_interval_and_invalid_samples(tmp_path: Path) -> None:
    run = odd_run(tmp_path / "run")
    command("export", run, "--format", "atif", "-o", tmp_path / "out")
    for document in files(tmp_path / "out"):
        assert document["notes"].startswith("Condition E2/3x2: 8 of 13 samples passed, 61.5%, 95 % interval ")
        assert document["notes"].endswith("; 1 invalid, which count as not passed.")
        assert document["extra"]["condition"] == "E2/3x2"
        assert document["extra"]["figures"] == figures_shown(run, "E2/3x2")


def test_faults_lie_beside_what_they_spoilt(tmp_path: Path) -> None:
    odd_run(tmp_path / "run")
    command("export", tmp_path / "run", "--format", "atif", "-o", tmp_path / "out")
    document = json.loads((tmp_path / "out" / "faulted.E2-3x2.r0.json").read_text())
    [found] = document["steps"][2]["observation"]["results"]
    assert found["content"] == '{"error":"down"}'
    assert found["extra"] == {"origin": "fault", "fault": "http_500", "clean": {"ok": 0}}


def test_the_export_says_what_it_lost(tmp_path: Path) -> None:
    odd_run(tmp_path / "run")
    ran = command("export", tmp_path / "run", "--format", "atif", "-o", tmp_path / "out")
    assert "2 calls have arguments that are no object" in ran.err
    assert "1 parts of messages are of no kind that the format has" in ran.err
    assert "1 samples have no work on record" in ran.err
    assert "13 samples are without the definitions of their tools" in ran.err


def test_tools_are_those_of_the_installed_suite(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    assert command("run", "starter", "--agent", "plan", "--limit", "2", "-o", fresh).code == 0
    ran = command("export", fresh, "--format", "atif", "-o", tmp_path / "out")
    assert "definitions" not in ran.err
    for document in files(tmp_path / "out"):
        names = {tool["function"]["name"] for tool in document["agent"]["tool_definitions"]}
        called = {made["function_name"] for step in document["steps"] for made in step.get("tool_calls", [])}
        assert called and called <= names


def test_several_runs_have_folders_of_their_own(tmp_path: Path) -> None:
    first, second = odd_run(tmp_path / "a"), odd_run(tmp_path / "b", votes=5)
    out = tmp_path / "out"
    assert command("export", first, second, "--format", "atif", "-o", out).code == 0
    assert {path.name for path in out.iterdir()} == {"a", "b"}


def test_a_run_of_a_team_has_no_such_form(tmp_path: Path) -> None:
    for name in ("orchestration", "orchestration-free"):
        ran = command("export", DATA / "runs" / name, "--format", "atif", "-o", tmp_path / name)
        assert ran.code == 2 and "not one agent's calls in one workplace" in ran.err
        assert not (tmp_path / name).exists()


def test_memory_does_not_grow_with_the_run(tmp_path: Path) -> None:
    run = odd_run(tmp_path / "run")
    template = next(line for _, line in work(run).values() if line is not None)
    padding = "x" * 100_000
    records = [record(f"n{number}", condition="E2/3x2", calls=1, stop_reason="answered") for number in range(100)]
    whose = {"repeat": 0, "condition": "E2/3x2", "answer": padding}
    store_work(run, ((own, {**template, "sample": own.sample, **whose}) for own in records))
    command(
        "export", DATA / "runs" / "starter", "--format", "atif", "-o", tmp_path / "first"
    )  # what is loaded once
    tracemalloc.start()
    try:
        assert command("export", run, "--format", "atif", "-o", tmp_path / "out").code == 0
        written = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    whole = segment_path(run, 1).stat().st_size
    assert whole > 10_000_000
    assert written < whole / 3


NAMES = st.sampled_from(["look", "open", "note", ""])


@given(
    st.lists(st.lists(st.tuples(NAMES, st.booleans(), st.sampled_from(["c", "d", ""])), max_size=3), max_size=4),
    st.integers(0, 3),
)
@settings(max_examples=150, deadline=None)
def test_every_call_is_in_exactly_one_turn(conversation: list[list[tuple[str, bool, str]]], astray: int) -> None:
    """Whichever calls have a record, whatever their ids, and however many have none that asked for them."""
    messages: list[dict[str, Any]] = []
    calls: list[ToolCall] = []
    for turn, made in enumerate(conversation):
        messages.append(said("text", *(asked(name, "{}", id) for name, _, id in made)))
        for name, has_record, id in made:
            if has_record and name != "note":
                calls.append(msgspec.convert(call(len(calls), turn, name, {}), ToolCall))
            messages.append(result({"ok": 1}, id))
    for _ in range(astray):
        calls.append(msgspec.convert(call(len(calls), 9, "open", {}), ToolCall))
    told = [*turns(WorkedSample(record("a"), messages, calls, {}))]
    found = [part.call.index for turn in told for part in turn.calls if part.call is not None]
    assert sorted(found) == [*range(len(calls))]
    ids = [part.id for turn in told for part in turn.calls]
    assert len({*ids}) == len(ids)
    assert [message for turn in told for message in turn.messages] == messages
