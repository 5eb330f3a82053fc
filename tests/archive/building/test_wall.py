"""Documents that have turned their parser against this machine, and what it then finds there."""

import json
import os
import pickle
import shutil
import socket
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.support.page_readers import Fates
from tests.support.small_pdf import Sheet, write_pdf

from worktrial.archive import pictures
from worktrial.archive.building import pool as pools
from worktrial.archive.building import wall as walls
from worktrial.archive.building.build import build
from worktrial.archive.building.messages import (
    Answer,
    DocumentSize,
    DrawnPage,
    DrawPage,
    OpenDocument,
    PageBytes,
    PartEnd,
    ReadPage,
    Task,
    WorkerAnswer,
    WorkerReady,
    decode_answer,
    encode,
)
from worktrial.archive.pages import PageContent
from worktrial.archive.pdf.document import open_pdf, render
from worktrial.archive.pictures import render_page
from worktrial.archive.producers.files import DocumentSource
from worktrial.archive.store.archive import Archive
from worktrial.archive.store.record import DocumentRecord
from worktrial.archive.store.rows import encode_page
from worktrial.errors import DataError, SettingError
from worktrial.sandbox import SandboxUnavailable, parsers
from worktrial.sandbox.inside.landlock import landlock_version
from worktrial.sandbox.parsers import ShownDocuments, Wall, shown_name

has_sandbox = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
has_landlock = pytest.mark.skipif(landlock_version() < 1, reason="this kernel has no Landlock")

# A page handler that does as whoever wrote the document wants, and tells in the page's text what came of it.
TURNED = """
import ctypes, glob, json, os, signal, socket, sys
from worktrial.archive.pages import PageContent
from worktrial.archive.producers import parsed

def tried(what):
    try:
        return repr(what())
    except (OSError, ValueError) as error:
        return type(error).__name__

def attempt(number):
    told = json.loads(TOLD)
    inside = glob.glob("/documents/*") or glob.glob(told["shown"] + "/*")
    libc = ctypes.CDLL(None, use_errno=True)
    return {
        "keys": [name for name in os.environ if "KEY" in name or "sk-secret" in os.environ[name]],
        "read": {path: tried(lambda: open(path).read()) for path in told["read"]},
        "listed": {path: tried(lambda: os.listdir(path)) for path in told["listed"]},
        "written": {path: tried(lambda: open(path, "w")) for path in [*told["written"], *inside, parsed.__file__]},
        "called": tried(lambda: socket.create_connection(("127.0.0.1", told["port"]))),
        "killed": tried(lambda: os.kill(told["pid"], signal.SIGUSR2)),
        "environ": tried(lambda: open(f"/proc/{told['pid']}/environ").read()),
        # CLONE_NEWUSER, by unshare and by clone with SIGCHLD.
        "namespaces": [libc.unshare(0x10000000), libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0)],
        "ptrace": libc.ptrace(16, told["pid"], 0, 0),
        "documents": len(inside),
    }

parsed.TextReader.read = lambda self, number: PageContent(number, 0.0, 0.0, "text", json.dumps(attempt(number)))
from worktrial.archive.building.worker import main
main()
"""


