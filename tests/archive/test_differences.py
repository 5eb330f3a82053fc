"""Two archives beside each other."""

import json
from pathlib import Path

import pytest
from tests.support.cli import command
from tests.support.pdfs import lines, pdf, table_page

from worktrial.archive.build import build
from worktrial.archive.differences import compare_archives
from worktrial.archive.store import Archive
from worktrial.errors import DataError

ROWS = ("1936|1,100|200|1,300", "1937|1,250|250|1,500", "1938|2,345|655|3,000")
TEXT = """# Budget Receipts

| Year | Receipts | Other | Total |
|---|---|---|---|
| 1936 | 1100 | 200 | 1,300 |
| 1938 | 2,845 | 655 | 3,000 |

| a | b |
|---|---|
| only here | 1 |
"""


def _built(folder: Path, name: str, files: dict[str, bytes]) -> Archive:
    (folder / name).mkdir()
    for file, content in files.items():
        (folder / name / file).write_bytes(content)
    build([folder / name], folder / f"{name}.archive", workers=1)
    return Archive.open(folder / f"{name}.archive")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("two")
    _built(
        made, "a", {"budget.pdf": pdf(lines("Contents"), table_page("Budget Receipts", *ROWS)), "mine.txt": b"x 1"}
    )
    _built(made, "b", {"budget.md": TEXT.encode(), "renamed.txt": b"x 1", "theirs.txt": b"y 2"})
    return made


def test_table_by_table_and_cell_by_cell(folder: Path) -> None:
    a, b = Archive.open(folder / "a.archive"), Archive.open(folder / "b.archive")
    found = compare_archives(a, b)
    # The same content under another name is the same document.
    assert [d.document for d in found.documents] == ["budget", "mine"]
    assert (found.only_first, found.only_second) == ([], ["theirs"])
    budget = found.documents[0]
    assert (budget.first_kind, budget.second_kind, budget.first_pages, budget.second_pages) == ("pdf", "text", 2, 1)
    both, alone = budget.tables
    # On another page, one row short, one number printed otherwise, one misread.
    assert (both.first, both.second) == ("budget:2:t1", "budget:1:t1")
    cells = both.cells
    assert (cells.same, cells.same_value, cells.different, cells.only_first, cells.only_second) == (10, 1, 1, 4, 0)
    (cell,) = both.different
    assert (cell.first, cell.first_text, cell.second_text) == ("budget:2:t1:r3:c1", "2,345", "2,845")
    assert (alone.first, alone.second, alone.cells.only_second) == (None, "budget:1:t2", 4)
    same = compare_archives(a, a)
    assert (same.cells.different, same.cells.only_first, same.cells.only_second) == (0, 0, 0)
    with pytest.raises(DataError, match="has no document 'theirs'"):
        compare_archives(a, b, "theirs")


def test_the_command(folder: Path) -> None:
    ran = command("archive", "compare", folder / "a.archive", folder / "b.archive")
    assert ran.code == 1 and "only in B: theirs" in ran.said
    assert "budget:2:t1:r3:c1  '2,345' | budget:1:t1:r2:c1  '2,845'" in ran.out
    told = json.loads(command("archive", "compare", folder / "a.archive", folder / "b.archive", "--json").out)
    assert told["cells"]["different"] == 1 and told["documents"][0]["tables"][1]["first"] is None
    assert command("archive", "compare", folder / "a.archive", folder / "a.archive").code == 0
