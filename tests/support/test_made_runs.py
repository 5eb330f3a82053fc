"""Made runs are such as the engine could have written."""

from pathlib import Path

import pytest
from tests.support.hostile import ATTACKS
from tests.support.made_runs import make_run
from tests.support.made_tasks import INDUSTRIES
from tests.support.run_files import work_of

from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import open_run, trajectory
from worktrial.grading import Outcome
from worktrial.results.fault_metrics import sample_faults
from worktrial.results.summary import summarise
from worktrial.workplaces.faults.content import digest


def test_the_same_arguments_write_the_same_bytes(tmp_path: Path) -> None:
    one, other = (make_run(tmp_path / name, conditions=("E0", "E3"), hostile=True) for name in "ab")
    first, second = (
        {path.relative_to(run): path.read_bytes() for path in run.rglob("*") if path.is_file()}
        for run in (one, other)
    )
    assert first == second


@pytest.mark.parametrize("skill", [0.3, 0.7, 0.95])
def test_the_rate_is_the_skill(tmp_path: Path, skill: float) -> None:
    summary = summarise(open_run(make_run(tmp_path / "run", tasks=3000, skill=skill, trajectories=False)))
    passed, invalid = (summary.figures.get(name).value or 0 for name in ("completion_of_valid", "invalid"))
    assert abs(passed - skill) < 0.03
    assert 0.01 < invalid < 0.03
    assert summary.cost is not None and 0.008 < summary.cost / 3000 < 0.012
    assert set(INDUSTRIES) == summary.figures.groups("category").keys()
    assert summary.figures.groups("difficulty").keys() == {"1", "2", "3"}


def test_skill_by_industry_and_an_unknown_price(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", tasks=1500, skill={"Technology & IT": 0.05}, cost=None, trajectories=False)
    summary = summarise(open_run(run))
    rates = {name: figure.value or 0 for name, figure in summary.figures.groups("category").items()}
    assert rates.pop("Technology & IT") < 0.15 and min(rates.values()) > 0.5
    assert summary.cost is None


def _passed(run: Path) -> dict[str, bool]:
    return {r.sample: r.outcome is Outcome.PASS for r in open_run(run).records if r.outcome is not Outcome.INVALID}


def test_what_is_hard_for_one_agent_is_hard_for_all(tmp_path: Path) -> None:
    first, second = (_passed(make_run(tmp_path / a, agent=a, tasks=2000, trajectories=False)) for a in "ab")
    both = first.keys() & second.keys()
    alike = sum(first[task] is second[task] for task in both) / len(both)
    # By chance alone: 0.7 ** 2 + 0.3 ** 2.
    assert 0.62 < alike < 0.9


def test_faults_are_as_planned(tmp_path: Path) -> None:
    run = open_run(make_run(tmp_path / "run", tasks=40, conditions=("E0", "E1", "E2/3x1", "E3")))
    metrics = sample_faults(run)
    assert {r.condition for r in run.records if r.fault_plan} == {"E1", "E2/3x1", "E3"}
    for record in run.records:
        line = trajectory(run.folder, record.sample, record.repeat, record.condition)
        assert len(line["calls"]) == record.calls and record.turns == record.calls + 1
        planned = {event.index for event in record.fault_plan}
        met = {row.event for row in record.fault_ledger}
        assert met | {miss.event for miss in record.fault_misses} == planned
        for row in record.fault_ledger:
            seen = line["calls"][row.call]["observation"]
            assert row.degraded == digest(seen["content"]) and seen["fault"] == row.kind
            assert row.clean == (None if row.mode == "E1" else digest(seen["clean"]))
            assert bool(row.fields) is (row.mode == "E2")
    silent = [m.implicit for m in metrics.values()]
    assert (
        0 < sum(f.recovered for f in silent) <= sum(f.asked_again for f in silent) < sum(f.exposure for f in silent)
    )


def test_every_attack_is_in_every_place(tmp_path: Path) -> None:
    run = open_run(make_run(tmp_path / "run", tasks=24, hostile=True, invalid=0.2))
    for attack in ATTACKS:
        assert any(attack in record.sample and attack in record.reason for record in run.records)
    tools = {call["tool"] for line in work_of(run.folder) for call in line["calls"]}
    assert len(tools) > 6 and isinstance(run.records[0], SampleRecord)
    assert ATTACKS[1] in run.manifest.settings["agent"]
