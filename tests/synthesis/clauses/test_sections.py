"""Sections of documents: their numbers and pages, and the papers that are made of them."""

from pathlib import Path

import pytest
from tests.support.pdfs import lines, pdf

from worktrial.errors import SettingError
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.quotes import NotQuoted, place_of, uncovered
from worktrial.synthesis.clauses.sections import HandbookSection, SectionPart, sections_of, write_handbook
from worktrial.synthesis.sources import load
from worktrial.workplaces.handbook import Handbook

EXAMPLE = Path(__file__).parents[3] / "examples" / "parcel-claims"


def sections(folder: Path, *private: str, **documents: str) -> list[HandbookSection]:
    for name, text in documents.items():
        (folder / f"{name}.{'md' if '#' in text else 'txt'}").write_text(text)
    return sections_of(load([folder]), private)


def numbers(found: list[HandbookSection]) -> list[str]:
    return [section.number for section in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Desk\nx\n## 1. Scope\na\n## 4.2 Late\nb\n## 4.2 Later\nc", ["0", "1", "4.2", "4.2a"]),
        ("# A\nx\n## B\ny\n## C\nz\n# D\nw", ["1", "1.1", "1.2", "2"]),
        ("# 제3장 기한\n7일 이내", ["3"]),
        ("# § 12 Fees\nx\n# Section 13: Refunds\ny", ["12", "13"]),
        ("1. Scope\n\nIt is so.\n1. an item of a list.\n\n2 Terms\n\nLate is late.\n", ["1", "2"]),
        ("No heading anywhere.", ["1"]),
    ],
)
def test_a_section_has_the_number_of_its_heading_or_of_its_place(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    assert numbers(sections(tmp_path, desk=text)) == expected


def test_numbers_name_the_document_where_there_are_several(tmp_path: Path) -> None:
    assert numbers(sections(tmp_path, desk="# 1. A\nx", memo="# 1. B\ny")) == ["desk-1", "memo-1"]


def test_a_document_more_renames_no_section_of_the_others(tmp_path: Path) -> None:
    def clause(document: str, section: str) -> Clause:
        return Clause(id="C-01", document=document, section=section, quote="within 7 days", kind="deadline")

    sections(tmp_path, desk="# 1. A\nx", answers="# 1. B\ny")
    both = load([tmp_path])
    assert numbers(sections_of(both)) == ["answers-1", "desk-1"]
    assert numbers(sections_of(both, earlier=[clause("desk", "1")])) == ["answers-1", "1"]
    (tmp_path / "answers.md").unlink()
    assert numbers(sections_of(load([tmp_path]), earlier=[clause("desk", "desk-1")])) == ["desk-1"]


def test_an_interface_is_not_one_of_the_procedures() -> None:
    found = sections_of(load([EXAMPLE / "procedure.md", EXAMPLE / "api.yaml"]))
    assert numbers(found) == ["api-1", *"012345678"]
    assert [section.kind for section in found[:2]] == ["interface", "procedure"]
    assert found[4].title == "Deadlines"


def test_pages_of_a_pdf_are_kept_and_a_section_goes_on_over_them(tmp_path: Path) -> None:
    pages = (
        lines("1 Scope", "All claims are decided here by the desk."),
        lines("It also pays.", "2 Deadlines", "Within 7 days."),
    )
    (tmp_path / "desk.pdf").write_bytes(pdf(*pages))
    scope, deadlines = sections_of(load([tmp_path]))
    assert [(part.page, part.text) for part in scope.parts][1] == (2, "It also pays.")
    assert (deadlines.number, deadlines.title, deadlines.parts[0].page) == ("2", "Deadlines", 2)
    assert place_of("it also pays.", scope).page == 2


def test_papers_of_the_handbook_say_what_the_sections_say(tmp_path: Path) -> None:
    text = "# 1. Forms\nWrite {{ name }} {% here %} and {# there #}.\n# 2. Secret\nnobody knows"
    found = sections(tmp_path, "2", desk=text)
    assert [section.private for section in found] == [False, True]
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "old.md").write_text("gone")
    write_handbook(folder, found[:1])
    (paper,) = Handbook(folder).on({})
    assert (paper.section, paper.title, paper.text) == ("1", "Forms", found[0].text)
    write_handbook(folder, found, precedence=["memo", "desk"])
    first, _, secret = sorted(folder.glob("*.md"))
    assert "the first of them counts: memo, then desk" in first.read_text()
    assert "private: true" in secret.read_text()


def test_a_private_section_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="private 9: there is no such document or section; there are desk, 1"):
        sections(tmp_path, "9", desk="# 1. A\nx")


TEXT = """- The claim arrives within **7 days**
  after delivery – not later.
- A lost par-
  cel is traced: “at once”."""
SECTION = HandbookSection(document="desk", number="3", title="Deadlines", parts=[SectionPart(text=TEXT)])


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("the claim arrives within 7 days after delivery", "The claim arrives within **7 days** after delivery"),
        ("within 7 days after delivery - not later", "within **7 days** after delivery – not later."),
        ('a lost parcel is traced: "at once"', "A lost par- cel is traced: “at once"),
    ],
)
def test_a_quote_is_given_back_in_the_words_of_the_document(quote: str, found: str) -> None:
    assert place_of(quote, SECTION).quote == found


@pytest.mark.parametrize(
    ("quote", "why"),
    [
        ("the claim arrives within 8 days", "does not stand in section 3"),
        ("the claim arrives ... not later", "leaves words out"),
        ("after delivery - not later. - A lost parcel", "several items"),
        ("7 days", "fewer than 3 words"),
        ("laim arrives within 7 da", "does not stand"),
        ("", "does not stand"),
    ],
)
def test_what_is_no_quote_is_refused_with_the_reason(quote: str, why: str) -> None:
    with pytest.raises(NotQuoted, match=why):
        place_of(quote, SECTION)


def test_sentences_that_bind_and_no_quote_touches_are_listed() -> None:
    text = (
        "The desk is open.\nIt must answer within 5 days. It is a nice desk.\n- Nothing is paid twice to anybody."
    )
    section = HandbookSection(document="desk", number="1", title="Desk", parts=[SectionPart(text=text)])
    assert uncovered(section, []) == ["It must answer within 5 days.", "- Nothing is paid twice to anybody."]
    assert uncovered(section, [place_of("must answer within 5", section)]) == [
        "- Nothing is paid twice to anybody."
    ]


@pytest.mark.parametrize(
    ("quote", "why"),
    [
        ("Plus 600.00", None),
        ("Basic | 120.00", None),
        ("no vouchers", None),
        ("**Secure** 2,500.00", None),
        ("paid for", "only where they are a whole cell"),
        ("Plus", "has 1 words"),
    ],
)
def test_two_words_are_quoted_where_they_are_a_whole_item_or_cell(quote: str, why: str | None) -> None:
    cover = "Cover: Basic 120.00, Plus 600.00, **Secure** 2,500.00."
    text = f"{cover}\n\n| Basic | 120.00 |\n\n- no vouchers\n- paid for once"
    section = HandbookSection(document="desk", number="1", title="Cover", parts=[SectionPart(text=text)])
    if why is None:
        assert place_of(quote, section).quote.replace("*", "").rstrip(".") == quote.replace("*", "")
    else:
        with pytest.raises(NotQuoted, match=why):
            place_of(quote, section)
