"""Budgets, and what requests cost."""

from pathlib import Path
from typing import Any

import pytest
from tests.engine.rig import TinyTrial, client_at, role_settings, run_tiny
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial.engine.manifest import read_manifest
from worktrial.engine.providers import OPENAI_URL
from worktrial.engine.roles import Role, RoleSettings
from worktrial.engine.spend import Budget, BudgetSpent, context_of, price_for
from worktrial.errors import SettingError, StopRun
from worktrial.language import Usage

PRICE = (0.0, 1e6)  # a dollar for each output token; the scripted agent answers with four


@pytest.mark.parametrize(
    ("budget", "option", "requests"),
    [
        (Budget(cost=9), "max_cost", 3),
        (Budget(tokens=11), "max_tokens", 3),
        # Spent to the last token or cent is spent: another request would go over.
        (Budget(cost=8), "max_cost", 2),
        (Budget(tokens=10), "max_tokens", 2),
        (Budget(minutes=0), "max_minutes", 0),
    ],
)
def test_a_spent_budget_stops_before_the_next_request(
    tmp_path: Path, budget: Budget, option: str, requests: int
) -> None:
    with ScriptedServer() as server:
        role = role_settings(server.url, price=PRICE)
        with pytest.raises(BudgetSpent, match=option):
            run_tiny(tmp_path, server.url, TinyTrial(9), role=role, budget=budget, concurrency=1)
        assert server.count() == requests
        [session] = read_manifest(tmp_path / "manifest.json").sessions
        assert (session.cost, session.tokens) == (4 * requests, 5 * requests)
        assert session.end is not None
        assert option in session.end
        # The same budget again is spent already; a larger one goes on from there.
        if requests:
            with pytest.raises(BudgetSpent):
                run_tiny(tmp_path, server.url, TinyTrial(9), role=role, budget=budget, concurrency=1)
            assert server.count() == requests
        end = run_tiny(tmp_path, server.url, TinyTrial(9), role=role, budget=Budget(cost=1000, tokens=1000))
    assert len(end.records) == server.count() == 9


def test_a_killed_session_counts_by_its_samples(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        role = role_settings(server.url, price=PRICE)
        run_tiny(tmp_path, server.url, TinyTrial(9), role=role, budget=Budget(cost=1000))
        manifest = tmp_path / "manifest.json"
        text = manifest.read_text()
        assert '"cost": 36.0' in text
        manifest.write_text(text.replace('"cost": 36.0', '"cost": 0.0').replace('"tokens": 45', '"tokens": 0'))
        lines = (tmp_path / "samples.jsonl").read_bytes().splitlines(keepends=True)
        (tmp_path / "samples.jsonl").write_bytes(b"".join(lines[:-1]))
        with pytest.raises(BudgetSpent, match=r"\$32"):
            run_tiny(tmp_path, server.url, TinyTrial(9), role=role, budget=Budget(cost=32))
    assert server.count() == 9


def test_a_cost_budget_needs_a_known_price(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        with pytest.raises(SettingError, match="agent_price IN,OUT"):
            run_tiny(tmp_path, server.url, budget=Budget(cost=1))
    assert server.count() == 0


@pytest.mark.parametrize("budget", [Budget(cost=1), Budget(tokens=9)])
def test_a_budget_needs_reported_tokens(tmp_path: Path, budget: Budget) -> None:
    with ScriptedServer(Script(usage=False)) as server:
        with pytest.raises(StopRun, match="does not report"):
            run_tiny(
                tmp_path, server.url, role=role_settings(server.url, price=PRICE), budget=budget, concurrency=1
            )
    assert server.count() == 1


def test_a_client_says_whether_its_price_is_known() -> None:
    import asyncio

    async def priced(**settings: Any) -> bool:
        async with client_at("http://127.0.0.1:1/v1", **settings) as client:
            return client.is_priced

    assert asyncio.run(priced(price=(1, 2))) is True
    assert asyncio.run(priced()) is False


USAGE = Usage(1, 1_000_000, 100_000, 0)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000/v1", "http://gpu-box:8000/v1", "http://[::1]:8000/v1", None]
)
def test_a_server_of_ones_own_is_not_on_the_list(url: str | None) -> None:
    assert price_for(RoleSettings(role=Role.AGENT, model="gpt-4o", base_url=url)) is None


def test_the_price_list_and_the_users_figures() -> None:
    listed = RoleSettings(role=Role.AGENT, model="gpt-4o", base_url=OPENAI_URL)
    price = price_for(listed)
    assert price is not None
    full, cached = price(USAGE), price(Usage(1, 1_000_000, 100_000, 1_000_000))
    assert full is not None
    assert cached is not None
    assert 0 < cached < full
    # More cached than sent is a provider's slip, not a negative price.
    assert price(Usage(1, 1_000_000, 100_000, 9_000_000)) == cached
    assert price(Usage(1)) is None
    own = price_for(RoleSettings(role=Role.AGENT, model="gpt-4o", base_url=OPENAI_URL, price=(1, 2)))
    assert own is not None
    assert own(USAGE) == pytest.approx(1.2)
    assert price_for(RoleSettings(role=Role.AGENT, model="no-such-model-xyz", base_url=OPENAI_URL)) is None


def test_input_into_the_providers_cache_has_a_price_of_its_own() -> None:
    usage = Usage(1, 100_000, 10_000, 20_000, 10_000)
    listed = price_for(RoleSettings(role=Role.AGENT, model="anthropic/claude-sonnet-4-5").resolved())
    assert listed is not None
    assert listed(usage) == pytest.approx((70_000 * 3 + 20_000 * 0.3 + 10_000 * 3.75 + 10_000 * 15) / 1e6)

    def given(*figures: float) -> Any:
        return price_for(RoleSettings(role=Role.AGENT, model="m", base_url="http://127.0.0.1:1/v1", price=figures))

    assert given(2, 10)(usage) == pytest.approx(0.3)
    assert given(2, 10, 0.5)(usage) == pytest.approx(0.3 - 0.03)
    assert given(2, 10, 0.5, 3)(usage) == pytest.approx(0.3 - 0.03 + 0.01)
    # More than sent is a provider's slip, not a negative price.
    for slip in (Usage(1, 100_000, 10_000, 90_000, 90_000), Usage(1, 100_000, 10_000, 900_000, 900_000)):
        assert 0.1 < given(2, 10, 0.5, 3)(slip) < 0.4
        assert 0.1 < listed(slip) < 0.6


def test_the_price_list_knows_how_much_a_model_can_hold() -> None:
    def held(model: str, url: str | None) -> int | None:
        return context_of(RoleSettings(role=Role.SIMULATOR, model=model, base_url=url))

    assert held("gpt-4o", OPENAI_URL) == 128_000
    assert held("local", None) == 8192
    assert held("no-such-model-xyz", OPENAI_URL) is None
    # Behind an address of one's own the same name may be served with any size.
    assert held("gpt-4o", "http://127.0.0.1:8000/v1") is held("gpt-4o", "https://models.example.org/v1") is None


def test_the_embedded_model_is_free() -> None:
    price = price_for(RoleSettings(role=Role.AGENT, model="local"))
    assert price is not None
    assert price(USAGE) == price(Usage(1)) == 0
