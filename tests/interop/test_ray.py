"""Ray: budgets and keys. Runs with a killed worker: `tests.scale.test_ways`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="met in an environment of its own: make test-interop NAME=ray")
from tests.support.plan_model import PlanModel
from tests.support.ray_session import sessions, start_on_ray
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

KEY = "sk-planted-ray-7d20c4"


@pytest.fixture
def place() -> Iterator[Path]:
    with sessions() as found:
        yield found


def test_a_budget_is_divided_between_two_workers_and_no_key_is_stored(tmp_path: Path, place: Path) -> None:
    words = ("run", "starter", "--agent", "agent-1", "--api-key-env", "PLANTED_KEY", "--limit", "16")
    with ScriptedServer(Script(agent=PlanModel())) as server:
        more = ("--base-url", server.url, "--concurrency", "4", "--ray", "local", "--shards", "2")
        spent = start_on_ray(
            tmp_path, place, *words, *more, "--max-tokens", "20000", "-o", "spent", PLANTED_KEY=KEY
        )
        out, err = spent.communicate(timeout=240)
    assert spent.returncode == 130 and "10,000 tokens is spent" in err, out + err
    assert server.requests and [*place.glob("ray/session_*/logs/*")]
    for path in (*tmp_path.rglob("*"), *place.rglob("*")):
        if path.is_file() and not path.is_symlink():
            assert KEY.encode() not in path.read_bytes(), path


def test_a_cluster_that_is_not_there_is_one_line(tmp_path: Path, place: Path) -> None:
    plan = ("run", "starter", "--agent", "plan", "--limit", "2", "-o", "run")
    ran = start_on_ray(tmp_path, place, *plan, "--ray", "auto", "--ray-wait", "5")
    out, err = ran.communicate(timeout=120)
    assert ran.returncode == 2 and "no cluster answers" in err and "Traceback" not in err, out + err
