"""Pictures of the pages that calls were about: which, what is marked, and when there are none."""

import io
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PIL import Image
from tests.support.cli import command
from tests.support.run_files import raw_work

from worktrial.archive.store.archive import Archive
from worktrial.engine.stored import StoredRun, open_run
from worktrial.errors import DataError
from worktrial.suites.documents.example import example_archive
from worktrial.suites.documents.page_pictures import PageAlbum
from worktrial.suites.documents.suite import suite
from worktrial.suites.documents.trace import CellMark, cited_by

ISSUE = "halvern_bulletin_1995_12"
ON = f"document = '{ISSUE}' AND page = 4 AND table_no = 1"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    folder = tmp_path_factory.mktemp("pages")
    ran = command("run", "documents", "--agent", "reference", "--tasks", "H010", "-o", folder / "run")
    assert ran.code == 0, ran.err
    return open_run(folder / "run")


def _album(run: StoredRun) -> PageAlbum:
    found = suite.album(run)
    assert found is not None
    return found


def _line(calls: list[Any] | None = None, answer: str = "", **more: Any) -> bytes:
    return msgspec.json.encode({"calls": calls or [], "answer": answer, **more})


def _call(tool: str, arguments: Any, content: Any) -> dict[str, Any]:
    return {"index": 0, "tool": tool, "arguments": arguments, "observation": {"content": content}}


def test_the_cell_of_the_answer_is_shaded(run: StoredRun) -> None:
    album = _album(run)
    found = album.of_calls(raw_work(run.folder)[0] or b"")
    (answer,) = found.pop(-1)
    assert answer.caption == f"{ISSUE}, page 4, table 1, 1 cell marked"
    assert found and all(pictures for pictures in found.values())
    archive = Archive.open(example_archive())
    (table,) = archive.page(ISSUE, 4).tables
    (cell,) = [cell for row in table.rows for cell in row if cell.text == "2,577"]
    drawn = Image.open(io.BytesIO(album.draw(answer.name)))
    page = archive.page(ISSUE, 4)
    across, down = drawn.width / page.width, drawn.height / page.height
    shaded = [
        (x, y)
        for x in range(0, drawn.width, 2)
        for y in range(0, drawn.height, 2)
        if (pixel := drawn.getpixel((x, y)))[0] > 240 and pixel[2] < 200 and pixel[1] > 150  # type: ignore[index,operator]
    ]
    assert cell.box is not None and len(shaded) > 20
    assert all(cell.box.x0 * across - 4 <= x <= cell.box.x1 * across + 4 for x, _ in shaded)
    assert all(cell.box.y0 * down - 4 <= y <= cell.box.y1 * down + 4 for _, y in shaded)


@pytest.mark.parametrize(
    ("tool", "arguments", "content", "found"),
    [
        ("read_page", {"document": "d", "page": 2}, {"text": "…"}, [("d", 2, None)]),
        ("view_page", {"document": "d", "page": 2}, {}, [("d", 2, None)]),
        # An address in the arguments may be written in several ways; what came back says what was shown.
        ("read_table", {"document": "D", "page": 2}, {"table": "d:3:t4"}, [("d", 3, CellMark(4))]),
        (
            "sql",
            {"query": "SELECT * FROM cells"},
            {"columns": ["document", "page", "table_no", "row_no"], "rows": [["it's", 2, 1, 3], ["it's", 2, 1, 4]]},
            [("it's", 2, CellMark(1, 3)), ("it's", 2, CellMark(1, 4))],
        ),
        # Where it stands a row does not say.
        (
            "sql",
            {"query": "SELECT text FROM cells WHERE document = 'a' AND page = 1 OR document = 'b' AND page = 1"},
            {"columns": ["text"], "rows": [["x"]]},
            [],
        ),
        ("sql", {"query": f"SELECT text FROM cells WHERE {ON}"}, {"columns": ["text"], "rows": []}, []),
        ("python", {"code": "show('d-1:2:t1:r3:c4')"}, {}, [("d-1", 2, CellMark(1, 3, 4))]),
        ("search", {"query": "customs"}, {"hits": [{"document": "d", "page": 1}]}, []),
        ("read_page", {"document": "d", "page": True}, None, []),
        ("read_page", "no JSON", ["odd"], []),
        ("sql", {"query": 3}, {"columns": 1, "rows": [2]}, []),
        (
            "sql",
            {"query": ""},
            {"columns": ["document", "page"], "rows": [7, ["d", "2"], ["d", 1.5]]},
            [("d", 2, None)],
        ),
    ],
)
def test_what_a_call_names_or_got(tool: str, arguments: Any, content: Any, found: list[Any]) -> None:
    assert [*cited_by(tool, arguments, content)] == found


def test_pages_that_are_not_there_are_left_out(run: StoredRun) -> None:
    album = _album(run)
    calls = [_call("read_page", {"document": name, "page": 2}, {}) for name in ("nothing", ISSUE)]
    calls[1]["index"] = 1
    assert [*album.of_calls(_line(calls))] == [1]
    assert album.of_calls(_line([_call("read_page", {"document": ISSUE, "page": 99}, {})])) == {}
    assert album.of_calls(_line(answer=f"See {ISSUE}:2:t1:r1:c1 and {ISSUE}:77:t1:r1:c1.")) != {}
    for line in (b"{", b"[]", b'{"calls":7}', b'{"calls":[{"index":"x"}]}', b"[" * 100_000, _line()):
        assert album.of_calls(line) == {}
    for name in ("", "7", '["d",1]', "[" * 100_000):
        with pytest.raises(KeyError):
            album.draw(name)
    with pytest.raises(DataError):
        album.draw(f'["{ISSUE}",99,[]]')
    # Marks that no table has are none.
    assert album.draw(f'["{ISSUE}",4,[[9,1,1],[1,999,null]]]').startswith(b"\x89PNG")


def test_without_the_archive_of_then_there_are_none(run: StoredRun, tmp_path: Path) -> None:
    def under(**data: Any) -> StoredRun:
        manifest = msgspec.structs.replace(run.manifest, data={**run.manifest.data, **data})
        return StoredRun(run.folder, manifest, [])

    assert suite.album(under(archive=str(tmp_path / "gone"))) is None
    assert suite.album(under(archive=None)) is None
    assert suite.album(under(archive_fingerprint="another")) is None
    assert suite.album(under(archive="archive")) is None, "it would depend on where the viewer was started"
    # What lies beside a run may have been sent along with it: nobody asked for its files to be opened.
    beside = run.folder.parent / "archive"
    shutil.copytree(example_archive(), beside)
    assert suite.album(under(archive=str(beside))) is None
