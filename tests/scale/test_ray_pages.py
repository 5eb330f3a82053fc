"""Archives that are built on a Ray cluster, as far as that can be tried without one."""

import os
import pickle
import re
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest
from tests.scale.test_objects import Machine, machine
from tests.scale.test_s3 import BUCKET, one_server, server
from tests.support.cli import command
from tests.support.object_server import ObjectServer
from tests.support.pdfs import BLANK, BOMB, lines, pdf, table_page
from tests.support.ray_stand_in import StandIn
from tests.support.same_archive import stored

from worktrial.archive.build.messages import JoinSlices, OpenDocument, ReadPage, WriteSlice
from worktrial.archive.store import Archive, remote
from worktrial.scale.ray import page_work, pages
from worktrial.scale.ray.page_work import PageOrder
from worktrial.stores.bucket import Bucket

__all__ = ["machine", "one_server", "server"]
LONG = 70


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("documents")
    rows = ("1936|1,100|200|1,300", "1937|1,250|250|1,500")
    sheets = [table_page(f"Table {n}", *rows) if n % 3 else lines(f"page {n}") for n in range(LONG)]
    (folder / "long_1939_02.pdf").write_bytes(pdf(*sheets[:20], BLANK, BOMB, *sheets[22:]))
    (folder / "short.pdf").write_bytes(pdf(*(lines(f"page {n}") for n in range(1, 10))))
    (folder / "torn.pdf").write_bytes(pdf(lines("torn"))[:90])
    (folder / "words.txt").write_text("A note of May 1951.\n")
    return folder


