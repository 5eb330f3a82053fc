"""The archive as a library: public names, without the rest of Worktrial, no more pages than are asked for."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.pdfs import lines, pdf

import worktrial.archive
from worktrial.archive import Page, Table, build, open_archive
from worktrial.archive.pages import PageRange
from worktrial.errors import SettingError

REST = (
    "agents audits cli engine grading interop places reports results scale scorer statistics stores suite suites "
    "synthesis trials workplaces"
)
ALONE = """
import sys
from pathlib import Path
from worktrial.archive import open_archive
folder = Path(sys.argv[1])
print(sorted({"duckdb", "pyarrow", "pypdfium2", "tantivy", "numpy", "lxml"} & sys.modules.keys()))
from worktrial.archive import build
(folder / "debt.md").write_text("Debt\\n\\n| Year | Gross |\\n|---|---|\\n| 1938 | 1,234 |\\n")
build([folder / "debt.md"], folder / "archive", workers=1)
archive = open_archive(folder / "archive")
assert archive.search("gross debt")[0].document == "debt"
assert archive.table("debt", 1, 1).grid[1] == ["1938", "1,234"]
assert archive.grep("1,234") and not archive.connection().close()
from worktrial.archive import toolbox
toolbox(archive).specs
rest = {name.split(".")[1] for name in sys.modules if name.startswith("worktrial.")} & set(sys.argv[2].split())
heavy = {"aiohttp", "typer", "pydantic"} & sys.modules.keys()
print(sorted(rest), sorted(heavy))
"""


def test_it_runs_without_the_rest(tmp_path: Path) -> None:
    words = [sys.executable, "-c", ALONE, tmp_path, REST]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "[]\n[] []\n"


def test_no_module_imports_itself_by_a_detour() -> None:
    """Late imports and those for types alone count, too, and a module brings the package that it lies in."""
    grimp, networkx = pytest.importorskip("grimp"), pytest.importorskip("networkx")
    graph = grimp.build_graph("worktrial", cache_dir=None)
    rooms = graph.find_descendants("worktrial.archive")
    imports = [(a, b) for a in rooms for b in graph.find_modules_directly_imported_by(a) if b in rooms]
    packages = [(a, b.rpartition(".")[0]) for a, b in imports]
    arrows = networkx.DiGraph(imports)
    arrows.add_edges_from((a, b) for a, b in packages if b in rooms and not a.startswith(f"{b}."))
    assert len(arrows) > 50
    assert not [circle for circle in networkx.strongly_connected_components(arrows) if len(circle) > 1]


def test_public_names() -> None:
    assert set(worktrial.archive.__all__) <= set(dir(worktrial.archive))
    assert all(
        callable(getattr(worktrial.archive, name)) for name in set(worktrial.archive.__all__) - {"LOW_CONFIDENCE"}
    )
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        worktrial.archive.nothing  # noqa: B018
    assert Table.__name__ == "Table"


def test_only_the_pages_that_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "long.pdf"
    path.write_bytes(pdf(*[lines(f"page {n}") for n in range(1, 71)]))
    folder = tmp_path / "archive"

    def built(pages: str) -> tuple[dict[str, int], int]:
        report = build([path], folder, workers=1, pages=pages)
        return report.documents[0].routes, report.kept

    assert built("2-3,40") == ({"text": 3, "unread": 67}, 0)
    archive = open_archive(folder)
    read: list[Page] = list(archive.pages("long", "3-40"))
    assert [(page.number, page.text) for page in read if page.text] == [(3, "page 3"), (40, "page 40")]
    assert archive.page("long", 4).route == "unread" and len(read) == 38
    before = archive.fingerprint
    # Fewer pages are there already; more are read beside them; then all.
    assert built("40,2") == ({"text": 3, "unread": 67}, 1)
    assert built("60-90") == ({"text": 14, "unread": 56}, 0)
    assert open_archive(folder).document("long").pages_read == "2-3,40,60-70"
    assert open_archive(folder).fingerprint != before
    assert built("") == ({"text": 70}, 0)
    assert built("5") == ({"text": 70}, 1)
    assert not (folder / "staging").exists() and open_archive(folder).grep("page 5$")[0].page == 5
    report = build([path], tmp_path / "none", workers=1, pages="80")
    assert "has none of the pages 80" in str(report.documents[0].trouble)
    with pytest.raises(SettingError, match="must be page numbers and ranges"):
        build([path], folder, pages="3-1")
    assert PageRange.several("7, 1-3,4") == [(1, 4), (7, 7)]
