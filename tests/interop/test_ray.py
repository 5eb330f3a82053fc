"""Ray: what two workers do, of which one is killed, is what one process does: a run in shards, and an archive."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="met in an environment of its own: make test-interop NAME=ray")
from tests.support.pdfs import pdf, table_page
from tests.support.plan_model import PlanModel
from tests.support.same_archive import stored as stored_archive
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

KEY = "sk-planted-ray-7d20c4"
FILES = ("samples.jsonl", "trajectories.jsonl")
WORDS = (
    "run",
    "starter",
    "--agent",
    "agent-1",
    "--api-key-env",
    "PLANTED_KEY",
    "--limit",
    "16",
    "--concurrency",
    "4",
)


@pytest.fixture
def sessions() -> Iterator[Path]:
    """Folder of Ray's own files; its name is short, since sockets lie below it."""
    with tempfile.TemporaryDirectory(prefix="wt-", ignore_cleanup_errors=True) as place:
        yield Path(place)


def start(folder: Path, sessions: Path, *words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "worktrial", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PLANTED_KEY": KEY, "RAY_TMPDIR": str(sessions)},
    )


def workers(head: int, work: bytes = b"do_shard") -> Iterator[int]:
    """Workers of a head that are at work, on a shard by default."""
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                if b"ray::" + work in (place / "cmdline").read_bytes() and head in _above(int(place.name)):
                    yield int(place.name)
            except (OSError, IndexError):
                continue


def _above(process: int) -> Iterator[int]:
    while process > 1:
        process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        yield process


def lines(folder: Path, name: str) -> list[str]:
    """Lines of a file without what a clock says."""
    found = [json.loads(line) for line in (folder / name).read_text().splitlines()]
    return [json.dumps(_timeless(line)) for line in found]


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _timeless(v) for k, v in value.items() if k not in ("seconds", "finished")}
    return [_timeless(v) for v in value] if isinstance(value, list) else value


def stored(home: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in home.glob("*/samples.jsonl"))


def test_a_worker_and_a_head_are_killed_and_the_run_is_that_of_one_process(tmp_path: Path, sessions: Path) -> None:
    with ScriptedServer(Script(agent=PlanModel(), latency=0.12)) as server:
        common = (*WORDS, "--base-url", server.url)
        ray = (*common, "--ray", "local", "--shards", "2", "-o", "run")
        home = tmp_path / "run.shards"
        head = start(tmp_path, sessions, *ray)
        _until(lambda: stored(home) >= 2, head)
        killed = next(workers(head.pid))
        os.kill(killed, signal.SIGKILL)
        _until(lambda: stored(home) >= 6, head)
        head.kill()
        head.communicate(timeout=60)
        before = stored(home)
        assert 6 <= before < 16
        seen = len(server.requests)
        head = start(tmp_path, sessions, *ray)
        out, err = head.communicate(timeout=240)
        assert head.returncode == 0, out + err
        again = len(server.requests) - seen
        alone = start(tmp_path, sessions, *common, "-o", "alone")
        out, err = alone.communicate(timeout=120)
        assert alone.returncode == 0, out + err
        whole = len(server.requests) - seen - again
        spent = start(
            tmp_path, sessions, *common, "--ray", "local", "--shards", "2", "--max-tokens", "20000", "-o", "spent"
        )
        out, err = spent.communicate(timeout=240)
    assert again < whole, "what was stored has been paid for again"
    for name in FILES:
        assert lines(tmp_path / "run", name) == lines(tmp_path / "alone", name) or sorted(
            lines(tmp_path / "run", name)
        ) == sorted(lines(tmp_path / "alone", name))
    assert spent.returncode == 130 and "20,000 tokens is spent" in err, out + err
    assert [*sessions.glob("ray/session_*/logs/*")]
    for path in (*tmp_path.rglob("*"), *sessions.rglob("*")):
        if path.is_file() and not path.is_symlink():
            assert KEY.encode() not in path.read_bytes(), path
    print(f"stored before the head died: {before}; requests after: {again} of {whole}")


def test_an_archive_is_that_of_one_machine_though_a_worker_was_killed(tmp_path: Path, sessions: Path) -> None:
    rows = ("1936|1,100|200|1,300", "1937|1,250|250|1,500")
    for name in ("a_1951_05", "b_1952_06"):
        pages = (table_page(f"{name} {n}", *rows) for n in range(90))
        (tmp_path / f"{name}.pdf").write_bytes(pdf(*pages))
    words = ("archive", "build", "a_1951_05.pdf", "b_1952_06.pdf", "-o")
    head = start(tmp_path, sessions, *words, "far", "--ray", "local", "--workers", "2")
    _until(lambda: sum(1 for _ in workers(head.pid, b"read_pages")) and staged(tmp_path / "far"), head)
    os.kill(next(workers(head.pid, b"read_pages")), signal.SIGKILL)
    assert staged(tmp_path / "far") < 90
    out, err = head.communicate(timeout=240)
    assert head.returncode == 0, out + err
    here = start(tmp_path, sessions, *words, "here")
    out, err = here.communicate(timeout=240)
    assert here.returncode == 0, out + err
    assert stored_archive(tmp_path / "far") == stored_archive(tmp_path / "here")


def staged(archive: Path) -> int:
    """Pages that the build has stored so far."""
    return sum(path.read_bytes().count(b"\n") - 1 for path in (archive / "staging").glob("*.pages"))


def test_a_cluster_that_is_not_there_is_one_line(tmp_path: Path, sessions: Path) -> None:
    plan = ("run", "starter", "--agent", "plan", "--limit", "2", "-o", "run")
    ran = start(tmp_path, sessions, *plan, "--ray", "auto", "--ray-wait", "5")
    out, err = ran.communicate(timeout=120)
    assert ran.returncode == 2 and "no cluster answers" in err and "Traceback" not in err, out + err


def _until(done: Any, head: "subprocess.Popen[str]") -> None:
    for _ in range(2_000):
        if done():
            return
        if head.poll() is not None:
            raise AssertionError("".join(head.communicate()))
        time.sleep(0.05)
    raise AssertionError("the run makes no progress")
