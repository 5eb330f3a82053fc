"""Searching: questions, numbers, issues."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.archive.tables import table

from worktrial.archive.pages import PageContent, Route
from worktrial.archive.search.index import Searcher, is_index_of, write_entries
from worktrial.archive.search.words import IndexEntry, as_printed, entries, read_question, whole_numbers
from worktrial.archive.store.parts import StoredPart, write_slice
from worktrial.archive.store.record import DocumentRecord

NAMES = frozenset({"treasury", "bulletin"})
ISSUES = ("1939-02", "1939-08", "1940-04", "1941-01")
TOPICS = {
    3: ("Composition of the Public Debt", "Gross debt > Treasury notes", "1935 > June\n1938 > June", "36.3 10,023"),
    4: ("Budget Expenditures by Major Function", "National defense", "1939 > December", "1,580 2,602"),
    5: ("Composition of the General Fund", "Inactive gold", "1937", "1,087 2,554"),
}


def rows() -> Iterator[IndexEntry]:
    words = random.Random(5)
    for issue in ISSUES:
        document = f"treasury_bulletin_{issue.replace('-', '_')}"
        for page in range(1, 9):
            title, head, labels, body = TOPICS.get(page, ("Miscellany", "", "", "the debt and the budget"))
            text = f"{title}\n{head} {labels}\n{body} {words.randint(10_000, 99_999):,}"
            yield IndexEntry("page", document, issue, page, 0, title, head, labels, "In millions of dollars", text)
            if page in TOPICS:
                yield IndexEntry(
                    "table", document, issue, page, 1, title, head, labels, "In millions of dollars", body
                )


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Searcher:
    folder: Path = tmp_path_factory.mktemp("search") / "index"
    write_entries(folder, rows(), "of these")
    assert is_index_of(folder, "of these")
    return Searcher(folder, NAMES, frozenset(ISSUES))


def test_the_named_issue_comes_first(searcher: Searcher) -> None:
    hits = searcher.search(
        "In the August 1939 Treasury Bulletin, what share of the public debt do Treasury notes make up?"
    )
    assert (hits[0].document, hits[0].page, hits[0].table) == ("treasury_bulletin_1939_08", 3, None)
    two = searcher.search(
        "Compare national defense expenditures in the February 1939 and the January 1941 issues", limit=2
    )
    assert {(hit.document, hit.page) for hit in two} == {
        ("treasury_bulletin_1939_02", 4),
        ("treasury_bulletin_1941_01", 4),
    }


def test_numbers_are_whole_words(searcher: Searcher) -> None:
    for written in ("2,602", "2602"):
        hits = searcher.search(written)
        assert {hit.page for hit in hits} == {4}
        assert len(hits) == len(ISSUES)
        assert "2,602" in hits[0].snippet
    assert {hit.page for hit in searcher.search("36.3")} == {3}
    assert searcher.search("60") == []


def test_word_endings_do_not_matter(searcher: Searcher) -> None:
    assert searcher.search("expenditure functions")[0].page == 4


def test_tables_and_single_documents(searcher: Searcher) -> None:
    hits = searcher.search("inactive gold", kind="table")
    assert {(hit.page, hit.table) for hit in hits} == {(5, 1)}
    only = searcher.search("inactive gold", document="treasury_bulletin_1940_04", limit=50)
    assert {hit.document for hit in only} == {"treasury_bulletin_1940_04"}


def test_phrases(searcher: Searcher) -> None:
    assert searcher.search('"general fund"')[0].page == 5


@pytest.mark.parametrize(
    "query", ["", "   ", "?!", '"', "a" * 5000, "' OR 1=1 --", "NEAR(", "title:x AND (", "\0", "()*^"]
)
def test_odd_queries_are_no_trouble(searcher: Searcher, query: str) -> None:
    assert isinstance(searcher.search(query), list)


def test_questions_of_function_words_only(searcher: Searcher) -> None:
    assert searcher.search("the and of") != []
    assert searcher.search("debt", limit=0) == []


def test_reading_a_question() -> None:
    question = read_question(
        "Using the January 1941 Treasury Bulletin, how much was spent in calendar year 1940, compared with 1,234?",
        NAMES,
    )
    assert question.issues == ("1941-01",)
    assert question.years == (1940,)
    assert set(question.words) == {"spent", "calendar", "year", "1940", "compared", "1234"}
    assert read_question("debt at the end of June 1935", NAMES).issues == ()
    assert read_question("both the October 1940 and the March 1941 issues").issues == ("1940-10", "1941-03")
    assert read_question("the March 2010, June 2010, and Sept. 2010 bulletins").issues == (
        "2010-03",
        "2010-06",
        "2010-09",
    )


def test_separators_of_thousands() -> None:
    assert whole_numbers("1,234 and 12,345,678; 1,23 and 4,5678. In June,123") == (
        "1234 and 12345678; 1,23 and 4,5678. In June,123"
    )
    assert as_printed(whole_numbers("2,036.35 2.")) == "2036.35 2."


@pytest.mark.parametrize("text", ["1,234 5,678", "1,234, 5,678", "1,234,567,89 and 0,5", "12,345", ",", "1,2345"])
def test_all_commas_or_some(text: str) -> None:
    digits = "0123456789"
    kept = [
        c
        for i, c in enumerate(text)
        if not (
            c == ","
            and text[i - 1 : i] in set(digits)
            and len(run := text[i + 1 : i + 4]) == 3
            and all(d in digits for d in run)
            and text[i + 4 : i + 5] not in set(digits)
        )
    ]
    assert whole_numbers(text) == "".join(kept)


def test_a_page_follows_its_tables(tmp_path: Path) -> None:
    grid = [["", "1938", "1939"], ["Receipts", "1", "2"]]
    of_page = {1: 2, 2: 0, 3: 1, 4: 1}
    pages = [
        PageContent(
            n,
            100,
            100,
            Route.TEXT,
            f"words {n}" if n != 2 else " ",
            tuple(table(grid, number=k + 1, page=n) for k in range(many)),
        )
        for n, many in of_page.items()
    ]
    write_slice(tmp_path, "book", pages)
    part = StoredPart(tmp_path, DocumentRecord(name="book", kind="text", source="", issue=""))
    listed = [(entry.kind, entry.page, entry.table) for entry in entries([part])]
    one = [("table", 1, 1), ("table", 1, 2), ("page", 1, 0)]
    assert listed == [*one, ("table", 3, 1), ("page", 3, 0), ("table", 4, 1), ("page", 4, 0)]
    assert [entry.labels for entry in entries([part])][2].count("Receipts") == 2


def test_an_index_that_cannot_be_used_here(tmp_path: Path) -> None:
    write_entries(tmp_path / "index", rows(), "x")
    assert not is_index_of(tmp_path / "index", "other documents")
    assert not is_index_of(tmp_path / "nothing", "x")
    about = tmp_path / "index/about.json"
    assert is_index_of(tmp_path / "index", "x")
    about.write_text('{"of":"x","format":1}')
    assert not is_index_of(tmp_path / "index", "x")
    about.write_text("{")
    assert not is_index_of(tmp_path / "index", "x")


def test_periods_of_a_question() -> None:
    question = read_question(
        "receipts in April 2020, in fiscal year 2018 and in FY 2017, by the May 2020 bulletin", NAMES
    )
    assert question.periods == ("2020-04", "FY2018", "FY2017")
    assert read_question("the deficit of calendar year 2009").periods == ("2009-01", "2009-12")
    assert read_question("Smith 2009").periods == ()


def test_figures_of_the_period_asked_for_come_first(tmp_path: Path) -> None:
    told = ("Receipts", "Customs", "", "", "customs 5")
    written = [
        IndexEntry("page", f"bulletin_{year}_01", f"{year}-01", 1, 0, *told, when=f"{year - 1}-04")
        for year in range(1990, 2000)
    ]
    write_entries(tmp_path / "index", written, "x")
    searcher = Searcher(tmp_path / "index", NAMES, frozenset())
    assert searcher.search("customs in April 1994")[0].document == "bulletin_1995_01"


def test_scores_are_in_rank_order_whatever_is_asked(searcher: Searcher) -> None:
    for query in (
        "public debt and national defense in the August 1939 and the January 1941 issues",
        'the "inactive gold" and the debt',
        "the budget in the April 1940 bulletin",
    ):
        scores = [hit.score for hit in searcher.search(query, limit=40)]
        assert len(scores) > 8
        assert scores == sorted(scores, reverse=True)
    assert searcher.search("inactive gold", limit=1)[0].score == 1


def test_the_same_table_has_its_other_names(tmp_path: Path) -> None:
    forms = {
        "a_1990_03": ("TABLE FD-1.--Summary of Federal Debt, con.", ["Total", "Public", "Agency", "Other"]),
        "a_1991_03": ("Table FD-1—Summary of Federal Debt", ["Total", "Held", "Bonds", "Bills"]),
        "a_1992_03": (
            "TABLE FD-2.—Federal Securities Outstanding, March 1992",
            ["Total", "Public", "Agency", "Other"],
        ),
        "a_1993_03": ("TABLE X-1.—Gold", ["Weight", "Value"]),
    }
    parts = []
    for name, (title, heads) in forms.items():
        shown = table([["", *heads], ["1990", *map(str, range(len(heads)))]], title=title, unit="")
        (tmp_path / name).mkdir()
        write_slice(tmp_path / name, name, [PageContent(1, 100, 100, Route.TEXT, f"{title} words", (shown,))])
        parts.append(StoredPart(tmp_path / name, DocumentRecord(name=name, kind="text", source="", issue="")))
    write_entries(tmp_path / "index", entries(parts), "x")
    searcher = Searcher(tmp_path / "index", frozenset(), frozenset())
    found = {hit.document: hit for hit in searcher.search("federal gold", kind="table")}
    assert found["a_1990_03"].also == ("Federal Securities Outstanding, March 1992",)
    assert [found[name].documents for name in forms] == [2, 1, 2, 0]
    # By its other name it is found where that is not printed.
    assert {hit.document for hit in searcher.search("securities outstanding")} == {"a_1990_03", "a_1992_03"}
