"""The tools over a small archive: what they answer, and how they refuse."""

import asyncio
import base64
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from PIL import Image
from tests.archive.tools.asking import answer, asked, error
from tests.archive.tools.shelf import DOCUMENT, Shelf, shelf
from tests.sandbox.sessions import needs_sandbox

from worktrial.archive.tools.source import ToolLimits
from worktrial.archive.tools.toolbox import ToolBox
from worktrial.language import JsonObject
from worktrial.sandbox import PythonSession


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    yield shelf(tmp_path_factory.mktemp("shelf"))


def test_specs_are_function_specs_with_valid_schemas(archive: Shelf) -> None:
    specs = ToolBox(archive).specs
    names = [spec["function"]["name"] for spec in specs]
    assert names == ["list_documents", "search", "grep", "read_page", "read_table", "view_page", "sql"]
    for spec in specs:
        assert spec["type"] == "function" and "$" not in json.dumps(spec)
        parameters = spec["function"]["parameters"]
        Draft202012Validator.check_schema(parameters)
        assert all("description" in schema for schema in parameters["properties"].values())
    assert "cells(document, page, table_no" in specs[-1]["function"]["description"]


# Documents and search


def test_documents_are_listed_with_what_they_hold(archive: Shelf) -> None:
    listed = answer(archive, "list_documents")
    assert listed["total"] == 3
    assert listed["documents"][0] == {
        "document": DOCUMENT, "pages": 3, "tables": 1, "issue": "1939-02", "confidence": 0.9
    }  # fmt: skip
    assert listed["documents"][2]["trouble"] == "could not be read"
    assert "secret" not in json.dumps(listed)


def test_a_long_list_of_documents_comes_in_parts(archive: Shelf) -> None:
    limits = ToolLimits(entries=2)
    first = answer(archive, "list_documents", limits)
    assert len(first["documents"]) == 2 and "first=3" in first["note"]
    rest = answer(archive, "list_documents", limits, first=3)
    assert [d["document"] for d in rest["documents"]] == ["bulletin_1941_02"] and "note" not in rest
    assert answer(archive, "list_documents", contains="1940")["total"] == 1
    assert "None of the 3" in answer(archive, "list_documents", contains="1999")["note"]


def test_search_finds_pages_and_tables(archive: Shelf) -> None:
    pages, tables, nothing = asked(
        archive,
        ("search", {"query": "budget results"}),
        ("search", {"query": "budget", "kind": "table", "document": DOCUMENT}),
        ("search", {"query": "zebra"}),
    )
    assert {(h["document"], h["page"]) for h in pages["hits"]} == {(DOCUMENT, 1), ("bulletin_1940_02", 1)}
    assert tables["hits"][0]["table"] == 1
    assert nothing["hits"] == [] and "Nothing matches" in nothing["note"]
    first = answer(archive, "search", query="budget results", limit=1)
    assert len(first["hits"]) == 1 and first["note"].startswith("1 more of the next 1 score 0.5 or more")


def test_grep_takes_expressions_and_plain_text(archive: Shelf) -> None:
    found, plain, none, limited = asked(
        archive,
        ("grep", {"pattern": r"^Feb\w+\s+1,2\d0"}),
        ("grep", {"pattern": "12.5% (est.)", "literal": True}),
        ("grep", {"pattern": "FEBRUARY", "ignore_case": False}),
        ("grep", {"pattern": "annex", "limit": 5}),
    )
    assert found["lines"] == [{"document": DOCUMENT, "page": 1, "line": 4, "text": "February  1,250  1,5OO"}]
    assert plain["lines"][0]["text"] == "Rise of 12.5% (est.)"
    assert none["lines"] == []
    assert len(limited["lines"]) == 5 and "there are more" in limited["note"]


@pytest.mark.parametrize("pattern", ["(a*)*b", "(a|aa)+$", "(.*)*(.*)*(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$"])
def test_patterns_that_explode_elsewhere_are_answered(archive: Shelf, pattern: str) -> None:
    assert "lines" in answer(archive, "grep", ToolLimits(seconds=5), pattern=pattern)


@pytest.mark.parametrize("pattern", ["(", r"(a)\1", "(?=a)", "a{1001}", "((a{500}){500}){500}"])
def test_what_is_no_pattern_is_refused(archive: Shelf, pattern: str) -> None:
    told = error(archive, "grep", pattern=pattern)
    assert told["type"] == "invalid_query" and told["field"] == "pattern"


