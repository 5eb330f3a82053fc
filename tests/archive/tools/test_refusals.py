"""How the tools answer calls that make no sense."""

from collections.abc import Iterator

import pytest
from tests.archive.tools.asking import answer, asked, error
from tests.archive.tools.shelf import DOCUMENT, Shelf, shelf

from worktrial.language import JsonObject


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    yield shelf(tmp_path_factory.mktemp("shelf"))


def test_an_unknown_document_brings_the_nearest_names(archive: Shelf) -> None:
    told = error(archive, "read_page", document="bulletin_1939_2.pdf", page=1)
    assert (told["type"], told["field"]) == ("unknown_document", "document")
    assert f"Did you mean {DOCUMENT}" in told["message"]
    assert error(archive, "search", document="zzz", query="x")["type"] == "unknown_document"
    assert error(archive, "grep", document="zzz", pattern="x")["type"] == "unknown_document"


def test_an_unreadable_document_says_so(archive: Shelf) -> None:
    told = error(archive, "read_page", document="bulletin_1941_02", page=1)
    assert told["type"] == "unreadable_document" and "secret" not in told["message"]


@pytest.mark.parametrize("page", [0, -1, 4, 10**9])
def test_a_page_out_of_range_brings_the_range(archive: Shelf, page: int) -> None:
    told = error(archive, "read_page", document=DOCUMENT, page=page)
    assert told["field"] == "page" and "1 to 3" in told["message"]


def test_an_unknown_table_brings_those_that_are_there(archive: Shelf) -> None:
    told = error(archive, "read_table", document=DOCUMENT, page=1, table=2)
    assert told["field"] == "table" and "1 (Budget results)" in told["message"]
    assert "no table was found" in error(archive, "read_table", document=DOCUMENT, page=2)["message"]


@pytest.mark.parametrize(
    ("arguments", "field", "words"),
    [
        ({}, "document", "required"),
        ({"document": DOCUMENT}, "page", "required"),
        ({"document": DOCUMENT, "page": "1"}, "page", "not of type 'integer'"),
        ({"document": DOCUMENT, "page": 1, "pages": 2}, "pages", "expected are document, page"),
        ({"document": DOCUMENT, "page": 1, "format": "html"}, "format", "not one of"),
        ({"document": DOCUMENT, "page": 1, "first_line": 0}, "first_line", "minimum"),
    ],
)
def test_arguments_that_do_not_fit_are_named(archive: Shelf, arguments: JsonObject, field: str, words: str) -> None:
    told = error(archive, "read_page", **arguments)
    assert told["type"] == "invalid_arguments" and told["field"] == field and words in told["message"]


def test_nulls_stand_for_what_was_not_given(archive: Shelf) -> None:
    assert "hits" in answer(archive, "search", query="budget", document=None, limit=None)


def test_arguments_that_are_no_object_and_tools_that_are_none(archive: Shelf) -> None:
    listed, unknown, python = asked(archive, ("search", ["x"]), ("fly", {}), ("python", {"code": "1"}))
    assert listed["error"]["type"] == "invalid_arguments"
    assert unknown["error"]["type"] == "unknown_tool" and "read_table" in unknown["error"]["message"]
    assert python["error"]["type"] == "unknown_tool"
