"""Runs on a Ray cluster, as far as they can be tried without one: orders, shards, and what is refused."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.scale.test_merge import same_work
from tests.support.cli import command, samples_of
from tests.support.plan_model import PlanModel
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial import __version__
from worktrial.engine.shard import Shard, shard_folder
from worktrial.engine.spend import BudgetSpent
from worktrial.errors import SettingError
from worktrial.scale import merge
from worktrial.scale.ray.head import Cluster, far_work, keys_of
from worktrial.scale.ray.worker import MARK, Errand, ShardEnd, ShardOrder, plan_of, work_on
from worktrial.trials import PreparedRun, prepare

STARTER = ("run", "starter", "--agent", "plan", "--limit", "12")


@dataclass
class Planned:
    """A run that is cut into shards."""

    prepared: PreparedRun
    errand: Errand
    of: int
    home: Path

    def order(self, number: int) -> ShardOrder:
        mark, keys = (self.home / MARK).read_text(), keys_of(self.prepared)
        return ShardOrder(self.errand, Shard(number, self.of), self.of, self.home, mark, keys=keys)


def planned(of: int, home: Path, *, agent: str = "plan", **given: Any) -> Planned:
    given = {"limit": 12, **given}
    home.mkdir()
    (home / MARK).write_text("of this command")
    prepared = prepare("starter", agent, {**given, "output": Path("unused")})
    return Planned(prepared, Errand("starter", agent, given, ("worktrial", "run")), of, home)


def shard_home(home: Path, number: int, of: int) -> Path:
    return home / shard_folder(Shard(number, of))


def test_budget_and_rates_are_divided_beforehand(tmp_path: Path) -> None:
    given = {"base_url": "http://localhost:9/v1", "max_tokens": 1_000, "max_cost": 3.0, "price": "1,2"}
    cut = planned(3, tmp_path / "shards", agent="agent-1", **given, rpm=60.0, tpm=900)
    orders = [cut.order(number) for number in (1, 2, 3)]
    budgets = [plan_of(cut.prepared, order).settings.budget for order in orders]
    assert [(budget.tokens, budget.cost) for budget in budgets] == [(334, 1.0), (333, 1.0), (333, 1.0)]
    plan = plan_of(cut.prepared, orders[1])
    assert (plan.settings.budget.tokens, plan.settings.budget.minutes) == (333, None)
    assert (plan.roles["agent"].rpm, plan.roles["agent"].tpm) == (20.0, 300)
    over = plan_of(cut.prepared, replace(orders[0], ends=0.0))
    assert over.settings.budget.minutes == 0.0


def test_shards_are_the_run_of_one_process_and_a_second_attempt_goes_on(tmp_path: Path) -> None:
    home = tmp_path / "shards"
    cut = planned(2, home)
    assert work_on(cut.order(1)).error is None
    first = shard_home(home, 1, 2)
    stored = (first / "samples.jsonl").read_bytes()
    # All of it is lost but two samples, a torn line and the trajectories.
    lines = stored.splitlines(keepends=True)
    (first / "samples.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:40])
    ends = [work_on(cut.order(number)) for number in (1, 2)]
    assert [end.error for end in ends] == [None, None]
    assert (first / "samples.jsonl").read_bytes().startswith(b"".join(lines[:2]))
    assert len(samples_of(first)) == len(lines)
    run, alone = tmp_path / "run", tmp_path / "alone"
    merge([shard_home(home, number, 2) for number in (1, 2)], run)
    assert command(*STARTER, "-o", alone).code == 0
    same_work(alone, run)


def test_a_machine_that_does_not_see_the_folder_says_so(tmp_path: Path) -> None:
    cut = planned(1, tmp_path / "shards")
    order = cut.order(1)
    (tmp_path / "shards" / MARK).write_text("of another disk")
    with pytest.raises(SettingError, match=r"does not see .*shards\. Name a folder of a disk that all machines"):
        work_on(order).raise_error()
    assert not shard_home(tmp_path / "shards", 1, 1).exists()


def test_a_budget_and_an_endpoint_hold_for_shards_and_errors_come_back_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED_KEY", "sk-planted-ray-58c1")
    with ScriptedServer(Script(agent=PlanModel())) as server:
        given = {"base_url": server.url, "api_key_env": "PLANTED_KEY", "max_tokens": 2_000, "rpm": 60_000.0}
        cut = planned(1, tmp_path / "shards", agent="agent-1", **given)
        order = cut.order(1)
        assert order.keys == {"PLANTED_KEY": "sk-planted-ray-58c1"}
        assert "sk-planted" not in repr(order)
        end = work_on(order)
        assert end.kind == "budget"
        with pytest.raises(BudgetSpent, match="shard 1/1: the budget of 2,000 tokens is spent"):
            end.raise_error()
        assert server.requests
    refused = work_on(replace(cut.order(1), errand=Errand("starter", "python:not_there:work", {}, ())))
    with pytest.raises(SettingError, match="not_there"):
        refused.raise_error()
    assert ShardEnd().raise_error() is None


def test_a_worker_of_another_version_says_so() -> None:
    said = far_work()("0.0.1", b"")
    assert f"has worktrial {__version__}, and this command 0.0.1" in said


@pytest.mark.parametrize("address", ["", "nonsense", "http://a:1", "ray://head:10001", "host:", "local:x"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(SettingError, match="is not `local`, `auto` or HOST:PORT"):
        Cluster(address)


def _ray(version: str) -> ModuleType:
    made = ModuleType("ray")
    made.__version__ = version  # type: ignore[attr-defined]
    return made


@pytest.mark.parametrize(
    ("words", "library", "said"),
    [
        (("--ray", "local"), None, "A Ray cluster needs ray: pip install 'worktrial[ray]'"),
        (("--ray", "local"), _ray("2.9.3"), "Ray 2.9.3 is too old; install 2.50"),
        (("--ray", "127.0.0.1:1", "--ray-wait", "0"), _ray("2.60.0"), "nothing answers there within 0 s"),
        (("--ray", "nonsense"), None, "--ray nonsense: is not"),
        (("--shards", "2"), None, "add --ray ADDRESS"),
        (("--ray", "local", "--shard", "1/2"), None, "leave --shard out"),
        (("--ray", "local", "--agent", "plan"), None, "one --agent at a time"),
        (("--ray", "local", "-o", "file:///tmp/none"), _ray("2.60.0"), "needs --shards N"),
    ],
)
def test_what_does_not_go_with_a_cluster_is_one_line(
    words: tuple[str, ...], library: ModuleType | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", library)
    ran = command(*STARTER, *([] if "-o" in words else ["-o", tmp_path / "run"]), *words)
    assert ran.code == 2
    assert said in ran.said and "Traceback" not in ran.said
    assert not (tmp_path / "run").exists()


def test_a_folder_that_holds_something_else_is_refused_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", _ray("2.60.0"))
    run = tmp_path / "run"
    assert command(*STARTER, "-o", run).code == 0
    ran = command(*STARTER, "-o", run, "--ray", "local")
    assert ran.code == 2 and "was not made with --ray" in ran.said
    other = tmp_path / "other"
    shard_home(tmp_path / "other.shards", 1, 4).mkdir(parents=True)
    ran = command(*STARTER, "-o", other, "--ray", "local", "--shards", 2)
    assert ran.code == 2 and "holds the run in 4 shards" in ran.said