@pytest.fixture
def door() -> Iterator[socket.socket]:
    """Somebody who waits for calls."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


@pytest.mark.parametrize(
    "wall", [pytest.param(Wall.SANDBOX, marks=has_sandbox), pytest.param(Wall.LANDLOCK, marks=has_landlock)]
)
def test_a_parser_that_was_turned_reaches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, door: socket.socket, wall: Wall
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-secret-7391")
    (tmp_path / "in").mkdir()
    document, beside = tmp_path / "in" / "document.txt", tmp_path / "in" / "beside.txt"
    document.write_text("a page")
    beside.write_text("not named")
    archive = tmp_path / "archive"
    told = {
        "read": [str(beside), str(document), "/etc/passwd", "/proc/1/environ", str(Path(__file__))],
        "listed": [str(Path.home()), str(tmp_path), "/var"],
        "written": [str(document), str(tmp_path / "new"), str(archive / "manifest.json"), "/usr/x", "/x"],
        "port": door.getsockname()[1],
        "pid": os.getpid(),
        "shown": str(archive / "staging" / "shown"),
    }
    turned = textwrap.dedent(TURNED).replace("TOLD", repr(json.dumps(told)))
    monkeypatch.setattr(pools, "_START", turned)
    monkeypatch.setattr(walls, "best_wall", lambda: wall)
    report = build([document], archive, workers=1)
    assert report.readable == 1, report.documents
    found = json.loads(Archive.open(archive).page("document", 1).text)
    nothing = {"FileNotFoundError", "PermissionError", "ProcessLookupError", "OSError", "NotADirectoryError"}
    assert found["keys"] == []
    for tries in ("read", "listed", "written"):
        assert set(found[tries].values()) <= nothing, found[tries]
    assert found["called"] == "PermissionError"
    assert found["environ"] in nothing
    # Landlock knows signals since its sixth version.
    assert found["killed"] in nothing or (wall is Wall.LANDLOCK and landlock_version() < 6)
    assert found["namespaces"] == [-1, -1]
    assert found["ptrace"] == -1
    # The one under way, and nothing of it is left.
    assert found["documents"] == 1
    assert not (archive / "staging").exists()


@has_sandbox
def test_what_a_parser_says_is_never_unpickled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "document.txt").write_text("a page")
    touched = tmp_path / "touched"

    class Evil:
        def __reduce__(self) -> tuple[object, tuple[object, ...]]:
            return Path.touch, (touched,)

    pickled = pickle.dumps((Evil(), False))
    start = "from worktrial.sandbox.inside.wire import Wire; w = Wire(); w.receive()"
    said = f"w.send({encode(WorkerReady())!r}); w.receive(); w.send({pickled!r})"
    monkeypatch.setattr(pools, "_START", f"{start}; {said}")
    (document,) = build([tmp_path / "document.txt"], tmp_path / "archive", workers=1).documents
    assert "what is no answer" in (document.trouble or "")
    assert not touched.exists()


SOURCE = DocumentSource("a", Path("a.pdf"), "pdf")
PAGE = encode_page(PageContent(3, 1.0, 1.0, "text", "words"))


@pytest.mark.parametrize(
    ("task", "answer", "fits"),
    [
        (OpenDocument(SOURCE), DocumentSize(7, None), True),
        (OpenDocument(SOURCE), DocumentSize(10**9, None), False),
        (OpenDocument(SOURCE), DocumentSize(-1, None), False),
        (OpenDocument(SOURCE), PageBytes(PAGE, None, 0.1), False),
        (ReadPage(SOURCE, 3), PageBytes(PAGE, None, 0.1), True),
        (ReadPage(SOURCE, 4), PageBytes(PAGE, None, 0.1), False),
        # A further line of the staging file would be a page that nobody read.
        (ReadPage(SOURCE, 3), PageBytes(PAGE + b"\n4 0.1 " + PAGE, None, 0.1), False),
        (ReadPage(SOURCE, 3), PageBytes(PAGE[:-1] + b"\n}", None, 0.1), False),
        (ReadPage(SOURCE, 3), PageBytes(b"[]", None, 0.1), False),
        (ReadPage(SOURCE, 3), PageBytes(PAGE, None, float("nan")), False),
        (ReadPage(SOURCE, 3), PageBytes(PAGE, None, -1.0), False),
        (DrawPage(SOURCE, 3, 1.0), DrawnPage(2, 1, b"\0" * 6, 90), True),
        (DrawPage(SOURCE, 3, 1.0), DrawnPage(2, 10**6, b"\0" * 6, 0), False),
        (DrawPage(SOURCE, 3, 1.0), DrawnPage(-2, -1, b"\0" * 6, 0), False),
        (DrawPage(SOURCE, 3, 1.0), DrawnPage(2, 1, b"\0" * 6, 45), False),
        (ReadPage(SOURCE, 3), PartEnd(DocumentRecord(name="a", kind="pdf", source="a.pdf")), False),
    ],
)
def test_a_parser_s_answer_fits_its_task_or_is_none(task: Task, answer: Answer, fits: bool) -> None:
    import msgspec

    from worktrial.sandbox.child import BrokenWire

    said = decode_answer(encode(WorkerAnswer(answer)))
    if fits:
        assert pools._checked(task, said) == answer
        return
    with pytest.raises((BrokenWire, msgspec.MsgspecError)):
        pools._checked(task, said)


def test_a_picture_of_a_page_is_drawn_by_a_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_pdf(tmp_path / "document.pdf", [Sheet().text(72, 100, "words", size=30)])
    with open_pdf(path) as pdf:
        direct = render(pdf, 1, 1.5, gray=False)
    record = DocumentRecord(name="document", kind="pdf", source=str(path), size=path.stat().st_size)
    # Not here.
    monkeypatch.setattr("worktrial.archive.pdf.document.pypdfium2", None)
    picture = render_page(record, 1, 1.5)
    assert (picture.size, picture.tobytes()) == ((918, 1188), direct.tobytes())
    cut = path.with_name("cut.pdf")
    cut.write_bytes(path.read_bytes()[:60])
    with pytest.raises(DataError, match=r"cut.pdf, page 1: cannot be drawn: .*cut.pdf.*truncated"):
        render_page(DocumentRecord(name="cut", kind="pdf", source=str(cut), size=60), 1, 1.0)


def test_a_parser_that_draws_outlives_the_threads_that_ask_it(tmp_path: Path) -> None:
    """Event loops end with their threads, and the next run draws, too."""
    source = DocumentSource("a", write_pdf(tmp_path / "a.pdf", [Sheet().text(72, 100, "words", size=30)]), "pdf")
    painter = pictures._Painter()
    try:
        for _ in range(2):
            with ThreadPoolExecutor(1) as thread:
                assert isinstance(thread.submit(painter.answer, DrawPage(source, 1, 0.5)).result(), DrawnPage)
    finally:
        painter.end()


def test_a_reader_of_ones_own_gets_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-secret-7391")
    (tmp_path / "own.txt").write_text("environment")
    build(Fates(tmp_path / "own.txt"), tmp_path / "archive", workers=1)
    said = Archive.open(tmp_path / "archive").page("own", 1).text
    assert "PATH" in said and "SOME_API_KEY" not in said


def test_without_a_wall_it_takes_a_word_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Wall:
        raise SandboxUnavailable("the sandbox needs Linux")

    monkeypatch.setattr(walls, "best_wall", none)
    (tmp_path / "document.txt").write_text("a page")
    with pytest.raises(SettingError, match=r"the sandbox needs Linux.*--unsafe-parsers"):
        build([tmp_path / "document.txt"], tmp_path / "archive")
    events: list[object] = []
    report = build(
        [tmp_path / "document.txt"], tmp_path / "archive", workers=1, unsafe_parsers=True, progress=events.append
    )
    assert report.readable == 1
    assert [e.what for e in events if e.kind == "notice"] == [walls.notice_of(Wall.NONE)]
    assert "your rights" in walls.notice_of(Wall.NONE)


@has_landlock
def test_without_bubblewrap_there_is_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsers, "_probe", parsers._probe.__wrapped__)
    monkeypatch.setenv("PATH", "/nowhere")
    assert parsers.best_wall.__wrapped__() is Wall.LANDLOCK
    assert "bubblewrap is not installed" in walls.notice_of(Wall.LANDLOCK)
    monkeypatch.setattr(parsers, "landlock_version", lambda: 0)
    with pytest.raises(SandboxUnavailable, match="bubblewrap is not installed"):
        parsers.best_wall.__wrapped__()


def test_documents_are_shown_while_they_are_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, gone = tmp_path / "one.pdf", tmp_path / "gone.pdf"
    one.write_bytes(b"content")
    one.chmod(0o600)
    for linked in (True, False):
        if not linked:
            monkeypatch.setattr(os, "link", lambda *_: (_ for _ in ()).throw(OSError("another file system")))
        shown = ShownDocuments(tmp_path / "shown")
        shown.show(one)
        shown.show(gone)
        place = shown.folder / shown_name(one)
        assert [path.name for path in shown.folder.iterdir()] == [place.name]
        assert (place.read_bytes(), place.samefile(one)) == (b"content", linked)
        shown.hide(one)
        shown.hide(gone)
        assert list(shown.folder.iterdir()) == []
        shown.end()
        assert not shown.folder.exists()
    assert one.read_bytes() == b"content"
