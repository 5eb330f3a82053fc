"""Groups and figures, beside what was worked out by hand."""

from pathlib import Path
from typing import Any

import pytest
from tests.results.runs import record, store

from worktrial.engine.identity import comparable
from worktrial.engine.record import RoleUsage
from worktrial.engine.stored import StoredRun
from worktrial.results.boards import groups
from worktrial.results.figure import figures_of
from worktrial.statistics import agresti_coull

AGENT = {"roles": {"agent": {"model": "a"}}}


def names(found: list[list[StoredRun]]) -> list[list[str]]:
    return [[run.folder.name for run in group] for group in found]


def used(agent: float | None, judge: float = 0.0) -> dict[str, Any]:
    usage = {"agent": RoleUsage(1, 100, 10, 0, agent), "judge": RoleUsage(1, 40, 5, 0, judge)}
    return {"usage": usage, "cost": None if agent is None else agent + judge}


def test_only_runs_of_the_same_trial_are_grouped(tmp_path: Path) -> None:
    runs = [
        store(tmp_path / "a", [record("1")], setup="archive"),
        store(tmp_path / "b", [record("1")], setup="closed"),
        store(tmp_path / "c", [record("1")], setup="archive", agent="other"),
        store(tmp_path / "d", [record("1")], setup="archive", memory="ledger"),
    ]
    assert names(groups(runs)) == [["a", "c"], ["b"], ["d"]]
    assert groups([]) == []


def _faults(*modes: str, prompted: bool = False, seed: int = 0) -> dict[str, Any]:
    settings = [{"mode": mode, "count": 2, "duration": 2, "seed": seed, "unit": "call"} for mode in modes]
    return {"settings": settings, "prompted": prompted}


def test_a_condition_that_only_one_run_tried_keeps_nobody_apart(tmp_path: Path) -> None:
    def stored(name: str, faults: dict[str, Any] | None) -> StoredRun:
        return store(tmp_path / name, [record("1")], **({} if faults is None else {"faults": faults}))

    runs = [
        stored("clean", None),
        stored("all", _faults("E0", "E1", "E2", "E3")),
        stored("silent", _faults("E0", "E2")),
        stored("other-draws", _faults("E0", "E2", seed=1)),
        stored("no-clean", _faults("E2")),
        stored("asked-for", _faults("E0", "E2", prompted=True)),
    ]
    assert names(groups(runs)) == [["clean", "all", "silent"], ["other-draws"], ["no-clean"], ["asked-for"]]
    assert not comparable(runs[0].manifest, runs[3].manifest)
    assert [d.what for d in comparable(runs[2].manifest, runs[3].manifest)] == ["faults.conditions.E2"]


def test_groups_of_a_suite_follow_each_other(tmp_path: Path) -> None:
    runs = [store(tmp_path / name, [record("1")], memory=name) for name in "abc"]
    runs[1].manifest.suite = "another"
    assert names(groups(runs)) == [["a"], ["c"], ["b"]]


def test_audits_are_in_no_group(tmp_path: Path) -> None:
    run = store(tmp_path / "a", [record("1")])
    run.manifest.suite = "audit-judge"
    assert groups([run]) == []


def test_figures_of_single_tasks(tmp_path: Path) -> None:
    outcomes = ["pass"] * 6 + ["fail"] * 2 + ["invalid"] * 2
    records = [
        record(str(n), outcome, seconds=float(n), **used(0.01 * n, 0.002)) for n, outcome in enumerate(outcomes)
    ]
    found = figures_of(store(tmp_path / "a", records, **AGENT))
    done, valid, invalid = (found.get(name) for name in ("completion", "completion_of_valid", "invalid"))
    assert (done.n, done.hits, invalid.hits, invalid.value) == (10, 6, 2, 0.2)
    assert (done.value, done.interval) == (0.6, pytest.approx(agresti_coull(6, 10)))
    assert (valid.value, valid.interval) == (0.75, pytest.approx(agresti_coull(6, 8)))
    # 0.00 + 0.01 + … + 0.07 over the eight with a verdict, and 0.002 for the judge each time.
    assert found.get("agent_cost_per_task").value == pytest.approx(0.035)
    cost = found.get("cost_per_task")
    assert cost.value == pytest.approx(0.037) and cost.n == 8
    # Eight tasks do not show how dear a ninth may be.
    assert cost.interval is None and cost.note.startswith("too few tasks for an interval")
    means = [found.get(name).value for name in ("seconds", "tokens", "agent_tokens_in", "agent_tokens_out")]
    assert means == [3.5, 155, 100, 10]
    assert found.get("pass^k").unknown == "not in this run" and not found.named("robustness")


def test_tasks_of_one_scenario_do_not_narrow_an_interval(tmp_path: Path) -> None:
    """Ten scenarios of five tasks that always come out alike say no more than ten tasks."""
    records = [
        record(f"{n}-{task}", "pass" if n < 5 else "fail", tags={"scenario": f"s{n}"})
        for n in range(10)
        for task in range(5)
    ]
    found = figures_of(store(tmp_path / "a", records)).get("completion")
    alone, scenarios = agresti_coull(25, 50), agresti_coull(5, 10)
    assert found.value == 0.5 and found.interval is not None and found.clusters == 10
    assert found.interval.half_width > 1.5 * alone.half_width
    assert found.interval.half_width == pytest.approx(scenarios.half_width, abs=0.07)


