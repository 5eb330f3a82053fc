"""The search of a handbook: which papers it finds, and how much of each it shows."""

from pathlib import Path
from typing import Any

from worktrial.suites.shifts import suite
from worktrial.suites.shifts.suite import ShiftChoice
from worktrial.workplaces.executable.declare import read_doc
from worktrial.workplaces.handbook import Handbook
from worktrial.workplaces.handbook.tools import handbook_functions

_FRONT = '---\nsection: "{}"\ntitle: "{}"\nissued: 2026-01-05\nkind: section\n---\n'


def _book(folder: Path, **texts: str) -> Handbook:
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(_FRONT.format(name, name) + text, encoding="utf-8")
    return Handbook(folder)


def test_a_row_of_a_table_is_found_and_not_shown(tmp_path: Path) -> None:
    rows = "| kind | minutes |\n|---|---|\n| pickup | 45 |"
    book = _book(tmp_path, times=f"All times are counted from the message.\n\n{rows}", table=rows)
    lines = {paper.section: line for paper, line in book.search("pickup minutes", {})}
    assert lines == {"times": "All times are counted from the message.", "table": "| kind | minutes |"}


def test_as_much_is_shown_of_a_korean_paragraph_as_of_an_english_one(tmp_path: Path) -> None:
    book = _book(tmp_path, en="word " * 60, ko="환불 " * 60)
    (_, english), (_, korean) = book.search("word", {})[0], book.search("환불", {})[0]
    assert english.endswith("…") and len(english) == 160
    assert korean.endswith("…") and 80 < len(korean) < 110


def test_no_line_that_a_search_shows_is_a_whole_rule_of_these_sections() -> None:
    openings = {
        "charge_nurse": {"3.5": "side room only", "4.3": "in place", "8.3": "slip"},
        "service_desk": {"2.4": "linked", "3.4": "refused", "4.4": "apart", "6.3": "no exceptions"},
        "credit_desk": {"2.2": "7.6", "7.3": "Today group"},
        "returns_desk": {"3.8": "이체", "7.1": "15분"},
    }
    for name, sections in openings.items():
        desk = suite.desks(ShiftChoice())[name]
        figures = desk.draw("half", 0).figures
        for number, rule in sections.items():
            paper = desk.handbook.section(number, figures)
            assert paper is not None and rule in paper.text
            found = {p.section: line for p, line in desk.handbook.search(f"{paper.title} {rule}", figures)}
            assert rule not in found[number]


def test_an_empty_query_lists_the_contents_and_the_description_says_so(tmp_path: Path) -> None:
    numbers = ["10", "8", "8.10", "8.2", "C-2026-03", *(f"9.{part}" for part in range(1, 18))]
    book = _book(tmp_path, **dict.fromkeys(numbers, "Some words."))
    search: Any = handbook_functions(book, dict)[0]
    assert "empty query" in read_doc(search).summary
    for query in ("", " ", "*"):
        first, second = (search({}, query, page) for page in (1, 2))
        assert first["total"] == 22
        shown = [hit["section"] for hit in (*first["hits"], *second["hits"])]
        assert shown[:4] == ["8", "8.2", "8.10", "9.1"] and shown[-2:] == ["10", "C-2026-03"]
        assert first["hits"][0]["title"] == "8"
    assert search({}, "nowhere")["total"] == 0
