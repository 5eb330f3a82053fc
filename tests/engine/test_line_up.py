"""Bringing up the endpoints: which are dead, which are none, and how they are reached."""

import contextlib
import socket
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.engine.rig import role_settings, run_tiny
from tests.support import behaviours
from tests.support.behaviours import Status
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer

from worktrial.engine import connect
from worktrial.errors import SettingError, StopRun


@pytest.fixture
def dead_url() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def test_an_endpoint_that_is_down_is_told_at_once(
    tmp_path: Path, dead_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    monkeypatch.setattr(connect.asyncio, "sleep", pause)
    with pytest.raises(StopRun) as caught:
        run_tiny(tmp_path, dead_url)
    # Three tries, none of the long retries that requests get.
    assert pauses == list(connect.PROBE_PAUSES)
    assert sum(pauses) < 5
    assert dead_url in str(caught.value)
    assert "agent_base_url" in str(caught.value)
    assert not tmp_path.exists(), "an empty run would be left"


def test_a_refused_run_leaves_no_folder(tmp_path: Path, dead_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "PROBE_PAUSES", (0.0,))
    folder = tmp_path / "runs" / "first"
    with pytest.raises(StopRun):
        run_tiny(folder, dead_url)
    assert not folder.exists()
    # A key that is refused is known only from the endpoint; nothing was consumed either.
    with ScriptedServer(Script(agent=Status(401))) as server:
        with pytest.raises(StopRun, match="401"):
            run_tiny(folder, server.url)
        assert not folder.exists()
    # With a sample in it, it stays.
    with ScriptedServer() as server:
        run_tiny(folder, server.url)
        with pytest.raises(SettingError):
            run_tiny(folder, server.url, role=role_settings(server.url, temperature=0.5))
    assert (folder / "samples.jsonl").read_bytes()


def test_an_endpoint_that_is_about_to_come_up_is_waited_for(tmp_path: Path, dead_url: str) -> None:
    port = int(dead_url.split(":")[2].split("/")[0])
    with contextlib.ExitStack() as stack:
        timer = threading.Timer(0.3, lambda: stack.enter_context(ScriptedServer(port=port)))
        timer.start()
        assert len(run_tiny(tmp_path, dead_url).records) == 4
        timer.join()


@pytest.mark.parametrize(
    "listing", [Status(404), Status(500), behaviours.RefusesKey(), behaviours.Html(), behaviours.DropsConnection()]
)
def test_a_missing_model_list_is_no_sign_of_death(tmp_path: Path, listing: Any) -> None:
    with ScriptedServer(Script(listing=listing)) as server:
        assert run_tiny(tmp_path, server.url).invalid_share == 0


@pytest.mark.parametrize(
    "url", ["127.0.0.1:9/v1", "http://", "ftp://x/v1", "http://x:nine/v1", "http://[::1/v1", ""]
)
def test_an_address_that_is_none(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingError, match="agent_base_url"):
        run_tiny(tmp_path / "run", url)
    assert not (tmp_path / "run").exists()


def test_a_password_and_a_key_exclude_each_other(tmp_path: Path) -> None:
    role = role_settings("http://ann:hunter2@127.0.0.1:9/v1", api_key_env="PLANTED")
    with pytest.raises(SettingError, match="only one of them") as caught:
        run_tiny(tmp_path, "", role=role)
    assert "hunter2" not in str(caught.value)


def test_an_environment_proxy_is_not_for_this_machine(
    tmp_path: Path, dead_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", dead_url)
    with ScriptedServer() as server:
        assert run_tiny(tmp_path, server.url).invalid_share == 0


def test_an_environment_proxy_is_used_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer() as server:
        monkeypatch.setenv("http_proxy", server.url)
        run_tiny(tmp_path, "http://models.invalid/v1")
        assert server.count() == 4
        assert server.requests[0].headers["Host"] == "models.invalid"