@pytest.mark.parametrize(("outcome", "passed"), [("pass", 10), ("fail", 0)])
def test_all_alike_is_not_certain(tmp_path: Path, outcome: str, passed: int) -> None:
    records = [record(str(n), outcome, repeat=r) for n in range(10) for r in range(3)]
    # As ten tasks, not as thirty samples.
    found = figures_of(store(tmp_path / "a", records)).get("completion")
    assert found.interval == pytest.approx(agresti_coull(passed, 10))


def test_a_single_scenario_is_about_its_own_tasks(tmp_path: Path) -> None:
    records = [record(str(n), "pass" if n else "fail", tags={"scenario": "s"}) for n in range(5)]
    found = figures_of(store(tmp_path / "a", records)).get("completion")
    assert found.interval == pytest.approx(agresti_coull(4, 5))


def test_repeats_give_pass_hat_k_over_tries_with_a_verdict(tmp_path: Path) -> None:
    tries = {"1": ["pass", "pass"], "2": ["pass", "fail"], "3": ["invalid", "pass"]}
    records = [record(t, outcome, repeat=r) for t, listed in tries.items() for r, outcome in enumerate(listed)]
    found = figures_of(store(tmp_path / "a", records))
    every, once = found.get("pass^2"), found.get("pass@k")
    assert (every.value, every.n, every.note) == (0.5, 2, "1 with fewer tries left out")
    assert (once.name, once.value) == ("pass@2", 1.0)


def test_conditions_are_not_mixed_and_robustness_is_of_the_run(tmp_path: Path) -> None:
    rates = {"E0": 8, "E1": 6, "E2": 4, "E3": 5}
    records = [
        record(str(n), "pass" if n < passed else "fail", condition)
        for condition, passed in rates.items()
        for n in range(10)
    ]
    found = figures_of(store(tmp_path / "a", records))
    for condition, passed in rates.items():
        assert found.get("completion", condition).value == passed / 10
    (robust,), (worst,) = found.named("robustness"), found.named("worst_case")
    assert (robust.value, robust.note) == (0.5, "worst in E2") and (worst.value, worst.note) == (0.4, "E2")


def test_what_is_not_known_has_no_value_and_a_reason(tmp_path: Path) -> None:
    unknown = figures_of(store(tmp_path / "a", [record("1", **used(0.1)), record("2", **used(None))], **AGENT))
    for name in ("cost_per_task", "agent_cost_per_task"):
        assert unknown.get(name).value is None
        assert unknown.get(name).unknown == "the price of a model is unknown in 1 sample"
    # A callable's own requests are not ours to see.
    unseen = figures_of(store(tmp_path / "b", [record("1")]))
    assert unseen.get("cost_per_task").value == 0.0
    assert unseen.get("agent_cost_per_task").unknown == "the agent is no model whose requests were seen"
    # What judging took is not what the work took.
    again = figures_of(
        store(tmp_path / "c", [record("1", seconds=3.0, **used(0.1))], regraded={"source": "x"}, **AGENT)
    )
    for name in ("cost_per_task", "agent_cost_per_task", "seconds"):
        assert (again.get(name).value, again.get(name).unknown) == (None, "stored work was only judged again")
    nothing = figures_of(store(tmp_path / "d", []))
    assert (nothing.get("completion").value, nothing.get("completion").unknown) == (None, "no sample")


def test_a_group_counts_invalid_samples_as_not_passed(tmp_path: Path) -> None:
    records = [record(str(n), "pass" if n < 3 else "invalid", tags={"category": "x"}) for n in range(4)]
    records += [record("9", "pass", tags={"category": "y"}), record("8", "pass")]
    found = figures_of(store(tmp_path / "a", records))
    groups = found.groups("category")
    assert list(groups) == ["x", "y"] and groups["x"].value == 0.75
    assert found.get("invalid", group="category=x").hits == 1


def test_the_dearest_sample_without_a_verdict_is_in_no_mean(tmp_path: Path) -> None:
    """One run cost $0.70 a task on the leaderboard and $1.00 in the gate."""
    records = [record("1", cost=1.0, seconds=10.0), record("2", "invalid", cost=0.4, seconds=1.0)]
    found = figures_of(store(tmp_path / "a", records))
    assert found.get("cost_per_task").value == 1.0 and found.get("seconds").value == 10.0


def test_seconds_of_replayed_samples_hide_nothing_of_the_others(tmp_path: Path) -> None:
    """They were 10.0, unknown, null and not to be judged in four places."""
    records = [record("1", seconds=10.0), record("2", seconds=0.1, replayed=1)]
    found = figures_of(store(tmp_path / "a", records)).get("seconds")
    assert (found.value, found.n) == (10.0, 1) and found.note.startswith("1 of 2 samples replayed")
