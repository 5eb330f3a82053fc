"""What an agent saw, from its calls."""

from typing import Any

from worktrial.suites.documents.question import GoldPage
from worktrial.suites.documents.trace import retrieval_measures, trace_of
from worktrial.workplaces import Observation, Origin, ToolCall

A2, A3, B1 = GoldPage("a", 2), GoldPage("a", 3), GoldPage("b", 1)


def _call(tool: str, arguments: Any, content: dict[str, Any]) -> ToolCall:
    return ToolCall(0, 0, tool, arguments, Observation(content, Origin.EXECUTABLE))


def _search(*pages: GoldPage) -> ToolCall:
    return _call("search", {"query": "q"}, {"hits": [{"document": d, "page": p, "score": 1.0} for d, p in pages]})


def _read(page: GoldPage, **content: Any) -> ToolCall:
    return _call("read_page", page._asdict(), {**page._asdict(), "text": "t", **content})


def test_what_was_opened_found_and_queried() -> None:
    trace = trace_of(
        [
            _search(B1, A2, B1),
            _read(B1),
            _call("read_table", {"document": "x", "page": 9}, {"table": "a:2:t1", "body": []}),
            _read(B1),
            _call("view_page", A3._asdict(), {"error": {"type": "no_picture"}}),
            _call("sql", {"query": "SELECT …"}, {"columns": ["document", "page"], "rows": [["a", 3], ["a", 3]]}),
        ]
    )
    assert trace.opened == (B1, A2)
    assert trace.searches == ((B1, A2),)
    assert trace.queried == (A3,)
    assert trace.seen == {A2, A3, B1}
    assert not trace.unrecorded


def test_a_query_shows_the_places_that_its_rows_name_and_is_not_read_for_others() -> None:
    where = "select text from cells where document = 'a' and page = 2"
    unsaid = trace_of([_call("sql", {"query": where}, {"columns": ["text"], "rows": [["1"]]})])
    assert not unsaid.queried and unsaid.unrecorded
    nothing = trace_of([_call("sql", {"query": where}, {"columns": ["text"], "rows": []})])
    assert not nothing.queried and not nothing.unrecorded
    columns, rows = (
        ["text", "page", "document", "table_no"],
        [["1", 2, "a", 1], ["2", 3, "a", None], ["3", None, "b", 1]],
    )
    told = trace_of([_call("sql", {"query": "from cells"}, {"columns": columns, "rows": rows})])
    assert told.queried == (A2, A3) and not told.unrecorded


def test_python_that_asks_the_archive_itself() -> None:
    def said(code: str) -> bool:
        return trace_of([_call("python", {"code": code}, {"value": "1"})]).unrecorded

    assert said("rows('select 1')")
    assert not said("sum([1, 2])") and not said("arrows(1)")


def test_measures() -> None:
    measures = retrieval_measures([A2, A3], trace_of([_search(B1, A2), _search(A3), _read(B1), _read(A2)]))
    assert measures["page_recall"] == measures["seen_recall"] == 0.5
    assert (measures["ever_opened"], measures["first_open"]) == (True, 2)
    assert measures["search_recall"] == {"1": 0.5, "5": 1.0, "10": 1.0, "20": 1.0}
    assert measures["opened"] == ["b:1", "a:2"]
    nothing = retrieval_measures([A2], trace_of([]))
    assert (nothing["ever_opened"], nothing["first_open"], nothing["page_recall"]) == (False, None, 0.0)
    assert "ever_opened" not in retrieval_measures([], trace_of([_read(A2)]))
