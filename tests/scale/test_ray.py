"""Runs on a Ray cluster, as far as they can be tried without one: the ledger, the keeper, and what is refused."""

import asyncio
import sys
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
from worktrial.engine.spend import Budget, BudgetSpent
from worktrial.errors import SettingError, StopRun
from worktrial.scale import merge
from worktrial.scale.ray.cluster import Cluster, far_work
from worktrial.scale.ray.head import Errand, Planned
from worktrial.scale.ray.keeper import Courier, Keeper, shard_home
from worktrial.scale.ray.ledger import LimitsLedger
from worktrial.scale.ray.share import Ask, Share
from worktrial.scale.ray.worker import ShardEnd, work_on
from worktrial.trials import prepare

STARTER = ("run", "starter", "--agent", "plan", "--limit", "12")


def asking(someone: Any) -> Ask:
    async def ask(name: str, *args: Any, **named: Any) -> Any:
        await asyncio.sleep(0)
        return getattr(someone, name)(*args, **named)

    return ask


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_grants_never_exceed_the_budget_and_what_is_not_used_comes_back() -> None:
    ledger = LimitsLedger(Budget(tokens=100_000), 2, tokens=20_000)
    for shard in (1, 2):
        ledger.begin(shard, 0.0, 10_000)
    first = ledger.settle(1, 0.0, 0, {}, wants=True).tokens
    second = ledger.settle(2, 0.0, 0, {}, wants=True).tokens
    assert first and second and first + second <= 80_000
    # The first dies, having told of 5,000; what it held is free, what it told of is spent.
    ledger.settle(1, 0.0, 5_000, {})
    ledger.begin(1, 0.0, 12_000)
    assert ledger.tokens == 25_000
    # More is stored than it had told.
    ledger.begin(1, 0.0, 18_000)
    assert ledger.tokens == 28_000
    ledger.end(2)
    left = [ledger.settle(1, 0.0, 0, {}, wants=True).tokens]
    while left[-1]:
        left.append(ledger.settle(1, 0.0, int(left[-1]), {}, wants=True).tokens)
    assert ledger.tokens == 100_000
    assert "budget of 100,000 tokens is spent" in (ledger.settle(2, 0.0, 0, {}).end or "")


def test_cents_are_granted_to_the_last_and_the_end_is_told_to_all() -> None:
    ledger = LimitsLedger(Budget(cost=1.0), 4)
    spent = 0.0
    while (grant := ledger.settle(1, 0.0, 0, {}, wants=True)).cost:
        spent += grant.cost
        ledger.settle(1, grant.cost, 10, {})
    assert spent == pytest.approx(1.0) and grant.end
    assert ledger.settle(3, 0.0, 0, {}).end == grant.end


def test_minutes_are_those_of_the_whole_run() -> None:
    ledger = LimitsLedger(Budget(minutes=0.0), 1)
    assert "minutes are over" in (ledger.settle(1, 0.0, 0, {}).end or "")


def test_requests_of_all_shards_stand_in_one_line() -> None:
    clock = Clock()
    ledger = LimitsLedger(Budget(), 2, clock=clock)
    # 60 a minute: one a second, whoever sends it.
    first = ledger.take("agent", "requests", 1, 1.0, 3)
    second = ledger.take("agent", "requests", 1, 1.0, 2)
    sent = [(ahead + k) / rate for (ahead, rate), n in ((first, 3), (second, 2)) for k in range(1, n + 1)]
    assert sent == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert ledger.take("judge", "requests", 1, 1.0, 1).ahead == -1
    # Two were not used.
    assert ledger.take("agent", "requests", 1, 1.0, 1, back=2).ahead == 2
    clock.now += 100
    assert ledger.take("agent", "requests", 1, 1.0, 1).ahead == -1


def test_tokens_of_a_minute_may_go_at_once_and_more_have_to_wait() -> None:
    ledger = LimitsLedger(Budget(), 2, clock=Clock())
    ahead, rate = ledger.take("agent", "tokens", 6000, 60, 6000)
    assert (ahead + 6000) / rate == 0
    ahead, rate = ledger.take("agent", "tokens", 6000, 60, 300)
    assert (ahead + 300) / rate == 3


def test_a_limiter_sends_no_sooner_than_the_ledger_says() -> None:
    async def most() -> int:
        ledger = LimitsLedger(Budget(), 2)
        limiters = [Share(asking(ledger), n, 2, Budget()).limiter("agent", "requests", 1, 1 / 40) for n in (1, 2)]
        sent = 0

        async def send(one: Any) -> None:
            nonlocal sent
            while True:
                await one.acquire()
                sent += 1

        tasks = [asyncio.create_task(send(one)) for one in limiters]
        began = asyncio.get_running_loop().time()
        await asyncio.sleep(0.5)
        seconds = asyncio.get_running_loop().time() - began
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # A bound from above, however slow the machine is.
        assert sent <= 2 + 40 * seconds
        return sent

    assert asyncio.run(most()) > 0


def test_shards_stop_together_when_the_budget_is_spent() -> None:
    async def work() -> int:
        budget = Budget(tokens=50_000)
        ledger = LimitsLedger(budget, 2)
        shares = [Share(asking(ledger), number, 2, budget) for number in (1, 2)]
        in_flight = 3

        async def send(share: Share) -> None:
            with pytest.raises(BudgetSpent, match="50,000 tokens"):
                while True:
                    await share.admit("agent")
                    await asyncio.sleep(0)
                    share.spent(0.0, 1_000)

        for share in shares:
            share.opened(0.0, 0)
        await asyncio.gather(*(send(share) for share in shares for _ in range(in_flight)))
        for share in shares:
            await share.close()
        return ledger.tokens - 50_000 - 2 * in_flight * 1_000

    assert asyncio.run(work()) <= 0


