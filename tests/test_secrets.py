"""A planted key is found nowhere."""

import json
import logging
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.engine.rig import KEY, TinyTrial, all_bytes, ask_once, role_settings, run_tiny
from tests.support.combinators import At
from tests.support.request import ScriptedRequest
from tests.support.script import Script
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import Reply, completion, error_reply, tool_call

from worktrial.engine.record import SampleResult
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import InvalidReason, InvalidSample, SettingError, StopRun
from worktrial.secrets import HIDDEN, Redactor


def echo_401(request: ScriptedRequest) -> Reply:
    return error_reply(401, f"Incorrect API key provided: {request.headers['Authorization']}")


def echo_400(request: ScriptedRequest) -> Reply:
    return error_reply(400, f"{'padding ' * 60}{request.headers['Authorization']}")


def echo_html(request: ScriptedRequest) -> Reply:
    return Reply(b"x" * 190 + request.headers["Authorization"].encode() * 9, content_type="text/html")


def parrots(request: ScriptedRequest) -> Any:
    key = request.headers["Authorization"].removeprefix("Bearer ")
    return completion(f"Your key is {key}.", tool_calls=[tool_call("look", {"key": key}, "c")])


async def leaky(job: Job, context: SampleContext) -> SampleResult:
    if job.sample == "1":
        raise ValueError(f"a header with {KEY}")
    if job.sample == "2":
        raise InvalidSample(InvalidReason.AGENT_CRASH, f"my own agent knows {KEY}")
    return await ask_once(job, context)


def test_in_no_file_output_or_log_of_a_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("PLANTED", KEY)
    steps = [At({0, 1}, parrots), At({2}, echo_400), At({3, 4, 5}, echo_html), At({6}, echo_401), parrots]
    with ScriptedServer(Script(agent=steps)) as server:
        role = role_settings(server.url, api_key_env="PLANTED")
        run = {"role": role, "cache": tmp_path / "cache", "concurrency": 1, "command": ("worktrial", "--key", KEY)}
        with pytest.raises(StopRun) as stopped:
            run_tiny(tmp_path / "run", server.url, TinyTrial(9, leaky), **run)
        run_tiny(tmp_path / "run", server.url, TinyTrial(9, leaky), **run)
        assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    written = all_bytes(tmp_path)
    said = "".join([str(stopped.value), caplog.text, *capfd.readouterr()])
    # Eight characters: a key that was cut must not have been half kept.
    assert KEY[:8].encode() not in written
    assert KEY[:8] not in said
    assert "ValueError: a header with [key]" in caplog.text
    assert HIDDEN.encode() in written
    assert b"endpoint_refused" in written
    assert b"bad_reply" in written
    assert len(list((tmp_path / "cache").rglob("*.json"))) >= 3


def test_a_password_in_an_address(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        url = server.url.replace("//", "//ann:hunter2@")
        run_tiny(tmp_path, url, command=("worktrial", "--base-url", f"{url}?token=abcdefgh"))
        assert server.requests[0].headers["Authorization"].startswith("Basic ")
    assert b"hunter2" not in all_bytes(tmp_path)


@pytest.mark.parametrize("key", ['with"quote\\and-more', "ünï-çödé-key", "a/b+c=d&e-f"])
def test_a_key_in_every_guise(key: str) -> None:
    redactor = Redactor([key])
    for guise in (key, json.dumps({"x": key}), json.dumps([key], ensure_ascii=False), f"?k={quote(key, safe='')}"):
        hidden = redactor.text(guise)
        assert HIDDEN in hidden
        assert redactor.bytes(guise.encode()) == hidden.encode()
        assert key not in hidden


@pytest.mark.parametrize("key", ["pass", "none", "test", "ollama", "sample"])
def test_a_word_for_a_key_does_not_spoil_the_records(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED", key)
    with ScriptedServer() as server:
        role = role_settings(server.url, api_key_env="PLANTED")
        for _ in range(2):
            assert len(run_tiny(tmp_path, server.url, role=role).records) == 4
    assert server.count() == 4


def test_a_key_that_is_not_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (None, " "):
        if value is not None:
            monkeypatch.setenv("PLANTED", value)
        with pytest.raises(SettingError, match=r"environment variable PLANTED \(key of the agent\) is not set"):
            run_tiny(tmp_path / "run", "", role=role_settings("http://127.0.0.1:9/v1", api_key_env="PLANTED"))
    assert not (tmp_path / "run").exists()


def test_what_cannot_be_a_key_is_not_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", "planted-key\nof two lines")
    with pytest.raises(SettingError, match=r"PLANTED .*line break") as refused:
        run_tiny(tmp_path / "run", "", role=role_settings("http://127.0.0.1:9/v1", api_key_env="PLANTED"))
    assert "planted-key" not in str(refused.value)


def test_an_address_with_a_secret_in_its_query() -> None:
    redactor = Redactor()
    redactor.add_url("http://127.0.0.1/v1?key=sesame%2Fopen&api-version=2026-01-01")
    assert redactor.text("sesame/open or sesame%2Fopen since 2026-01-01") == "[key] or [key] since 2026-01-01"


@pytest.mark.parametrize("safe", ["", "+"])
def test_a_password_of_an_address_is_hidden_as_it_is_sent(safe: str) -> None:
    password = "s3/same+pass wörd"
    redactor = Redactor()
    redactor.add_url(f"http://ann:{quote(password, safe=safe).replace('%2F', '%2f')}@127.0.0.1/v1")
    basic = b64encode(f"ann:{password}".encode()).decode()
    slashed = json.dumps(password).replace("/", "\\/")
    for guise in (password, password.upper(), slashed, slashed.replace("00f6", "00F6"), json.dumps(slashed)):
        hidden = redactor.text(f"<{guise}>")
        assert HIDDEN in hidden
        assert "same" not in hidden.lower()
        assert redactor.bytes(f"<{guise}>".encode()) == hidden.encode()
    assert redactor.text(basic).rstrip("=") == HIDDEN
