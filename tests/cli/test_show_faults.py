from pathlib import Path
from typing import Any

from tests.results.runs import event, record, row, store, work
from tests.support.cli import command

from worktrial.engine.record import SampleRecord


def _rows(out: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in out.splitlines() if "│" in line]


def _faulty(sample: str, outcome: str, condition: str, calls: list[Any]) -> SampleRecord:
    kinds = {"E1": ["E1", "E1"], "E2": ["E2", "E2"], "E3": ["E1", "E2"]}[condition]
    return record(
        sample,
        outcome,
        condition,
        calls=len(calls),
        turns=len(calls) + 1,
        fault_plan=[event(0, kinds[0], 0, 1), event(1, kinds[1], 5, 1)],
        fault_ledger=[row(0, kinds[0], calls[0])],
        tags={"category": "Health" if sample == "1" else "Trade"},
    )


def _run(folder: Path) -> Path:
    careful, naive = work("bed 3!", "nurse 1", "bed 3"), work("bed 3!")
    records = [record(n, calls=2, tags={"category": "Health" if n == "1" else "Trade"}) for n in "12"]
    works = {}
    for condition in ("E3", "E2", "E1"):
        for sample, calls in (("1", careful), ("2", naive)):
            works[len(records)] = calls
            passed = "pass" if sample == "1" or condition == "E1" else "fail"
            records.append(_faulty(sample, passed, condition, calls))
    store(folder, records, works)
    return folder


def test_a_run_of_all_conditions(tmp_path: Path) -> None:
    shown = command("show", _run(tmp_path))
    assert (shown.code, shown.err) == (0, "")
    # The headline is of E0 alone.
    assert "E0: 2 passed · 0 failed · 0 invalid" in shown.out
    rows = _rows(shown.out)
    assert ["of all samples", "100.0% (22.4 to 100.0%)"] in rows
    assert ["E0", "2/2", "0", "100.0% (22.4 to 100.0%)", "2"] in rows
    assert ["E1", "2/2", "0", "100.0% (22.4 to 100.0%)", "2"] in rows
    assert ["E2", "1/2", "0", "50.0% (2.5 to 97.5%)", "2"] in rows
    assert [r[:2] for r in rows if r[0] in ("Health", "Trade")] == [["Health", "1/1"], ["Trade", "1/1"]]
    assert "robustness R = 0.50 (95 % interval 0.09 to 3.37); worst in E2; over 2 tasks judged in all" in shown.said
    # Two events planned for each of two samples, the first reached; one of two looked again, two calls later.
    assert ["E1", "explicit", "2/4", "2", "1 (50%)", "1 (50%)", "2"] in rows
    assert ["E2", "implicit", "2/4", "2", "1 (50%)", "1 (50%)", "2"] in rows
    assert ["E3", "explicit", "2/2", "2", "1 (50%)", "1 (50%)", "2"] in rows
    assert ["E3", "implicit", "0/2", "0", "–", "–", "–"] in rows


def test_one_condition_looks_as_ever(tmp_path: Path) -> None:
    store(tmp_path, [record("1"), record("2", "fail")])
    shown = command("show", tmp_path)
    assert shown.out.splitlines()[1].strip() == "1 passed · 1 failed · 0 invalid"
    for word in ("│ condition", "robustness", "implicit", "E0"):
        assert word not in shown.out


def test_one_condition_with_faults_says_so(tmp_path: Path) -> None:
    store(tmp_path, [_faulty("1", "pass", "E2", work("bed 3!"))], {0: work("bed 3!")})
    shown = command("show", tmp_path)
    assert "E2: 1 passed · 0 failed · 0 invalid" in shown.out
    assert ["E2", "implicit", "1/2", "1", "0 (0%)", "0 (0%)", "–"] in _rows(shown.out)
    assert "robustness" not in shown.out


def test_faults_by_prompt_have_rates_and_no_funnel(tmp_path: Path) -> None:
    store(tmp_path, [record("1", "fail" if mode == "E0" else "pass", mode) for mode in ("E0", "E1", "E2", "E3")])
    shown = command("show", tmp_path)
    assert "robustness R has no value: nothing passes without faults" in shown.out
    assert "asked again" not in shown.out
    assert "E0: 0 passed · 1 failed · 0 invalid" in shown.out


def test_a_sweep(tmp_path: Path) -> None:
    names = ["E0", *(f"{mode}/{setting}" for setting in ("1x2", "3x2") for mode in ("E1", "E2", "E3"))]
    store(tmp_path, [record("1", condition=name) for name in names])
    out = command("show", tmp_path).out
    assert "robustness R (1x2) = 1.00" in out
    assert "robustness R (3x2) = 1.00" in out
    shown = list(dict.fromkeys(row[0] for row in _rows(out) if row[0].startswith("E")))
    assert shown == ["E0", "E1/1x2", "E1/3x2", "E2/1x2", "E2/3x2", "E3/1x2", "E3/3x2"]


def test_a_condition_without_e0_stands_for_itself(tmp_path: Path) -> None:
    hostile = "E2/[red]\x1b[2J"
    store(tmp_path, [record("1", condition=hostile), record("1", "fail", "E3")])
    shown = command("show", tmp_path)
    assert shown.code == 0
    assert "\x1b" not in shown.out
    assert "E2/[red]�[2J: 1 passed · 0 failed · 0 invalid" in shown.out
