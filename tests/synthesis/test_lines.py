"""Files of records, and calibration runs."""

import tempfile
from pathlib import Path

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from worktrial.synthesis.artifacts import Reject, RunRow
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.lines import Lines
from worktrial.synthesis.runs import RunBook

ROWS = st.lists(st.builds(Reject, slot=st.text(min_size=1), stage=st.just("filter"), why=st.text(min_size=1)))


@settings(max_examples=60, deadline=None)
@given(rows=ROWS, cut=st.integers(0, 400))
def test_a_torn_tail_costs_at_most_the_last_record(rows: list[Reject], cut: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rejects.jsonl"
        lines = Lines(path, Reject)
        ends = [0]
        for row in rows:
            lines.add(row)
            ends.append(path.stat().st_size)
        if rows:
            keep = min(cut, ends[-1])
            with path.open("r+b") as file:
                file.truncate(keep)
            whole = sum(end <= keep for end in ends) - 1
            assert list(Lines(path, Reject)) == rows[:whole]
        again = Lines(path, Reject)
        again.add(Reject(slot="s", stage="checks", why="w"))
        assert list(Lines(path, Reject)) == again.records


def row(number: int, outcome: str = "pass", content: str = "c1", kind: str = "plan") -> RunRow:
    return msgspec.convert(
        {
            "slot": "s-1",
            "kind": kind,
            "number": number,
            "content": content,
            "outcome": outcome,
            "reason": "said secret-key-1234",
            "calls": 1,
            "seconds": 0.1,
            "cost": None,
            "tokens": 5,
            "trajectory": {"messages": ["long"]},
        },
        RunRow,
    )


def test_runs_count_for_their_content_and_settings_only(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path)
    book = RunBook(folder, "settings-1")
    for r in (row(0), row(1, "fail"), row(2, "invalid"), row(0, content="c2")):
        book.add(r)
    for again in (book, RunBook(folder, "settings-1")):
        assert [(r.number, r.outcome) for r in again.have("s-1", "c1")] == [(0, "pass"), (1, "fail")]
        assert [r.number for r in again.have("s-1", "c2")] == [0]
        assert all(r.trajectory is None for r in again.have("s-1", "c1"))
        assert [r.trajectory for r in again.full("s-1", "c1")] == [{"messages": ["long"]}] * 3
    assert RunBook(folder, "settings-2").have("s-1", "c1") == []


def test_a_run_that_came_to_no_verdict_counts_as_its_last_trial(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path)
    RunBook(folder, "s").add(row(0, "invalid"))
    book = RunBook(folder, "s")
    book.add(row(0, "fail"))
    assert [r.outcome for r in book.have("s-1", "c1")] == ["fail"]
    assert [r.outcome for r in RunBook(folder, "s").full("s-1", "c1")] == ["fail"]


def test_no_key_gets_into_a_stored_run(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path)
    RunBook(folder, "s", lambda line: line.replace(b"secret-key-1234", b"[key]")).add(row(0))
    assert b"secret" not in folder.runs("s-1").read_bytes()
    assert "[key]" in RunBook(folder, "s").have("s-1", "c1")[0].reason