def test_who_is_told_to_slow_down_tells_the_others() -> None:
    async def pauses() -> tuple[bool, bool]:
        ledger = LimitsLedger(Budget(), 2)
        one, other = (Share(asking(ledger), number, 2, Budget()) for number in (1, 2))
        for share in (one, other):
            share.opened(0.0, 0)
        tasks = [asyncio.create_task(share.keep_up()) for share in (one, other)]
        await asyncio.sleep(0)
        one.slow_down("agent", 3600)
        waited = []
        for share in (one, other):
            # Only the next beat of the other brings it.
            while not await _waits(share, "agent"):
                await asyncio.sleep(0.05)
            waited.append(await _waits(share, "judge"))
        for task in tasks:
            task.cancel()
        return waited[0], waited[1]

    assert asyncio.run(asyncio.wait_for(pauses(), 60)) == (False, False)


async def _waits(share: Share, role: str) -> bool:
    try:
        await asyncio.wait_for(share.admit(role), 0.01)
    except TimeoutError:
        return True
    return False


def planned(of: int, *, agent: str = "plan", **given: Any) -> tuple[Planned, Errand]:
    given = {"limit": 12, **given}
    prepared = prepare("starter", agent, {**given, "output": Path("unused")})
    return Planned(prepared, of, of), Errand("starter", agent, given, ("worktrial", "run"))


def test_shards_that_travel_are_the_run_of_one_process_and_a_second_attempt_goes_on(tmp_path: Path) -> None:
    cut, errand = planned(2)
    home = tmp_path / "shards"
    keeper, ledger = Keeper(home, 2), LimitsLedger(Budget(), 2)
    assert work_on(cut.order(errand, 1), asking(ledger), asking(keeper)).error is None
    first = shard_home(home, 1, 2)
    stored = (first / "samples.jsonl").read_bytes()
    # All of it is lost but two samples, a torn line and the trajectories.
    lines = stored.splitlines(keepends=True)
    (first / "samples.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:40])
    ends = [work_on(cut.order(errand, number), asking(ledger), asking(keeper)) for number in (1, 2)]
    assert [end.error for end in ends] == [None, None]
    assert (first / "samples.jsonl").read_bytes().startswith(b"".join(lines[:2]))
    assert len(samples_of(first)) == len(lines)
    run, alone = tmp_path / "run", tmp_path / "alone"
    merge([shard_home(home, number, 2) for number in (1, 2)], run)
    assert command(*STARTER, "-o", alone).code == 0
    same_work(alone, run)
    packed = tmp_path / "packed"
    merge([shard_home(home, number, 2) for number in (1, 2)], packed, compress=True)
    assert (packed / "trajectories.jsonl.zst").exists()
    same_work(run, packed)


def test_an_attempt_that_was_given_up_writes_no_more(tmp_path: Path) -> None:
    keeper = Keeper(tmp_path / "kept", 1)
    folder = tmp_path / "run"

    async def late() -> None:
        courier = Courier(asking(keeper), 1, folder)
        await courier.fetch()
        (folder / "samples.jsonl").write_text("{}\n")
        keeper.begin(1)
        await courier.send()

    with pytest.raises(StopRun, match="taken over"):
        asyncio.run(late())
    assert not shard_home(tmp_path / "kept", 1, 1).exists()


def test_large_files_travel_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worktrial.scale.ray.keeper.PIECE", 10)
    keeper = Keeper(tmp_path / "kept", 1)
    text = b"a line\n" * 9

    async def there_and_back() -> None:
        courier = Courier(asking(keeper), 1, tmp_path / "there")
        await courier.fetch()
        (tmp_path / "there" / "trajectories.jsonl").write_bytes(text)
        await courier.send()
        await Courier(asking(keeper), 1, tmp_path / "back").fetch()

    asyncio.run(there_and_back())
    assert (tmp_path / "back" / "trajectories.jsonl").read_bytes() == text


def test_a_budget_and_an_endpoint_hold_for_shards_and_errors_come_back_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED_KEY", "sk-planted-ray-58c1")
    keeper = Keeper(tmp_path / "kept", 1)
    with ScriptedServer(Script(agent=PlanModel())) as server:
        given = {"base_url": server.url, "api_key_env": "PLANTED_KEY", "max_tokens": 2_000, "rpm": 60_000.0}
        cut, errand = planned(1, agent="agent-1", **given)
        order = cut.order(errand, 1)
        assert order.keys == {"PLANTED_KEY": "sk-planted-ray-58c1"}
        assert "sk-planted" not in repr(order)
        ledger = LimitsLedger(cut.prepared.settings.budget, 1)
        end = work_on(order, asking(ledger), asking(keeper))
        assert end.kind == "budget"
        with pytest.raises(BudgetSpent, match="shard 1/1: the budget of 2,000 tokens is spent"):
            end.raise_error()
        assert ledger.tokens >= 2_000
        assert server.requests
    refused = work_on(
        cut.order(Errand("starter", "python:not_there:work", {}, ()), 1), asking(ledger), asking(keeper)
    )
    with pytest.raises(SettingError, match="not_there"):
        refused.raise_error()
    assert ShardEnd(1).raise_error() is None


def test_a_worker_of_another_version_says_so() -> None:
    said = far_work("worktrial.scale.ray.worker:work_on", "do_shard")("0.0.1", b"", None, None)
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
