"""A model that sees as the second reader: bounded, held against our own reading, and kept for a replay."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.support.cli import command
from tests.support.pdfs import BLANK, lines, pdf, table_page
from tests.support.request import ScriptedRequest
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial.archive import open_archive
from worktrial.archive.pages import LOW_CONFIDENCE, PageContent, Route
from worktrial.archive.producers.vision import UnusableReading, checked, read_tables

ROWS = ("1936|1,100|200|1,300", "1937|1,250|250|1,500", "1938|2,345|655|3,000")
SEEN = [
    ["Year", "Receipts", "Other", "Total"],
    ["1936", "1100", "200", "1,300"],
    ["1937", "1,260", "250", "1,500"],
    ["1938", "2,345", "655", "3,000"],
    ["1939", "9,999", "", "Budget"],
]


def _reply(*tables: Any) -> str:
    return json.dumps(
        {"tables": [{"rows": rows, "title": "T\x1b[0m", "unit": "", "header_rows": 1} for rows in tables]}
    )


def test_each_cell_is_as_sure_as_our_own_reading_allows(tmp_path: Path) -> None:
    (tmp_path / "budget.pdf").write_bytes(
        pdf(table_page("Budget Receipts", *ROWS), BLANK, lines("no table here"), table_page("Other", *ROWS))
    )

    def answer(request: ScriptedRequest) -> str:
        (content,) = [m["content"] for m in request.messages]
        assert content[1]["image_url"]["url"].startswith("data:image/png;base64,")
        return [f"```json\n{_reply(SEEN)}\n```", '{"tables": "none"}', '{"tables": []}'][
            len(server.of("agent")) - 1
        ]

    words = ["archive", "build", tmp_path / "budget.pdf", "-o", tmp_path / "a", "--workers", 1]
    with ScriptedServer(Script(agent=answer)) as server:
        vision = [*words, "--producer", "vision:agent-1", "--base-url", server.url]
        ran = command(*vision)
        assert ran.code == 0, ran.err
        # The blank page is shown to nobody.
        assert len(server.of("agent")) == 3 and "3 requests" in ran.err
        assert "1 documents were stored already" in command(*vision).said
        # The answers are kept: the same archive made anew asks nobody.
        shutil.rmtree(tmp_path / "a")
        again = command(*vision)
        assert again.code == 0 and len(server.of("agent")) == 3 and "3 from" in again.err
    archive = open_archive(tmp_path / "a")
    (table,) = archive.page("budget", 1).tables
    assert table.grid == SEEN and table.unit == "In millions of dollars" and table.title == "T�[0m"
    cells = {cell.text: (cell.confidence, cell.alternatives) for row in table.rows for cell in row}
    # The same number printed otherwise is the same; another is doubtful, with ours beside it.
    assert cells["2,345"] == (0.995, ()) and cells["1100"][0] >= LOW_CONFIDENCE and cells["1100"][1] == ()
    stated = {cell.text: cell.stated for row in table.rows for cell in row}
    assert cells["1,260"][1] == ("1,250",) and (stated["1,260"], stated["9,999"], stated["Budget"]) == (
        0.3,
        0.2,
        0.6,
    )
    assert max(cells[text][0] for text in ("1,260", "9,999", "Budget")) < LOW_CONFIDENCE
    assert "1 otherwise, 1 elsewhere" in str(archive.page("budget", 1).trouble)
    assert "gave no tables" in str(archive.page("budget", 3).trouble)
    # What it does not have stays, and is not sure any more.
    (ours,) = archive.page("budget", 4).tables
    assert ours.grid[1] == ["1936", "1,100", "200", "1,300"] and ours.rows[1][1].stated == 0.45
    # Another reader: the pages are read again.
    plain = command(*words)
    assert plain.code == 0 and "stored already" not in plain.said
    assert open_archive(tmp_path / "a").page("budget", 1).trouble is None
    for given, said in ((["--producer", "vision:"], "must be vision:MODEL"), (vision[-4:-2], "base")):
        refused = command(*words, *given)
        assert refused.code == 2 and said in refused.said, refused.said


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("no tables", "no"),
        ('{"tables": [{"rows": [[1]]}]}', "str"),
        ('{"tables": [{"rows": [["a"]], "more": 1}]}', "more"),
        (_reply(*[[["a"]]] * 21), "21 tables"),
        (_reply([["a"]] * 401), "401 rows"),
        (_reply([["a"] * 61]), "61 columns"),
        (_reply(*[[["a"] * 60] * 100] * 2), "more than are taken"),
    ],
)
def test_replies_that_are_no_reading(reply: str, said: str) -> None:
    with pytest.raises(UnusableReading, match=said):
        read_tables(reply, 1)


def test_a_doubtful_layout_of_ours_is_no_doubt_about_the_tables_of_another() -> None:
    page = PageContent(1, 612, 792, Route.TEXT, "1936 1,100", layout=0.2)
    assert checked(page, read_tables(_reply(SEEN), 1))[0].layout is None
    assert checked(page, [])[0].layout == 0.2