@pytest.fixture(scope="module")
def alone(documents: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive that one process of this machine builds."""
    archive = tmp_path_factory.mktemp("alone") / "archive"
    assert command("archive", "build", documents, "-o", archive, "--workers", 1).code == 0
    return archive


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., StandIn]]:
    """Puts a stand-in in the place of Ray."""
    monkeypatch.setattr(page_work, "_desks", [])

    def made(*args: Any) -> StandIn:
        library = StandIn(*args)
        monkeypatch.setitem(sys.modules, "ray", library)
        return library

    yield made
    for desk in page_work._desks:
        desk.end()


def numbers(order: PageOrder) -> list[int]:
    return [task.number for task in order.tasks if isinstance(task, ReadPage)]


def test_pages_that_travel_as_ranges_are_the_archive_of_one_process(
    cluster: Callable[..., StandIn], documents: Path, alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Documents are not on the worker's machine.
    monkeypatch.setattr(page_work, "stamp_of", lambda path: None)
    monkeypatch.setattr(page_work, "PIECE", 1000)
    # One worker dies of a document's opening, one of a range, and one of a slice.
    died: set[object] = set()

    def dies(order: PageOrder) -> bool:
        what = 30 in numbers(order) if isinstance(order.tasks[0], ReadPage) else type(order.tasks[0])
        if what is False or what in died:
            return False
        died.add(what)
        return True

    library = cluster(dies)
    archive = tmp_path / "archive"
    ran = command("archive", "build", documents, "-o", archive, "--ray", "local")
    assert (ran.code, library.is_up) == (0, False), ran.said
    assert died == {OpenDocument, True, WriteSlice}
    assert stored(archive) == stored(alone)
    ranges = [one for one in map(numbers, library.orders) if one]
    [torn] = [one for one in ranges if 30 in one and len(one) > 1]
    assert [30] in ranges and max(map(len, ranges)) == pages.MOST_PAGES
    # What was lost was read again, and nothing else; the others have pages, too.
    assert sorted(number for one in ranges for number in one) == sorted(
        [*range(1, LONG + 1), *range(1, 10), 1, *torn]
    )
    assert not [*Path(gettempdir()).glob(f"{page_work._PLACE}{library.orders[0].build}*")]
    # Nothing is left to do, so that no cluster is wanted.
    library.init = None  # type: ignore[method-assign,assignment]
    assert command("archive", "build", documents / "words.txt", "-o", archive, "--ray", "local").code == 0


def test_a_page_that_crashes_its_worker_is_tried_alone_and_then_reported(
    cluster: Callable[..., StandIn], documents: Path, alone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("archive", "build", documents / "short.pdf", "-o", tmp_path / "archive", "--ray", "local")
    cluster(lambda order: 7 in numbers(order))
    # Where no worker gives a sign any more, it is not the page's fault.
    with monkeypatch.context() as patch:
        patch.setattr(pages, "gives_a_sign", lambda library: False)
        ran = command(*words)
    assert ran.code == 2 and "--ray local: the cluster is gone (The worker died unexpectedly.)" in ran.err
    library = cluster(lambda order: 7 in numbers(order))
    assert command(*words).code == 0
    archive, other = Archive.open(tmp_path / "archive"), Archive.open(alone)
    said = "its worker of the cluster died 2 times (The worker died unexpectedly.)"
    assert {t.page: t.what for t in archive.document("short").failed} == {7: said}
    assert [one for one in map(numbers, library.orders) if 7 in one][-2:] == [[7], [7]]
    assert [archive.page("short", n) for n in (6, 8)] == [other.page("short", n) for n in (6, 8)]


def test_once_a_while_it_says_how_far_each_worker_is(
    cluster: Callable[..., StandIn], documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster()
    monkeypatch.setattr(pages, "PLAIN_SECONDS", 0.0)
    ran = command("archive", "build", documents / "short.pdf", "-o", tmp_path / "archive", "--ray", "local")
    told = re.findall(rf"worker {re.escape(socket.gethostname())}/{os.getpid()}: (\d+) pages read\n", ran.err)
    assert told == sorted(told) and told[-1] == "9", ran.err


def test_at_an_address_workers_lay_down_what_they_make_and_nothing_large_travels(
    cluster: Callable[..., StandIn],
    server: ObjectServer,
    machine: Machine,
    documents: Path,
    alone: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    address = f"s3://{BUCKET}/on-ray"
    words = ("archive", "build", documents, "-o", address, "--ray", "local")
    monkeypatch.setattr(page_work, "stamp_of", lambda path: None)
    # One worker dies of a range, one of a slice, one of what is put together; then the command is.
    died: set[object] = set()

    def dies(order: PageOrder) -> bool:
        what = 30 in numbers(order) if isinstance(order.tasks[0], ReadPage) else type(order.tasks[0])
        if what is False or what in died:
            return False
        died.add(what)
        return True

    def dies_with_all(order: PageOrder) -> bool:
        if isinstance(order.tasks[0], JoinSlices) and order.tasks[0].record.name.startswith("long"):
            raise KeyboardInterrupt
        return False

    library = cluster(dies_with_all)
    assert command(*words).code == 130
    read = sorted(number for order in library.orders for number in numbers(order))
    assert len(read) >= LONG
    machine("second")
    server.calm()
    library = cluster(dies)
    ran = command(*words)
    assert ran.code == 0, ran.said
    assert died >= {WriteSlice, JoinSlices}
    # Pages that were laid down are not read again, on whichever machine.
    assert len([n for order in library.orders for n in numbers(order)]) + len(read) <= LONG + 9 + 1 + 16
    # An order tells where things lie; so do its answers.
    assert max(len(order.staged) for order in library.orders) < 64 * 200
    assert max(len(pickle.dumps(end)) for end in library.ends) < 10_000
    machine("third")
    remote.pull(address, tmp_path / "pulled")
    assert stored(tmp_path / "pulled") == stored(alone)
    names = {*Bucket(address).names()}
    packs = {f"packs/{pack.name}" for pack in remote.open_stored(address).state.packs}
    assert names == {"manifest.json", *packs}
    # What workers have sent was not sent again.
    sent = {f"packs/{pack.name}" for end in library.ends if end.part for pack in end.part.packs}
    assert sent and sent <= packs


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--ray", "nonsense"), "--ray nonsense: is not `local`, `auto` or HOST:PORT"),
        (("--ray", "local", "--producer", "docling"), "--ray: docling reads on this machine; leave one of the two"),
        (("--ray-wait", "5"), "--ray-wait is for a build on a cluster: add --ray ADDRESS"),
    ],
)
def test_what_does_not_go_with_a_cluster_is_one_line(
    words: tuple[str, ...], said: str, documents: Path, tmp_path: Path, cluster: Callable[..., StandIn]
) -> None:
    cluster()
    ran = command("archive", "build", documents, "-o", tmp_path / "archive", *words)
    assert (ran.code, said in ran.err, "Traceback" in ran.said) == (2, True, False), ran.err


def test_workers_that_cannot_read_as_this_machine_does_say_so(
    documents: Path, tmp_path: Path, cluster: Callable[..., StandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("archive", "build", documents, "-o", tmp_path / "archive", "--ray", "local")
    cluster()
    with monkeypatch.context() as patch:
        patch.setattr(page_work, "readers", lambda: ("worktrial 0.1", *pages.readers()[1:]))
        ran = command(*words)
    assert (ran.code, "a worker of the cluster reads documents with worktrial 0.1, not worktrial" in ran.err) == (
        2,
        True,
    )
    monkeypatch.setitem(sys.modules, "ray", None)
    assert "A Ray cluster needs ray: pip install 'worktrial[ray]'" in command(*words).err
