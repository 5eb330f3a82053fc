"""What is shown while it works, and where it stops for a person."""

from pathlib import Path

import pytest
from tests.synthesis.any_drafts import task, workplace
from tests.synthesis.test_files import row

from worktrial.synthesis import files
from worktrial.synthesis.artifacts import JobSpec, SubTopic
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.pipeline import ProgressEvent, SlotEnd, slots_of, unchecked
from worktrial.synthesis.progress import SynthesisProgress, display
from worktrial.synthesis.session import Stops

SUBTOPIC = SubTopic(id="returns", title="Returns", about="Taking goods back.")


def board() -> SynthesisProgress:
    found = SynthesisProgress(2, 6, lambda: (1.25, 5000, True))
    for subject, stage, what in (
        ("suite", "subtopics", ""),
        ("suite", "slots", "3"),
        ("a", "reference", ""),
        ("a-1", "workplace", ""),
        ("a-2", "runs", ""),
        ("a-1", "repair", "why"),
        ("a-1", "done", "kept"),
        ("a-3", "done", "trivial"),
    ):
        found.moved(ProgressEvent(subject, stage, what))
    found.ran(row(0))
    found.ran(row(1, "invalid", kind="free"))
    return found


def test_the_board_counts_slots_runs_and_spend() -> None:
    found = board()
    assert (found.done, found.kept, found.repairs) == (2, 1, 1)
    line = found.line()
    assert "2/3 slots done · 1 kept · 1 rejected · 1 calibration runs · 2 runs · 1 repairs begun · $1.2500+" in line


def test_without_a_terminal_there_are_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KeyError), display(board()) as changed:
        changed()
        raise KeyError
    assert capsys.readouterr().err.splitlines() == [board().line()]


def test_the_live_table_says_the_same() -> None:
    from rich.console import Console

    console = Console(width=120, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(board().table())
    text = console.export_text()
    assert "2/3: 1 kept, 1 trivial" in text
    assert "1 with the plan (1 passed, 0 invalid), 1 without (0 passed, 1 invalid)" in text


def test_a_stop_comes_once_for_what_a_person_has_not_seen(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path)
    ledger = ProvenanceLedger(folder, warn=print)
    [slot] = slots_of(JobSpec(role="clerk", levels=[1]), [SUBTOPIC])
    ledger.write(folder.workplace(slot), files.WORKPLACE, workplace(), {}, "m")
    ledger.write(folder.task(slot), files.TASK, task(), {}, "m")
    drafted = [SlotEnd(slot, None, None, workplace(), task())]

    def stops() -> bool:
        found = Stops(folder)
        new = found.has_new_drafts(drafted, ledger)
        found.save()
        return new

    assert [stops(), stops()] == [True, False]
    # A repair is for the second stop, a change by hand needs none.
    ledger.write(folder.task(slot), files.TASK, task(1), {}, "m", repair=1)
    assert not stops()
    ledger.write(folder.task(slot), files.TASK, task(2), {}, "m")
    assert stops()
    ended = [SlotEnd(slot, unchecked(slot, workplace(), task(), [], 0), None, workplace(), task())]
    first, second = Stops(folder), Stops(folder)
    assert first.has_new_ends(ended)
    first.save()
    assert second.has_new_ends(ended)
    assert not Stops(folder).has_new_ends(ended)
