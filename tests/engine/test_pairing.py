from pathlib import Path

from tests.results.runs import event, record, store

from worktrial.engine.pairing import pair_runs

PLAN = [event(0, "E2", 3)]


def test_pairs_by_task_repeat_and_condition(tmp_path: Path) -> None:
    first = store(
        tmp_path / "a",
        [record("1"), record("1", "fail", "E2", fault_plan=PLAN), record("2", "invalid"), record("1", repeat=1)],
    )
    second = store(
        tmp_path / "b",
        [record("2"), record("1", "pass", "E2", fault_plan=PLAN), record("1", "fail"), record("1", condition="E1")],
    )
    paired = pair_runs(first, second)
    assert [(p.first.key, p.first.outcome.value, p.second.outcome.value) for p in paired.pairs] == [
        (("1", 0, "E0"), "pass", "fail"),
        (("1", 0, "E2"), "fail", "pass"),
        (("2", 0, "E0"), "invalid", "pass"),
    ]
    assert all(p.first.key == p.second.key for p in paired.pairs)
    assert [p.both_judged for p in paired.pairs] == [True, True, False]
    assert paired.only_first == [("1", 1, "E0")]
    assert paired.only_second == [("1", 0, "E1")]
    assert paired.differing_faults == []


def test_other_faults_are_told(tmp_path: Path) -> None:
    other = [event(0, "E2", 4)]
    first = store(
        tmp_path / "a",
        [record(n, condition="E2", fault_plan=PLAN) for n in "123"] + [record("4", "invalid", "E2")],
    )
    second = store(
        tmp_path / "b",
        [
            record("1", condition="E2", fault_plan=other),
            # By the published way nothing is planned, which is another trial.
            record("2", condition="E2"),
            # Broken before there was a plan.
            record("3", "invalid", "E2"),
            record("4", condition="E2", fault_plan=PLAN),
        ],
    )
    assert pair_runs(first, second).differing_faults == [("1", 0, "E2"), ("2", 0, "E2")]
