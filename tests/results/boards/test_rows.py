"""Groups, rows and counts, beside figures worked out by hand."""

from pathlib import Path
from typing import Any

import pytest
from tests.results.runs import record, store

from worktrial.engine.identity import comparable
from worktrial.engine.record import RoleUsage
from worktrial.engine.stored import StoredRun
from worktrial.results.boards import cells, groups, profile, row
from worktrial.statistics import Robustness, agresti_coull

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


def test_a_row_of_single_tasks(tmp_path: Path) -> None:
    outcomes = ["pass"] * 6 + ["fail"] * 2 + ["invalid"] * 2
    records = [
        record(str(n), outcome, seconds=float(n), **used(0.01 * n, 0.002)) for n, outcome in enumerate(outcomes)
    ]
    found = row(store(tmp_path / "a", records, **AGENT), "E0")
    assert (found.n, found.completion.invalid, found.invalid_share) == (10, 2, 0.2)
    assert (found.of_all.value, found.of_all.interval) == (0.6, pytest.approx(agresti_coull(6, 10)))
    assert (found.of_valid.value, found.of_valid.interval) == (0.75, pytest.approx(agresti_coull(6, 8)))
    # 0.00 + 0.01 + … + 0.09, and 0.002 for the judge each time.
    assert found.agent_cost.value == pytest.approx(0.045)
    assert found.cost.value == pytest.approx(0.047)
    # Ten tasks do not show how dear an eleventh may be.
    assert found.cost.interval is None
    assert (found.seconds, found.tokens, found.agent_tokens) == (4.5, 155, 110)
    assert found.repeats is None and found.robustness == {}


def test_tasks_of_one_scenario_do_not_narrow_an_interval(tmp_path: Path) -> None:
    """Ten scenarios of five tasks that always come out alike say no more than ten tasks."""
    records = [
        record(f"{n}-{task}", "pass" if n < 5 else "fail", tags={"scenario": f"s{n}"})
        for n in range(10)
        for task in range(5)
    ]
    found = row(store(tmp_path / "a", records), "E0").of_all
    alone, scenarios = agresti_coull(25, 50), agresti_coull(5, 10)
    assert found.value == 0.5 and found.interval is not None
    assert found.interval.half_width > 1.5 * alone.half_width
    assert found.interval.half_width == pytest.approx(scenarios.half_width, abs=0.07)


@pytest.mark.parametrize(("outcome", "passed"), [("pass", 10), ("fail", 0)])
def test_all_alike_is_not_certain(tmp_path: Path, outcome: str, passed: int) -> None:
    records = [record(str(n), outcome, repeat=r) for n in range(10) for r in range(3)]
    found = row(store(tmp_path / "a", records), "E0").of_all.interval
    # As ten tasks, not as thirty samples.
    assert found == pytest.approx(agresti_coull(passed, 10))


def test_a_single_scenario_is_about_its_own_tasks(tmp_path: Path) -> None:
    records = [record(str(n), "pass" if n else "fail", tags={"scenario": "s"}) for n in range(5)]
    assert row(store(tmp_path / "a", records), "E0").of_all.interval == pytest.approx(agresti_coull(4, 5))


def test_repeats_give_pass_hat_k_over_tries_with_a_verdict(tmp_path: Path) -> None:
    tries = {"1": ["pass", "pass"], "2": ["pass", "fail"], "3": ["invalid", "pass"]}
    records = [record(t, outcome, repeat=r) for t, listed in tries.items() for r, outcome in enumerate(listed)]
    found = row(store(tmp_path / "a", records), "E0").repeats
    assert found is not None
    assert (found.k, found.tasks, found.too_few) == (2, 2, 1)
    assert (found.every_time, found.at_least_one) == (0.5, 1.0)


def test_conditions_are_not_mixed_and_robustness_is_of_the_clean_row(tmp_path: Path) -> None:
    rates = {"E0": 8, "E1": 6, "E2": 4, "E3": 5}
    records = [
        record(str(n), "pass" if n < passed else "fail", condition)
        for condition, passed in rates.items()
        for n in range(10)
    ]
    run = store(tmp_path / "a", records)
    for condition, passed in rates.items():
        assert row(run, condition).of_all.value == passed / 10
    found = row(run, "E0").robustness[""]
    assert isinstance(found, Robustness) and (found.value, found.worst) == (0.5, "E2")
    assert row(run, "E2").robustness == {}


def test_what_is_not_known_has_no_value(tmp_path: Path) -> None:
    unknown = row(store(tmp_path / "a", [record("1", **used(0.1)), record("2", **used(None))], **AGENT), "E0")
    assert unknown.cost.value is None and unknown.agent_cost.value is None
    # A callable's own requests are not ours to see.
    unseen = row(store(tmp_path / "b", [record("1")]), "E0")
    assert unseen.cost.value == 0.0 and unseen.agent_cost.value is None
    # What judging took is not what the work took.
    again = store(tmp_path / "c", [record("1", seconds=3.0, **used(0.1))], regraded={"source": "x"}, **AGENT)
    judged = row(again, "E0")
    assert (judged.cost.value, judged.agent_cost.value, judged.seconds) == (None, None, None)
    assert cells(again)[0].cost is None and cells(again)[0].seconds is None
    nothing = row(again, "E3")
    assert nothing.n == 0 and nothing.of_all.value is None and nothing.invalid_share == 0.0


def test_cells_add_up_to_the_run(tmp_path: Path) -> None:
    records = [
        record("1", "pass", tags={"category": "x", "difficulty": 1, "language": "en"}, cost=0.1, seconds=2.0),
        record("2", "fail", tags={"category": "x", "difficulty": 1, "language": "en"}, cost=0.2, seconds=3.0),
        record("3", "invalid", tags={"category": "x", "difficulty": 2, "language": "en"}, cost=None),
        record("1", "pass", "E1", tags={"category": "x", "difficulty": 1, "language": "en"}, cost=0.1),
        record("4", "pass"),
    ]
    found = cells(store(tmp_path / "a", records))
    assert [(c.category, c.difficulty, c.language, c.condition) for c in found] == [
        ("x", "1", "en", "E0"),
        ("x", "2", "en", "E0"),
        ("x", "1", "en", "E1"),
        (None, None, None, "E0"),
    ]
    assert [(c.passed, c.failed, c.invalid) for c in found] == [(1, 1, 0), (0, 0, 1), (1, 0, 0), (1, 0, 0)]
    assert found[0].cost == pytest.approx(0.3) and found[0].seconds == 5.0
    assert found[1].cost is None


def test_a_profile_counts_invalid_samples_as_not_passed(tmp_path: Path) -> None:
    records = [record(str(n), "pass" if n < 3 else "invalid", tags={"category": "x"}) for n in range(4)]
    records += [record("9", "pass", tags={"category": "y"}), record("8", "pass")]
    found = profile(store(tmp_path / "a", records), "E0")
    assert list(found) == ["x", "y"]
    assert found["x"].of_all.value == 0.75 and found["x"].completion.invalid == 1
