"""Ray: archives by two workers, of which one is killed; budgets and keys. Runs: `tests.scale.test_ways`."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="met in an environment of its own: make test-interop NAME=ray")
from tests.support.pdfs import pdf, table_page
from tests.support.plan_model import PlanModel
from tests.support.ray_session import sessions, start_on_ray, until, workers
from tests.support.same_archive import stored
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

KEY = "sk-planted-ray-7d20c4"


@pytest.fixture
def place() -> Iterator[Path]:
    with sessions() as found:
        yield found


def test_a_budget_holds_for_two_workers_and_no_key_is_stored(tmp_path: Path, place: Path) -> None:
    words = ("run", "starter", "--agent", "agent-1", "--api-key-env", "PLANTED_KEY", "--limit", "16")
    with ScriptedServer(Script(agent=PlanModel())) as server:
        more = ("--base-url", server.url, "--concurrency", "4", "--ray", "local", "--shards", "2")
        spent = start_on_ray(
            tmp_path, place, *words, *more, "--max-tokens", "20000", "-o", "spent", PLANTED_KEY=KEY
        )
        out, err = spent.communicate(timeout=240)
    assert spent.returncode == 130 and "20,000 tokens is spent" in err, out + err
    assert server.requests and [*place.glob("ray/session_*/logs/*")]
    for path in (*tmp_path.rglob("*"), *place.rglob("*")):
        if path.is_file() and not path.is_symlink():
            assert KEY.encode() not in path.read_bytes(), path


def test_an_archive_is_that_of_one_machine_though_a_worker_was_killed(tmp_path: Path, place: Path) -> None:
    rows = ("1936|1,100|200|1,300", "1937|1,250|250|1,500")
    for name in ("a_1951_05", "b_1952_06"):
        pages = (table_page(f"{name} {n}", *rows) for n in range(90))
        (tmp_path / f"{name}.pdf").write_bytes(pdf(*pages))
    words = ("archive", "build", "a_1951_05.pdf", "b_1952_06.pdf", "-o")
    head = start_on_ray(tmp_path, place, *words, "far", "--ray", "local", "--workers", "2")
    until(lambda: sum(1 for _ in workers(head.pid, "read_pages")) and staged(tmp_path / "far"), head)
    os.kill(next(workers(head.pid, "read_pages")), signal.SIGKILL)
    assert staged(tmp_path / "far") < 90
    out, err = head.communicate(timeout=240)
    assert head.returncode == 0, out + err
    here = start_on_ray(tmp_path, place, *words, "here")
    out, err = here.communicate(timeout=240)
    assert here.returncode == 0, out + err
    assert stored(tmp_path / "far") == stored(tmp_path / "here")


def staged(archive: Path) -> int:
    """Pages that the build has stored so far."""
    return sum(path.read_bytes().count(b"\n") - 1 for path in (archive / "staging").glob("*.pages"))


def test_a_cluster_that_is_not_there_is_one_line(tmp_path: Path, place: Path) -> None:
    plan = ("run", "starter", "--agent", "plan", "--limit", "2", "-o", "run")
    ran = start_on_ray(tmp_path, place, *plan, "--ray", "auto", "--ray-wait", "5")
    out, err = ran.communicate(timeout=120)
    assert ran.returncode == 2 and "no cluster answers" in err and "Traceback" not in err, out + err
