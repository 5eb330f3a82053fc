"""What is told where an optional library is not installed."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from worktrial.errors import MissingExtra

ROOM = "worktrial.archive"


@pytest.fixture
def fresh() -> Iterator[None]:
    """The archive's modules as if none had been imported; afterwards those of before are back."""
    import worktrial

    archive = import_module(ROOM)
    before = {name: module for name, module in sys.modules.items() if name.startswith(ROOM)}
    for name in before:
        del sys.modules[name]
    yield
    for name in [name for name in sys.modules if name.startswith(ROOM)]:
        del sys.modules[name]
    sys.modules.update(before)
    worktrial.archive = archive  # type: ignore[attr-defined]


def block(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    for name in [name for name in sys.modules if name == library or name.startswith(f"{library}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize(
    ("library", "module", "extra"),
    [
        ("pypdfium2", "pdf", "documents"),
        ("pyarrow", "store.parts", "documents"),
        ("pyarrow", "building", "documents"),
        ("tantivy", "search", "documents"),
        ("tantivy", "building", "documents"),
        ("lxml", "producers.parsed", "documents"),
        ("cv2", "ocr", "ocr"),
    ],
)
def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, library: str, module: str, extra: str) -> None:
    block(monkeypatch, library)
    with pytest.raises(MissingExtra, match=rf"needs {library}.*: pip install 'worktrial\[{extra}\]'"):
        import_module(f"{ROOM}.{module}")


def test_a_build_asks_for_the_database_before_it_reads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from worktrial.archive.building.build import build
    from worktrial.archive.store.database import open_database

    block(monkeypatch, "duckdb")
    with pytest.raises(MissingExtra, match=r"needs duckdb: pip install 'worktrial\[documents\]'"):
        build([tmp_path], tmp_path / "archive")
    assert not (tmp_path / "archive").exists()
    with pytest.raises(MissingExtra, match=r"'worktrial\[documents\]'"):
        open_database(tmp_path / "archive.duckdb")


def test_a_picture_needs_pillow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from worktrial.archive.pictures import render_page
    from worktrial.archive.store.record import DocumentRecord

    path = tmp_path / "page.pdf"
    path.write_bytes(b"%PDF-")
    block(monkeypatch, "PIL")
    with pytest.raises(MissingExtra, match=r"needs PIL: pip install 'worktrial\[documents\]'"):
        render_page(DocumentRecord(name="page", kind="pdf", source=str(path), size=5), 1, 1.0)


@pytest.mark.parametrize("library", ["openvino", "rapidocr"])
def test_scans_need_the_recogniser(monkeypatch: pytest.MonkeyPatch, library: str) -> None:
    from worktrial.archive.ocr.engine import Engine

    block(monkeypatch, library)
    with pytest.raises(MissingExtra, match=rf"needs {library}: pip install 'worktrial\[ocr\]'"):
        Engine()