# Pages and tables


def test_a_page_as_text_says_where_it_is_from(archive: Shelf) -> None:
    text = answer(archive, "read_page", document=DOCUMENT, page=1)
    head, _, body = text.partition("\n")
    assert head == f"[{DOCUMENT}, page 1 of 3; read from its picture; confidence 0.90; tables: 1]"
    assert body == archive.page(DOCUMENT, 1).text
    assert "no text" in answer(archive, "read_page", document=DOCUMENT, page=3)


def test_a_page_as_markdown_has_every_figure_as_printed(archive: Shelf) -> None:
    text = answer(archive, "read_page", document=DOCUMENT, page=1, format="markdown")
    assert "| February | 1,250 | 1,5OO |" in text
    assert "In millions of dollars" in text and "1/ Preliminary." in text
    # What a table has is not printed a second time, and what none has is not lost.
    assert text.count("1,250") == 1 and text.count("Preliminary") == 1
    rest = text[text.index("```text") :]
    assert "Rise of 12.5% (est.)" in rest and "February" not in rest


def test_a_long_page_comes_in_parts_that_make_the_whole(archive: Shelf) -> None:
    limits = ToolLimits(characters=5000)
    lines: list[str] = []
    first = 1
    while True:
        text = answer(archive, "read_page", limits, document=DOCUMENT, page=2, first_line=first)
        assert len(text) < 5300
        _, *body = text.split("\n")
        more = body[-1].startswith("[lines ")
        lines += body[:-1] if more else body
        if not more:
            break
        assert f"first_line={len(lines) + 1}" in body[-1]
        first = len(lines) + 1
    assert "\n".join(lines) == archive.page(DOCUMENT, 2).text
    assert error(archive, "read_page", document=DOCUMENT, page=2, first_line=4000)["field"] == "first_line"


def test_a_table_is_read_with_all_it_means(archive: Shelf) -> None:
    table = answer(archive, "read_table", document=DOCUMENT, page=1)
    assert table["table"] == f"{DOCUMENT}:1:t1"
    assert (table["title"], table["unit"], table["notes"]) == (
        "Budget results", "In millions of dollars", ["1/ Preliminary."]
    )  # fmt: skip
    assert table["headers"]["2"] == "Outlays"
    assert table["body"][2] == {"row": 2, "cells": ["February", "1,250", "1,5OO"]}
    assert table["doubtful"] == "1 of 12 cells: r2 c2. Their other readings: ask with readings=true."
    assert answer(archive, "read_table", document=DOCUMENT, page=1, readings=True)["doubtful"] == [
        {"cell": f"{DOCUMENT}:1:t1:r2:c2", "text": "1,5OO", "confidence": 0.3, "or": ["1,500", "1,590"]}
    ]


def test_a_doubtful_layout_is_told_with_the_page_and_with_its_tables(tmp_path: Path) -> None:
    own = shelf(tmp_path)
    own.contents[DOCUMENT][0] = replace(own.contents[DOCUMENT][0], layout=0.4)
    told = "layout doubtful: 40% of the figures stand in regular rows and columns"
    page, table = asked(
        own, ("read_page", {"document": DOCUMENT, "page": 1}), ("read_table", {"document": DOCUMENT, "page": 1})
    )
    assert f"; {told}]" in page and table["trust"] == told
    assert "no table 7" in error(own, "read_table", document=DOCUMENT, page=1, table=7)["message"]


def test_a_long_table_comes_in_parts(archive: Shelf) -> None:
    limits = ToolLimits(characters=120)
    first = answer(archive, "read_table", limits, document=DOCUMENT, page=1)
    assert [row["row"] for row in first["body"]] == [0, 1] and "first_row=2" in first["note"]
    assert "doubtful" not in first
    rest = answer(archive, "read_table", limits, document=DOCUMENT, page=1, first_row=2)
    assert [row["row"] for row in rest["body"]] == [2, 3] and "note" not in rest
    assert error(archive, "read_table", document=DOCUMENT, page=1, first_row=4)["field"] == "first_row"


def picture_of(answered: JsonObject) -> Image.Image:
    kind, _, content = answered["picture"].partition(",")
    assert kind == "data:image/png;base64"
    return Image.open(io.BytesIO(base64.b64decode(content)))


