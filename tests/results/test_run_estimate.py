"""What a run will take: totals from runs that were, the scarcest of what it waits for, and what it rests on."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.results.runs import record, store
from tests.support.cli import command

import worktrial as wt
from worktrial.engine.record import RoleUsage, SampleRecord
from worktrial.errors import SettingError
from worktrial.results.run_estimate import estimate_runs
from worktrial.trials import PreparedRun, prepare, prepare_all

TASKS = [task.id for task in wt.tasks("starter")]
LES = {"base_url": "http://127.0.0.1:9/v1", "price": "1,10"}


def planned(agent: str = "m", **options: Any) -> PreparedRun:
    return prepare("starter", agent, {**(LES if agent != "plan" else {}), **options})


def tried(folder: Path, requests: Any, condition: str = "E0", seconds: float = 4.0, **more: Any) -> Any:
    """A stored run of starter in which each task took so many requests of 1,000 tokens in and 100 out."""
    records: list[SampleRecord] = [
        record(
            task,
            condition=condition,
            seconds=seconds,
            calls=n - 1,
            usage={"agent": RoleUsage(requests=n, input_tokens=n * 1000, output_tokens=n * 100)},
            **more,
        )
        for task, n in requests.items()
    ]
    run = store(folder, records, agent="m")
    run.manifest.suite = "starter"
    return run


def test_of_usual_size_where_nothing_is_known() -> None:
    found = estimate_runs([planned(limit=10, repeats=3)])
    assert (found.samples, found.requests.likely) == (30, 330)
    assert found.tokens.likely == 330 * 5650
    assert found.cost is not None
    assert found.cost.likely == pytest.approx(330 * (5500 * 1 + 150 * 10) / 1e6)
    assert found.requests.low is None
    # Two rounds of 16 samples, at 11 answers of 2 s.
    assert found.seconds == 44
    assert "no earlier run" in found.assumed[0]


def test_each_sample_as_it_was_tried(tmp_path: Path) -> None:
    few = dict.fromkeys(TASKS[:20], 5) | {TASKS[0]: 9}
    clean, faulty = tried(tmp_path / "a", few), tried(tmp_path / "b", {TASKS[0]: 21, TASKS[1]: 25}, "E1", 30.0)
    plan = planned(tasks=",".join(TASKS[:20]), faults="E0,E1", repeats=2)
    found = estimate_runs([plan], [clean, faulty])
    conditions = {job.condition for job in plan.trial.jobs}
    assert len(conditions) == 2
    # Tasks that were not tried under E1 are as the two that were.
    assert found.requests.likely == 2 * (9 + 19 * 5) + 2 * (21 + 25) + 9 * 2 * (21 + 25)
    assert found.tokens.likely == found.requests.likely * 1100
    assert found.disk_bytes == pytest.approx(
        80 * sum(file.stat().st_size for run in (clean, faulty) for file in run.folder.rglob("*.*")) / 22
    )
    assert any("too few tasks" in line for line in found.assumed)
    assert not any("unfinished" in line for line in found.assumed)
    clean.manifest.samples += 1
    assert any("unfinished" in line for line in estimate_runs([plan], [clean]).assumed)
    # Known latency counts in place of what the earlier run took.
    quicker = estimate_runs([plan], [clean, faulty], latency=0.01)
    assert found.seconds > 20 * quicker.seconds


def test_an_interval_from_tasks_enough(tmp_path: Path) -> None:
    run = tried(tmp_path, {task: 4 + n % 5 for n, task in enumerate(TASKS)}, tags={})
    whole = estimate_runs([planned(repeats=4)], [run])
    total = 4 * sum(4 + n % 5 for n in range(len(TASKS)))
    assert whole.requests.likely == total
    for amount in (whole.requests, whole.tokens, whole.cost):
        assert amount is not None
        assert amount.low is not None
        assert amount.high is not None
        assert 0.8 * amount.likely < amount.low < amount.likely < amount.high < 1.2 * amount.likely


def seconds_of(**options: Any) -> float:
    return estimate_runs([planned(repeats=10, concurrency=500, **options)], latency=1.0).seconds


def test_the_allowed_rate_counts_where_it_is_slower_than_the_answers() -> None:
    requests = 10 * len(TASKS) * 11
    assert seconds_of() < 60
    assert seconds_of(rpm=60) == requests - 1
    assert seconds_of(tpm=56_500) == pytest.approx((requests / 10 - 1) * 60)
    # Several agents share one rate.
    two = prepare_all("starter", ["m", "n"], {**LES, "repeats": 10, "rpm": 60})
    assert estimate_runs(two, latency=1.0).seconds == pytest.approx(2 * (requests - 1), rel=0.01)


def test_no_model_takes_nothing(tmp_path: Path) -> None:
    found = estimate_runs([planned("plan")])
    assert (found.requests.likely, found.tokens.likely, found.roles) == (0, 0, [])
    assert found.cost is not None
    assert found.cost.likely == 0
    # Of a run without a model the calls are known, not the requests of a model.
    run = store(tmp_path, [record(task, calls=3, seconds=0.1) for task in TASKS])
    run.manifest.suite = "starter"
    model = estimate_runs([planned()], [run])
    assert model.requests.likely == 4 * len(TASKS)
    assert model.seconds >= 8
    assert any("usual requests and tokens of agent" in line for line in model.assumed)


def test_runs_that_say_nothing_of_it_are_refused(tmp_path: Path) -> None:
    other, empty = store(tmp_path / "a", [record("t")]), store(tmp_path / "b", [])
    with pytest.raises(SettingError, match=r"a: is a run of s; name one of starter"):
        estimate_runs([planned("plan")], [other])
    empty.manifest.suite = "starter"
    with pytest.raises(SettingError, match=r"b: is a run without a sample"):
        estimate_runs([planned("plan")], [empty])


def test_the_command(tmp_path: Path) -> None:
    words = ["estimate", "starter", "--agent", "m", "--base-url", LES["base_url"]]
    ran = command(*words, "--limit", 5, "--max-tokens", 1000, "--max-minutes", 0.1, "-o", tmp_path / "run")
    assert (ran.code, ran.err) == (0, "")
    assert "starter: 5 samples" in ran.said
    assert "│ requests │ 55 │" in ran.said
    assert "unknown: a model without a price" in ran.said
    assert "--max-tokens 1000 would end it" in ran.said
    assert "--max-minutes 0.1 would end it" in ran.said
    assert "give --from RUN" in ran.said
    assert not (tmp_path / "run").exists()
    several = command(*words, "--agent", "n", "--price", "1,10", "--json")
    assert {role["agent"] for role in json.loads(several.out)["roles"]} == {"m", "n"}
    refused = command(*words, "--from", tmp_path)
    assert (refused.code, "manifest.json" in refused.err) == (2, True)
