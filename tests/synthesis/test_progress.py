"""Progress that is shown while it works."""

import asyncio

import pytest
from tests.synthesis.test_files import row

from worktrial.synthesis.progress import SynthesisProgress, display


def board() -> SynthesisProgress:
    found = SynthesisProgress(3, lambda: (1.25, 5000, True))
    for subject, stage, what in (
        ("a-1", "task", ""),
        ("a-2", "runs", ""),
        ("a-1", "repair", "why"),
        ("a-1", "done", "kept"),
        ("a-3", "done", "trivial"),
    ):
        found.moved(subject, stage, what)
    found.ran(row(0))
    found.ran(row(1, "invalid", kind="free"))
    return found


def test_the_board_counts_tasks_runs_and_spend() -> None:
    found = board()
    assert (found.done, found.kept, found.repairs) == (2, 1, 1)
    line = found.line()
    assert "1/3 tasks kept · 1 dropped · 1 calibration runs · 2 runs · 1 made harder or easier · $1.2500+" in line


def test_the_board_says_for_whom_it_waits() -> None:
    waiting = {"solver": 2, "judge": 0}
    found = SynthesisProgress(3, lambda: (0.0, 0, False), lambda: waiting)
    assert found.line().endswith(" · waits for solver (2)")
    waiting["solver"] = 0
    assert "waits" not in found.line()


def test_without_a_terminal_there_are_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    async def broken_off() -> None:
        async with display(board()):
            raise KeyError

    with pytest.raises(KeyError):
        asyncio.run(broken_off())
    assert capsys.readouterr().err.splitlines() == [board().line()]


def test_the_live_table_says_the_same() -> None:
    from rich.console import Console

    console = Console(width=120, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(board().table())
    text = console.export_text()
    assert "1/3; dropped: 1 trivial" in text
    assert "1 with the plan (1 passed, 0 invalid), 1 without (0 passed, 1 invalid)" in text