def test_a_page_is_seen_whole_and_in_part(archive: Shelf) -> None:
    limits = ToolLimits(picture_side=400)
    whole = picture_of(answer(archive, "view_page", limits, document=DOCUMENT, page=1))
    assert whole.size == (300, 400)
    part = picture_of(answer(archive, "view_page", limits, document=DOCUMENT, page=1, part=[0, 0, 0.5, 0.5]))
    assert part.size == (300, 400)
    assert part.convert("RGB").getpixel((299, 399)) == (255, 0, 0)
    other = picture_of(answer(archive, "view_page", limits, document=DOCUMENT, page=1, part=[0.5, 0.5, 1, 1]))
    assert other.convert("RGB").getpixel((0, 0)) == (255, 255, 255)


def test_a_picture_keeps_to_its_size(archive: Shelf) -> None:
    answered = answer(archive, "view_page", ToolLimits(picture_bytes=1500), document=DOCUMENT, page=1)
    assert len(answered["picture"]) < 2100
    assert picture_of(answered).size == (answered["width"], answered["height"])


def test_a_part_that_is_none_and_a_picture_that_is_gone(archive: Shelf) -> None:
    assert error(archive, "view_page", document=DOCUMENT, page=1, part=[0.5, 0, 0.5, 1])["field"] == "part"
    gone = error(archive, "view_page", document=DOCUMENT, page=2)
    assert gone["type"] == "no_picture" and "secret" not in gone["message"]


# Python


@needs_sandbox
def test_python_reaches_the_archive_through_rows(archive: Shelf) -> None:
    async def run() -> list[Any]:
        async with PythonSession() as python:
            box = ToolBox(archive, python=python)
            codes = [
                "q = \"SELECT value FROM cells WHERE header = 'Receipts' AND label <> 'Total' AND NOT is_header\"\n"
                "sum(r['value'] for r in rows(q))",
                "rows('DROP TABLE cells')",
                "rows(1)",
                "print('x')",
                "y = 3",
            ]
            answers: list[Any] = [await box.call("python", {"code": code}) for code in codes]
            answers.append([s["function"] for s in box.specs][-1])
            await box.aclose()
            return answers

    summed, dropped, wrong, printed, silent, spec = asyncio.run(run())
    assert summed == {"value": "2350.0"}
    assert "only SELECT" in dropped["error"]
    assert "one SELECT statement as a string" in wrong["error"]
    assert printed == {"stdout": "x\n"}
    assert "nothing was printed" in silent["note"]
    assert (
        spec["name"] == "python" and "30 seconds" in spec["description"] and "at most 10,000" in spec["description"]
    )


@needs_sandbox
def test_python_may_not_take_all_rows(archive: Shelf) -> None:
    async def run() -> Any:
        async with PythonSession() as python:
            box = ToolBox(archive, python=python, limits=ToolLimits(python_rows=10))
            answered = await box.call("python", {"code": "rows('FROM range(11)')"})
            await box.aclose()
            return answered

    assert "more than 10 rows" in asyncio.run(run())["error"]


def test_a_real_archive_answers_every_tool(tmp_path: Path) -> None:
    from tests.support.pdfs import lines, pdf, table_page

    from worktrial.archive.building.build import build
    from worktrial.archive.store.archive import Archive

    rows = ("1936|1,100|200|1,300", "1937|1,250|250|1,500", "1938|2,345|655|3,000")
    (tmp_path / f"{DOCUMENT}.pdf").write_bytes(pdf(table_page("Budget Receipts", *rows), lines("Gross debt, 12%")))
    build([tmp_path / f"{DOCUMENT}.pdf"], tmp_path / "archive", workers=1)
    listed, found, lines_, page, table, picture, summed = asked(
        Archive.open(tmp_path / "archive"),
        ("list_documents", {}),
        ("search", {"query": "gross debt"}),
        ("grep", {"pattern": "2,345"}),
        ("read_page", {"document": DOCUMENT, "page": 2}),
        ("read_table", {"document": DOCUMENT, "page": 1}),
        ("view_page", {"document": DOCUMENT, "page": 1}),
        ("sql", {"query": "SELECT max(value) FROM cells"}),
    )
    assert listed["documents"][0]["document"] == DOCUMENT
    assert found["hits"][0]["page"] == 2
    assert lines_["lines"][0]["page"] == 1
    assert "Gross debt" in page
    assert table["body"][-1]["cells"] == ["1938", "2,345", "655", "3,000"]
    assert max(picture_of(picture).size) == 1600
    assert summed["rows"] == [[3000.0]]
