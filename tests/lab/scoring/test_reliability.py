import random
from dataclasses import replace
from pathlib import Path

import pytest
from lab.__main__ import trust
from lab.scoring.calibration import calibrated, earned, fit, left_out, log_loss
from lab.scoring.reliability import ReadNumber, by_confidence, by_sums, numbers_read
from lab.scoring.truth import TruthTable
from msgspec.structs import replace as replace_record

from worktrial.archive.chances import CONSTANT, SLOPE, chance_of_reading
from worktrial.archive.meaning.trust import WEIGHTS, CellEvidence, SumOutcome, chance
from worktrial.archive.pages import Box, Cell, PageContent, Route, Table
from worktrial.archive.store.archive import Archive
from worktrial.archive.store.record import DocumentRecord
from worktrial.errors import DataError

PRINTED = [(f"19{n}", str(1000 * n + 7), str(300 * n + 5), str(1300 * n + 12)) for n in range(31, 39)]
TRUTH = TruthTable("T", "page", 1, tuple(PRINTED), header_rows=0, row_label_cols=1)


def page_read() -> PageContent:
    """The third column is the sum of the others; two figures are misread, and one of them is doubtful."""
    rows = [[Cell(r, c, text, confidence=0.98) for c, text in enumerate(row)] for r, row in enumerate(PRINTED)]
    rows[2][1] = Cell(2, 1, "38,007", confidence=0.3)
    rows[5][3] = Cell(5, 3, "45,812", confidence=1.0)
    nowhere = Box(0.0, 0.0, 0.0, 0.0)
    return PageContent(1, 10, 10, Route.OCR, "", (Table(1, 1, nowhere, tuple(map(tuple, rows))),))


def test_numbers_are_counted_right_by_their_confidence_and_by_the_sums_that_they_are_in() -> None:
    numbers = list(numbers_read(page_read(), [TRUTH]))
    bins = {one.name: (one.numbers, one.right, round(one.stated, 2)) for one in by_confidence(numbers)}
    assert bins == {"0-0.5": (1, 0, 0.3), "0.98-0.99": (22, 22, 0.98), "1": (1, 0, 1.0)}
    told = {one.name: (one.numbers, one.right) for one in by_sums(numbers)}
    assert told == {
        f"doubtful, {SumOutcome.FAILS}": (1, 0),
        f"not doubtful, {SumOutcome.HOLDS}": (18, 18),
        f"not doubtful, {SumOutcome.FAILS}": (5, 4),
    }
    assert all(one.interval.low <= one.share <= one.interval.high for one in by_sums(numbers))


def test_without_a_sum_nothing_is_said_of_it_and_what_truth_does_not_have_is_not_judged() -> None:
    page = page_read()
    (table,) = page.tables
    narrow = replace(table, rows=tuple(row[:3] for row in table.rows))
    numbers = list(numbers_read(replace(page, tables=(narrow,)), [replace(TRUTH, grid=TRUTH.grid[:4])]))
    assert len(numbers) == 8 and {one.evidence.sums for one in numbers} == {SumOutcome.UNKNOWN}
    assert not list(numbers_read(replace(page, tables=()), [TRUTH]))


def test_fitted_weights_give_back_the_chances_that_numbers_were_drawn_with() -> None:
    """Drawn with the weights of the package, of a recogniser that is sure by .2, .6 or .98."""
    rng = random.Random(5)
    numbers = []
    for _ in range(20_000):
        evidence = CellEvidence(
            chance_of_reading(rng.choice((0.2, 0.6, 0.98))), rng.choice(list(SumOutcome)), rng.random() < 0.2, False
        )
        numbers.append(ReadNumber(evidence.stated, evidence, rng.random() < chance(evidence)))
    fitted = fit(numbers)
    assert fitted[:5] == pytest.approx((CONSTANT, SLOPE, *WEIGHTS[:3]), abs=0.35)
    better = calibrated(numbers, fitted)
    assert log_loss(better) < 0.9 * log_loss(numbers)
    for one in by_confidence(better):
        assert one.numbers < 200 or abs(one.share - one.stated) < 0.02
    # Whatever is left out, it is not fitted to.
    apart = left_out([numbers[:10_000], numbers[10_000:]])
    assert len(apart) == 20_000 and apart != better and abs(log_loss(apart) - log_loss(better)) < 0.01


class Shelf:
    """An archive of the one page."""

    documents = (DocumentRecord(name="page", kind="pdf", source="page.pdf", pages=1, part="page"),)

    def page(self, document: str, number: int) -> PageContent:
        assert document in ("page", "copy") and number == 1
        return page_read()


def test_the_command_prints_the_diagram_and_refuses_an_archive_without_a_transcribed_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Archive, "open", lambda _: Shelf())
    rows = "".join(f"  {' | '.join(row)}\n" for row in PRINTED)
    for name in ("page", "other"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.yaml").write_text(f"read: by eye\nchecked: twice\ntables:\n- |\n{rows}", "utf-8")
    trust([tmp_path], tmp_path / "page")
    shown = capsys.readouterr().out
    assert "24 numbers, 0.917 right; stated on average" in shown
    assert "not doubtful, a sum of it holds" in shown and "0-0.5" in shown
    with pytest.raises(DataError, match="numbers of two pages"):
        trust([tmp_path], tmp_path / "page", refit=True)
    monkeypatch.setattr(Shelf, "documents", (*Shelf.documents, replace_record(Shelf.documents[0], name="copy")))
    (tmp_path / "page" / "copy.yaml").write_text((tmp_path / "page" / "page.yaml").read_text("utf-8"), "utf-8")
    trust([tmp_path], tmp_path / "page", refit=True)
    shown = capsys.readouterr().out
    assert "weights: constant" in shown and "46 numbers" in shown and "as stored" in shown
    with pytest.raises(DataError, match="has no number of a page"):
        trust([tmp_path], tmp_path / "other")


def test_pages_whose_layout_is_doubtful_are_fitted_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    doubtful = [one for one in numbers_read(replace(page_read(), layout=0.79), [TRUTH]) if one.evidence.stated < 1]
    assert all(one.evidence.irregular for one in doubtful)
    # Sums of eighteen of them hold.
    assert earned(doubtful) == (4, 5)
    sound = [one for one in numbers_read(page_read(), [TRUTH]) if one.evidence.stated < 1]
    assert fit([*sound, *doubtful]) == fit(sound) and not earned(sound).total

    class Doubtful(Shelf):
        def page(self, document: str, number: int) -> PageContent:
            return replace(page_read(), layout=0.79)

    shelves = {"sound": Shelf(), "worn": Doubtful()}
    monkeypatch.setattr(Shelf, "documents", (*Shelf.documents, replace_record(Shelf.documents[0], name="copy")))
    monkeypatch.setattr(Archive, "open", lambda folder: shelves[folder.name])
    rows = "".join(f"  {' | '.join(row)}\n" for row in PRINTED)
    for name in ("page", "copy"):
        (tmp_path / f"{name}.yaml").write_text(f"read: by eye\nchecked: twice\ntables:\n- |\n{rows}", "utf-8")
    trust([tmp_path / "sound", tmp_path / "worn"], tmp_path, refit=True)
    shown = capsys.readouterr().out
    assert "layout doubtful, no sum to prove it: 8 of 10 right (0.800)" in shown and "92 numbers" in shown
