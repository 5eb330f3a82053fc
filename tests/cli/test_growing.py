"""A stored run to which a later command adds tasks, repeats or conditions."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.cli import Ran, at, command, samples_of
from tests.support.occubench import TinyRelease
from tests.support.scripted_server import ScriptedServer

from worktrial.engine.stored import open_run


@pytest.fixture
def work(tmp_path: Path) -> Any:
    """Function that runs more in `tmp_path / "run"`, and the server that counts requests."""
    data = TinyRelease().write(tmp_path / "data")
    with ScriptedServer() as server:

        def run(*words: Any, into: str = "run") -> Ran:
            words = ("run", "occupations", "--data", data, *at(server.url), *words, "-o", tmp_path / into)
            return command(*words)

        yield run


def keys(run: Path) -> Counter[tuple[str, int, str]]:
    return Counter((r["sample"], r["repeat"], r["condition"]) for r in samples_of(run))


def test_repeats_tasks_and_conditions_are_added(work: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert work("--tasks", "11,42").code == 0
    before = samples_of(run)
    assert "adds 4 samples to the 2 there" in work("--tasks", "11,42", "--repeats", 3).err
    assert work("--tasks", "7", "--repeats", 3).code == 0
    # Beside what is there: E0 need not be named again.
    assert work("--faults", "E1", "--tasks", "11,42,7").code == 0
    expected = {(task, n, "E0") for task in ("11", "42", "7") for n in range(3)}
    expected |= {(task, 0, "E1") for task in ("11", "42", "7")}
    assert keys(run) == Counter(expected)
    assert samples_of(run)[:2] == before
    stored = open_run(run)
    assert (stored.manifest.samples, stored.missing) == (12, 0)
    assert stored.manifest.settings["tasks"] == ["11", "42", "7"]
    assert stored.manifest.settings["repeats"] == 3
    assert [c["mode"] for c in stored.manifest.settings["faults"]["settings"]] == ["E0", "E1"]
    assert stored.manifest.settings["options"]["faults"] == "E0,E1"
    asked = [session.asked for session in stored.manifest.sessions]
    assert [(a.tasks, a.repeats, a.conditions, a.added) for a in asked if a] == [
        (["11", "42"], 1, ["E0"], 2),
        (["11", "42"], 3, ["E0"], 4),
        (["7"], 3, ["E0"], 3),
        (["11", "42", "7"], 1, ["E1"], 3),
    ]
    assert all(s.versions["worktrial"] and s.started and "run" in s.command for s in stored.manifest.sessions)


def test_a_command_that_asks_for_less_leaves_the_rest(work: Any, tmp_path: Path) -> None:
    assert work("--repeats", 2).code == 0
    stored = (tmp_path / "run" / "samples.jsonl").read_bytes()
    again = work("--tasks", "11")
    assert again.code == 0
    assert "7 other samples of the run stay as they are" in again.err
    assert (tmp_path / "run" / "samples.jsonl").read_bytes() == stored
    manifest = open_run(tmp_path / "run").manifest
    assert (manifest.samples, manifest.settings["repeats"]) == (8, 2)
    assert [session.asked is None for session in manifest.sessions] == [False, True]


def test_what_was_planned_and_not_done_is_still_to_come(work: Any, tmp_path: Path) -> None:
    assert work("--max-tokens", 4000, "--concurrency", 1).code == 130
    done = len(samples_of(tmp_path / "run"))
    assert done < 4
    assert work("--tasks", "108", "--repeats", 2).code == 0
    run = open_run(tmp_path / "run")
    assert run.manifest.samples == 5
    assert run.missing == 5 - len(run.records) > 0
    assert work("--repeats", 2).code == 0
    assert open_run(tmp_path / "run").missing == 0
    assert len(keys(tmp_path / "run")) == 8


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (["--faults", "E1"], ["--faults", "E1", "--fault-count", "3"], "faults.conditions"),
        (["--faults", "E1"], ["--faults", "E2", "--fault-seed", "3"], "faults.conditions"),
        (["--faults", "E1"], ["--faults", "E1", "--fault-count", "2,3"], "faults.conditions"),
        (["--faults", "E1"], ["--faults", "E2,prompted"], "faults.prompted: false -> true"),
        ([], ["--repeats", "2", "--votes", "5"], "judge.votes: 3 -> 5"),
    ],
)
def test_what_would_mean_something_else_is_refused(
    first: list[str], second: list[str], said: str, work: Any, tmp_path: Path
) -> None:
    assert work("--tasks", "11", *first).code == 0
    before = (tmp_path / "run" / "manifest.json").read_bytes()
    ran = work("--tasks", "11", *second)
    assert (ran.code, said in ran.err) == (2, True), ran.err
    assert "adds" not in ran.err
    assert (tmp_path / "run" / "manifest.json").read_bytes() == before


def test_a_sweep_grows_by_a_count(work: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert work("--tasks", "11", "--faults", "E2", "--fault-count", "1,2").code == 0
    assert work("--tasks", "11", "--faults", "E0,E2", "--fault-count", "2,3").code == 0
    assert {condition for _, _, condition in keys(run)} == {"E0", "E2/1x2", "E2/2x2", "E2/3x2"}
    options = open_run(run).manifest.settings["options"]
    assert (options["faults"], options["fault_count"]) == ("E2,E0", "1,2,3")


def test_a_run_that_grew_is_compared_and_shown(work: Any, tmp_path: Path) -> None:
    assert work(into="baseline").code == 0
    assert work("--tasks", "11,42").code == 0
    assert work("--tasks", "11,42", "--repeats", 2, "--faults", "E0,E1").code == 0
    assert work("--tasks", "7").code == 0
    compared = command("compare", tmp_path / "baseline", tmp_path / "run")
    assert compared.code == 0, compared.err
    assert "E1" in compared.out
    shown = command("show", tmp_path / "run").out
    assert "tried 1 to 2 times" in " ".join(shown.split())
    query = "select samples_planned, samples_finished from runs"
    rows = command("sql", query, tmp_path / "run", "--format", "json")
    assert json.loads(rows.out) == [{"samples_planned": 9, "samples_finished": 9}]


CHOICES = st.fixed_dictionaries(
    {
        "tasks": st.lists(st.sampled_from(["lab-01", "lab-02", "lab-03"]), min_size=1, unique=True),
        "repeats": st.integers(1, 2),
        "faults": st.sampled_from(["E0", "E1", "E2", "E0,E1", "E1,E2"]),
    }
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(commands=st.lists(CHOICES, min_size=1, max_size=4))
def test_a_run_holds_what_all_commands_asked_for(
    commands: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    import worktrial as wt

    folder = tmp_path_factory.mktemp("grown") / "run"
    expected = set()
    for given_ in commands:
        run = wt.run("starter", agent="idle", out=folder, **given_)
        modes = given_["faults"].split(",")
        expected |= {(t, n, m) for t in given_["tasks"] for n in range(given_["repeats"]) for m in modes}
        assert run.run.manifest.samples == len(expected)
        assert run.run.missing == 0
    assert keys(folder) == Counter(expected)
