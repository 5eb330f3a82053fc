from pathlib import Path

import pytest
from tests.results.runs import event, record, row, store, work
from tests.support.run_files import set_work, work_of

from worktrial.engine.stored import open_run
from worktrial.errors import DataError
from worktrial.results.fault_metrics import Funnel, sample_faults
from worktrial.results.tables import RunTables

CALLS = work("bed 3!", "bed 3")
PLAN = [event(0, "E2", 0, 1)]
LEDGER = [row(0, "E2", CALLS[0])]


def test_a_run_without_faults_is_not_even_read(tmp_path: Path) -> None:
    run = store(tmp_path, [record("1")])
    set_work(tmp_path, [b"damaged"])
    assert sample_faults(run) == {}


def test_each_condition_has_its_own_trajectory(tmp_path: Path) -> None:
    faulty = {"fault_plan": PLAN, "fault_ledger": LEDGER, "turns": 3}
    records = [record("1"), record("1", condition="E2", **faulty), record("1", condition="E3", fault_plan=PLAN)]
    run = store(tmp_path, records, {0: work("bed 9"), 1: CALLS})
    found = sample_faults(run)
    assert {key: m.implicit for key, m in found.items()} == {
        ("1", 0, "E2"): Funnel(1, 1, 1, 1, 1, 1, (1,)),
        # Broke before its first call.
        ("1", 0, "E3"): Funnel(planned=1),
    }


def test_the_last_trajectory_counts(tmp_path: Path) -> None:
    first = record("1", "invalid", "E2", fault_plan=PLAN, fault_ledger=LEDGER, turns=1)
    again = record("1", "fail", "E2", fault_plan=PLAN, fault_ledger=LEDGER, turns=1)
    run = store(tmp_path, [first, again], {0: CALLS, 1: CALLS[:1]})
    (found,) = sample_faults(run).values()
    assert found.implicit == Funnel(1, 1, 1, 1)


@pytest.mark.parametrize(
    ("messages", "recovered"),
    [
        # Three calls of one message are one turn: none of them reacts to another.
        ([{"role": "user", "content": "work"}, {"role": "assistant", "content": None}], 0),
        # Of a Python function, a program or a door there is no conversation: its calls came one after the other,
        # however many turns a program says that it took.
        ([{"role": "user", "content": "work"}], 1),
        ([], 1),
    ],
)
def test_calls_of_one_message_are_one_turn_and_calls_without_one_are_turns(
    tmp_path: Path, messages: list[dict[str, str]], recovered: int
) -> None:
    calls = work("bed 3!", "bed 4", "bed 3", at_once=True)
    rows = [row(0, "E2", calls[0])]
    run = store(tmp_path, [record("1", condition="E2", fault_plan=PLAN, fault_ledger=rows, turns=3)], {0: calls})
    (line,) = work_of(tmp_path)
    set_work(tmp_path, [{**line, "messages": messages}])
    (found,) = sample_faults(open_run(tmp_path)).values()
    assert found.implicit.recovered == recovered
    with RunTables([run.folder]) as tables:
        told = list(tables.select("select turn from calls order by index").rows)
    assert told == [(0,), (0,), (0,)] if not recovered else [(0,), (1,), (2,)]


def test_damage_is_named(tmp_path: Path) -> None:
    store(tmp_path / "a", [record("7", condition="E2", fault_plan=PLAN, fault_ledger=LEDGER, turns=1)])
    stored = (tmp_path / "a" / "samples.jsonl").read_text()
    (tmp_path / "a" / "samples.jsonl").write_text(stored.replace('"call":0,', ""))
    with pytest.raises(DataError, match=r"samples.jsonl:1: damaged record: .*`call`.*fault_ledger"):
        open_run(tmp_path / "a")
    records = [record("7", condition="E2", fault_plan=PLAN)]
    run = store(tmp_path / "b", records)
    set_work(tmp_path / "b", [{"sample": "7", "repeat": 0, "condition": "E2", "calls": [{"index": "x"}]}])
    with pytest.raises(DataError, match=r"work: the trajectory of sample '7', repeat 0 is damaged"):
        sample_faults(run)
