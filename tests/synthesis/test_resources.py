"""The folder for one process, the spend over sessions, and lines that keep keys."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.behaviours import Says, Status
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial.engine.retry import RetryPolicy
from worktrial.engine.roles import Role, RoleSettings
from worktrial.engine.spend import Budget, BudgetSpent
from worktrial.errors import DataError, InvalidSample, SettingError, StopRun
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.resources import ResourceSettings, SessionResources, locked, open_resources

KEY = "sk-very-secret-1234"


def settings(url: str, budget: Budget | None = None, retry: RetryPolicy | None = None) -> ResourceSettings:
    writer = RoleSettings(
        role=Role.SYNTHESIZER, model="synthesizer-1", base_url=url, api_key_env="DESK_KEY", price=(1.0, 2.0)
    )
    return ResourceSettings(
        roles={"synthesizer": writer}, requests=2, budget=budget or Budget(), retry=retry or RetryPolicy()
    )


async def ask(folder: SuiteFolder, given: ResourceSettings, salts: list[str]) -> SessionResources:
    async with open_resources(folder, given) as resources:
        for salt in salts:
            await resources.model("synthesizer", salt)([{"role": "user", "content": "Write."}])
        return resources


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESK_KEY", KEY)


def test_every_answer_is_paid_for_once_and_counts_in_later_sessions(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path)
    with ScriptedServer() as server:
        first = asyncio.run(ask(folder, settings(server.url), ["a", "b"]))
        assert first.spend.tokens > 0
        again = asyncio.run(ask(folder, settings(server.url), ["a", "b"]))
        assert (server.count(), again.spend.answers) == (2, 0)
        assert (again.spend.cost, again.spend.tokens) == (first.spend.cost, first.spend.tokens)
        assert again.spend.before == (first.spend.cost, first.spend.tokens)
        with pytest.raises(BudgetSpent, match="max_cost"):
            asyncio.run(ask(folder, settings(server.url, Budget(cost=first.spend.cost)), ["c"]))
        assert server.count() == 2


def test_what_a_killed_session_spent_counts(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path)
    with ScriptedServer() as server:
        spent = asyncio.run(ask(folder, settings(server.url), ["a", "b"])).spend.tokens
        with (tmp_path / "work" / "spend.jsonl").open("ab") as file:
            file.write(b'{"tokens": 99')
        assert asyncio.run(ask(folder, settings(server.url), [])).spend.tokens == spent


def test_a_key_that_is_repeated_in_an_answer_is_hidden(tmp_path: Path) -> None:
    async def said() -> str:
        async with open_resources(SuiteFolder(tmp_path), settings(server.url)) as resources:
            completion = await resources.model("synthesizer", "x")([{"role": "user", "content": "Write."}])
            return completion.text

    with ScriptedServer(Script(synthesizer=Says(f"the key is {KEY}."))) as server:
        assert [asyncio.run(said()), asyncio.run(said())] == ["the key is [key]."] * 2
        assert server.count() == 1


def test_an_endpoint_that_is_gone_ends_the_session(tmp_path: Path) -> None:
    async def knock(times: int) -> None:
        async with open_resources(
            SuiteFolder(tmp_path), settings(server.url, retry=RetryPolicy(attempts=1))
        ) as resources:
            for number in range(times):
                with pytest.raises(InvalidSample, match="endpoint_unavailable"):
                    await resources.model("synthesizer", str(number))([{"role": "user", "content": "Write."}])
            await resources.model("synthesizer", "last")([{"role": "user", "content": "Write."}])

    with ScriptedServer(Script(synthesizer=Status(503))) as server:
        with pytest.raises(StopRun, match="could not reach"):
            asyncio.run(knock(7))


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    folder = SuiteFolder(tmp_path / "suite")
    code = (
        "import pathlib, sys\n"
        "from worktrial.synthesis.resources import locked\n"
        "from worktrial.synthesis.folder import SuiteFolder\n"
        "with locked(SuiteFolder(pathlib.Path(sys.argv[1]))): pass\n"
    )
    with locked(folder):
        other = subprocess.run(
            [sys.executable, "-c", code, folder.root], capture_output=True, text=True, env=os.environ, check=False
        )
        assert "another process is working on this suite" in other.stderr
    with locked(folder):
        pass


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters.txt").write_text("dear")
    with pytest.raises(DataError, match=r"letters\.txt"):
        with locked(SuiteFolder(tmp_path)):
            pass
    with pytest.raises(DataError, match="is a file"):
        with locked(SuiteFolder(tmp_path / "letters.txt")):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["letters.txt"]


def test_a_cost_budget_needs_prices(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        given = settings(server.url, Budget(cost=1.0))
        unpriced = ResourceSettings(
            roles={"synthesizer": RoleSettings(role=Role.SYNTHESIZER, model="m", base_url=server.url)},
            requests=1,
            budget=given.budget,
        )
        with pytest.raises(SettingError, match="price"):
            asyncio.run(ask(SuiteFolder(tmp_path), unpriced, []))
