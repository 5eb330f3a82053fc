"""Labels of people beside a run: many writers, and everything that may be wrong with the file."""

import re
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.results.runs import record

from worktrial.engine.manifest import Manifest, SessionRecord
from worktrial.errors import DataError
from worktrial.results.labels import LABELS, LabelBook, LabelVerdict, ReaderOpinion, calls_of

RECORDS = [record("a", calls=3), record("b", "fail"), record("c", "invalid"), record("a", "fail", "E2", 1, calls=1)]
CALLS = calls_of(RECORDS)


def _manifest(began: str = "2026-01-01T00:00:00") -> Manifest:
    session = SessionRecord(started=began, command=[])
    return Manifest(suite="s", data={}, settings={}, samples=3, sessions=[session])


def _opinion(sample: str = "a", reader: str = "Ada", verdict: str = "pass", **more: Any) -> ReaderOpinion:
    given = {"sample": sample, "repeat": 0, "reader": reader, "verdict": verdict, **more}
    return msgspec.convert(given, ReaderOpinion)


@pytest.fixture
def book(tmp_path: Path) -> LabelBook:
    (tmp_path / "first").mkdir()
    return LabelBook(tmp_path / "first", _manifest())


def test_the_last_word_of_each_reader_counts(book: LabelBook, tmp_path: Path) -> None:
    assert book.read(CALLS) == [] and book.path == tmp_path / LABELS
    book.add(_opinion(reason="looks <b>right</b>", call=2, line="a check", blind=True), CALLS)
    book.add(_opinion(reader=" Ben\u00a0 Bo ", verdict="unclear"), CALLS)
    book.add(_opinion(verdict="fail", condition="E2", repeat=1), CALLS)
    book.add(_opinion(verdict="fail"), CALLS)
    first, second, third = book.read(CALLS)
    assert (first.reader, first.verdict, first.reason) == ("Ada", LabelVerdict.FAIL, "")
    assert second.reader == "Ben Bo" and third.key == ("a", 1, "E2")
    assert len(book.path.read_bytes().splitlines()) == 4
    assert [*(tmp_path / "first").iterdir()] == []


def test_readers_at_once_lose_nothing(book: LabelBook, tmp_path: Path) -> None:
    def work(reader: str) -> None:
        own = LabelBook(tmp_path / "first", _manifest())
        for n in range(20):
            own.add(_opinion(reader=reader, reason="x" * 9000 + str(n)), CALLS)

    readers = [threading.Thread(target=work, args=(f"reader {n}",)) for n in range(4)]
    for one in readers:
        one.start()
    for one in readers:
        one.join()
    assert len(book.path.read_bytes().splitlines()) == 80
    assert {label.reason[-2:] for label in book.read(CALLS)} == {"19"}


def test_a_torn_last_line_is_passed_over_and_then_cut(book: LabelBook) -> None:
    book.add(_opinion(), CALLS)
    with book.path.open("ab") as file:
        file.write(b'{"run":"first","sam')
    assert len(book.read(CALLS)) == 1
    book.add(_opinion(sample="b"), CALLS)
    assert [label.sample for label in book.read(CALLS)] == ["a", "b"]


def test_other_runs_in_the_folder_have_labels_of_their_own(book: LabelBook, tmp_path: Path) -> None:
    second = LabelBook(tmp_path / "second", _manifest("2026-02-02T00:00:00"))
    second.add(_opinion("b"), CALLS)
    assert book.read(CALLS) == [] and book.others() == ["second"]
    again = LabelBook(tmp_path / "second", _manifest("2026-03-03T00:00:00"))
    with pytest.raises(DataError, match=r"labels\.jsonl:1: is a label of another run that was called second"):
        again.read(CALLS)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"verdict": "maybe"}, "damaged record: Invalid enum value 'maybe'"),
        ({"sample": "nobody"}, "no verdict of 'nobody', repeat 0, is in the run"),
        ({"sample": "c"}, "no verdict of 'c'"),
        ({"repeat": 5}, "no verdict of 'a', repeat 5"),
        ({"condition": "E3"}, "under E3"),
        ({"call": 3}, "'a' has 3 calls, and none with the index 3"),
        ({"call": -1}, "damaged record"),
        ({"reader": ""}, "damaged record"),
        ({"reader": 5}, "damaged record"),
    ],
)
def test_a_label_of_nothing_is_named(book: LabelBook, change: dict[str, Any], said: str) -> None:
    line = msgspec.to_builtins(book.add(_opinion(), CALLS))
    with book.path.open("ab") as file:
        file.write(msgspec.json.encode(line | change) + b"\n")
    with pytest.raises(DataError, match=rf"labels\.jsonl:2: .*{re.escape(said)}"):
        book.read(CALLS)


def test_what_cannot_be_stored_is_refused(book: LabelBook) -> None:
    for wrong in ({"sample": "c"}, {"call": 9}, {"reader": "\u202eAda"}, {"reader": "   "}, {"reason": "\ud800"}):
        with pytest.raises(ValueError):
            book.add(_opinion(**wrong), CALLS)
    assert not book.path.exists() or book.path.read_bytes() == b""
