"""`worktrial view` over HTTP: who gets in, what is answered, and what runs may do meanwhile."""

import http.client
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import pytest
from tests.support.cli import worktrial
from tests.support.made_runs import make_run
from tests.support.viewing import viewing

from worktrial.engine.heartbeat import HEARTBEAT, STOP, Heartbeat
from worktrial.engine.segments import segment_path


class _Viewer:
    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.port, self.base = parts.port, parts.path

    def get(
        self, rest: str, method: str = "GET", *, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Answer to a request below the secret address; a `rest` that begins with / is taken as it is."""
        asked = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        path = rest if rest.startswith("/") else self.base + rest
        asked.request(method, path, body, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = asked.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()

    def text(self, rest: str) -> str:
        status, _, body = self.get(rest)
        assert status == 200, body
        return body.decode()


def _made(folder: Path) -> Path:
    make_run(folder / "first", agent="brook", tasks=12, conditions=("E0", "E2"))
    make_run(folder / "deep" / "second", agent="heron", tasks=12)
    return folder


@pytest.fixture(scope="module")
def viewer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[_Viewer]:
    """A viewer of runs that stay as they are."""
    with viewing(_made(tmp_path_factory.mktemp("runs"))) as address:
        yield _Viewer(address)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Runs that change."""
    return _made(tmp_path / "runs")


@pytest.fixture
def changing(runs: Path) -> Iterator[_Viewer]:
    """A viewer of them."""
    with viewing(runs) as address:
        yield _Viewer(address)


def test_all_pages_and_what_they_load_are_answered(viewer: _Viewer) -> None:
    home = viewer.text("")
    assert home == viewer.text("index.html")
    assert "brook" in home and "heron" in home and "24 of 24" in home and "2 runs, 36 finished samples" in home
    for page in (
        "index.html",
        "report.html",
        "report.html?run=first",
        "samples.html",
        "tasks.html",
        "task.html",
        "trajectory.html",
    ):
        body = viewer.text(page)
        for asset in re.findall(r'(?:src|href)="(assets/[^"]+)"', body):
            assert viewer.text(asset)
    assert "How this was measured" in viewer.text("report.html") and "heron" not in viewer.text(
        "report.html?run=first"
    )
    assert viewer.text("data/runs.js").startswith('Worktrial.receive("runs",')
    for part in ("run", "s0", "k0", "t0"):
        assert f'"first/{part}"' in viewer.text(f"data/first/{part}.js")


def test_nothing_is_told_without_the_address(viewer: _Viewer) -> None:
    for path in ("/", "/index.html", "/guess/", "/data/runs.js", viewer.base[:-2] + "/", "/" + "é".encode().hex()):
        status, _, body = viewer.get(path)
        assert status == 404 and b"brook" not in body
    status, headers, _ = viewer.get(viewer.base.rstrip("/"))
    assert status == 307 and headers["location"] == viewer.base
    assert viewer.get("", Host="evil.example")[0] == 400
    assert viewer.get("", Origin="https://evil.example")[0] == 403
    assert viewer.get("", Origin="null")[0] == 403
    assert viewer.get("", Host="localhost:1")[0] == 200
    _, headers, _ = viewer.get("")
    assert headers["cache-control"] == "no-store" and headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "rest",
    [
        "data/nobody/run.js",
        "data/first/t99.js",
        "data/first/t-1.js",
        "data/first/k5.js",
        "data/first/../runs.js.js",
        "data/first/%2e%2e/manifest.json",
        "assets/..%2findex.html",
        "assets/nothing.css",
        "report.html?run=nobody",
        "nothing.html",
    ],
)
def test_what_is_not_there_is_not_found(viewer: _Viewer, rest: str) -> None:
    assert viewer.get(rest)[0] == 404


def test_nothing_but_reading(viewer: _Viewer) -> None:
    assert {viewer.get("index.html", method)[0] for method in ("POST", "PUT", "DELETE")} == {405}


def test_nobody_else_stops_a_run(changing: _Viewer, runs: Path) -> None:
    def stop(run: str = "first", kind: str = "application/json", **more: str) -> int:
        return changing.get(f"stop?run={run}", "POST", body=b"{}", Content_Type=kind, **more)[0]

    assert stop() == 409, "nobody works on it"
    beat = Heartbeat(written=datetime.now(UTC).isoformat(timespec="seconds"), in_flight=1)
    (runs / "first" / HEARTBEAT).write_bytes(msgspec.json.encode(beat))
    assert stop(Origin="https://evil.example") == 403 and stop(kind="text/plain") == 415 and stop("nobody") == 404
    assert not (runs / "first" / STOP).exists()
    assert stop() == 202 and (runs / "first" / STOP).exists()


def test_a_run_that_grows_is_shown_as_it_is(changing: _Viewer, runs: Path) -> None:
    samples, work = runs / "first" / "samples.jsonl", segment_path(runs / "first", 1)
    lines, stored = samples.read_bytes().splitlines(True), work.read_bytes().splitlines(True)
    samples.write_bytes(b"".join(lines[:5]) + lines[5][:40])
    work.write_bytes(b"".join(stored[:5]) + stored[5][:90])
    assert "5 of 24" in changing.text("") and '"samples":5,' in changing.text("data/first/run.js")
    samples.write_bytes(b"".join(lines[:9]))
    work.write_bytes(b"".join(stored[:9]))
    assert "9 of 24" in changing.text("") and '"samples":9,' in changing.text("data/first/run.js")
    again = msgspec.json.decode(lines[0]) | {"reason": "another look at it"}
    with samples.open("ab") as file:
        file.write(msgspec.json.encode(again) + b"\n")
    assert "9 of 24" in changing.text("") and "another look at it" in changing.text("data/first/t0.js")
    make_run(runs / "third", agent="wren", tasks=3)
    assert "wren" in changing.text("")


def test_damage_is_told_and_the_rest_goes_on(changing: _Viewer, runs: Path) -> None:
    full = changing.text("data/first/t0.js")
    work = segment_path(runs / "first", 1)
    whole = work.read_bytes()
    work.write_bytes(whole[: len(whole) // 2])
    assert "',null,null,null]" not in full and "',null,null,null]" in changing.text("data/first/t0.js")
    work.unlink()
    assert changing.text("data/first/t0.js").count("',null,null,null]") == 24
    work.write_bytes(whole)
    assert changing.text("data/first/t0.js") == full
    lines = (runs / "first" / "samples.jsonl").read_bytes().splitlines(True)
    (runs / "first" / "samples.jsonl").write_bytes(lines[0] + b"{broken}\n" + lines[1])
    home = changing.text("")
    assert "1 of 24" in home and "samples.jsonl:2: damaged record" in home and "heron" in home
    status, _, body = changing.get("data/first/t0.js")
    assert status == 409 and b"samples.jsonl:2" in body
    assert "heron" in changing.text("report.html")
    shutil.rmtree(runs / "first")
    assert "brook" not in changing.text("") and changing.get("data/first/run.js")[0] == 404
    (runs / "deep" / "second" / "manifest.json").write_text("{")
    assert "manifest.json: not a run" in changing.text("") and changing.get("report.html")[0] == 409
    assert changing.get("data/second/run.js")[0] == 409
    shutil.rmtree(runs)
    assert "There is no run here yet" in changing.text("")


def test_words_that_cannot_be_used(tmp_path: Path) -> None:
    ran = worktrial("view", tmp_path / "nowhere")
    assert ran.code == 2 and "nowhere: no such folder" in ran.err
    ran = worktrial("view", tmp_path, "--port", "1", "x" * 3)
    assert ran.code == 2
