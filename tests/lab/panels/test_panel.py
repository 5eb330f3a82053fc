from collections import Counter
from pathlib import Path

import pytest
from lab.__main__ import print_standings
from lab.panels.engines import Line, Reader, Reading

from lab.panels import Count, cached, read_transcripts, standing
from worktrial.archive.pages import Box
from worktrial.errors import DataError

PLACE = Box(0.0, 0.0, 10.0, 10.0)


def reading(*texts: str, tables: tuple[str, ...] = ()) -> Reading:
    return Reading(tuple(Line(text, PLACE) for text in texts), tables)


READINGS = {
    "ours": reading("Total", "1,234", "567", tables=("1,234",)),
    "rapidocr": reading("Total 1,234 567 89.5"),
    "tesseract": reading("Total", "1,284", "567", "89.5"),
}


def test_by_the_truth_each_reader_has_its_right_and_wrong_numbers_and_the_best_engine_is_named() -> None:
    one = standing("p", READINGS, Counter({"1234": 1, "567": 1, "89.5": 1}))
    assert one.counts == {"ours": Count(2, 0), "rapidocr": Count(3, 0), "tesseract": Count(2, 1)}
    assert (one.best_bare, one.behind, one.missing, one.true) == ("rapidocr", 1, {"89.5": 1}, 3)
    assert one.outside == 1


def test_without_truth_a_number_counts_that_another_reader_has_too() -> None:
    one = standing("p", READINGS, None)
    assert one.counts == {"ours": Count(2, 0), "rapidocr": Count(3, 0), "tesseract": Count(2, 1)}
    assert one.true is None


def test_the_report_says_on_how_many_pages_an_engine_is_better_and_what_it_has(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    ahead = {**READINGS, "ours": reading("1,234 567 89.5 77")}
    truth = Counter({"1234": 1, "567": 1, "89.5": 1})
    print_standings([standing("behind\x1b[31m", READINGS, truth), standing("ahead", ahead, None)], show=5)
    shown = capsys.readouterr().out
    assert "rapidocr has 89.5" in shown
    assert "worse than a bare engine on 1 of 2 pages, by 1 numbers at most" in shown
    assert "transcribed" in shown and "by agreement" in shown and "\x1b[31m" not in shown


def test_a_reading_is_kept_until_the_page_or_its_reader_changes(tmp_path: Path) -> None:
    page, cache, asked = tmp_path / "page.pdf", tmp_path / "readings", []
    page.write_bytes(b"one")

    def read(path: Path, number: int) -> Reading:
        asked.append(number)
        return reading(path.read_text("utf-8"), tables=("7",))

    first = cached(Reader("engine", "1", read), page, 3, cache)
    assert cached(Reader("engine", "1", read), page, 3, cache) == first == reading("one", tables=("7",))
    assert asked == [3]
    page.write_bytes(b"two")
    assert cached(Reader("engine", "1", read), page, 3, cache).lines[0].text == "two"
    cached(Reader("engine", "2", read), page, 3, cache)
    assert asked == [3, 3, 3]
    with pytest.raises(DataError, match="cannot be written"):
        cached(Reader("engine", "3", read), page, 3, page / "below")


def test_transcribed_pages_are_read_and_one_that_cannot_serve_is_refused_by_its_field(tmp_path: Path) -> None:
    head = "read: by eye\nchecked: sums\n"
    page = tmp_path / "p1.yaml"
    page.write_text(head + "tables:\n- |\n  1939 January | 1,234 | -\n  May | 567.8 2/ |\nrest: 77", "utf-8")
    with pytest.raises(DataError, match="rest"):
        read_transcripts(tmp_path)
    page.write_text(page.read_text("utf-8").replace("rest: 77", "rest: p. 77"), "utf-8")
    one = read_transcripts(tmp_path)["p1"]
    assert one.numbers == {"1939": 1, "1234": 1, "567.8": 1, "77": 1}
    assert one.tables[0].grid == (("1939 January", "1,234", "-"), ("May", "567.8 2/", ""))
    for wrong, said in (
        ("read: by eye\ntables: []\n", "checked"),
        (head + "tables: []\n", "no number"),
        (head + "tables:\n- |\n  a | 12\n  b | 13 | 14\n", "row 2 has 3 cells"),
        (head + "tables: a\n", "list of texts"),
    ):
        page.write_text(wrong, "utf-8")
        with pytest.raises(DataError, match=said):
            read_transcripts(tmp_path)


def test_the_transcribed_pages_of_this_repository_can_be_read() -> None:
    folder = Path(__file__).parents[3] / "lab/panels/truth"
    pages = read_transcripts(folder)
    assert len(pages) >= 6
    assert all(page.tables for page in pages.values())
