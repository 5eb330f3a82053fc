"""A key that is planted in a run is found nowhere afterwards."""

import os
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.support import behaviours
from tests.support.cli import Word, at, command, holding, samples_of
from tests.support.occubench import TinyRelease
from tests.support.request import ScriptedRequest
from tests.support.script import Endpoint, Script, Step
from tests.support.scripted_server import ScriptedServer
from tests.support.wire import Body, completion, error_reply

KEY = 'sk-planted/4b+9e"0d'
PASSWORD = "p4ssw0rd-planted"


def _says_the_key(request: ScriptedRequest) -> Body:
    return completion(f"I was asked with {request.headers.get('Authorization')}, that is {KEY}.")


def _refuses_with_the_url(request: ScriptedRequest) -> object:
    return error_reply(401, f"Not for {PASSWORD} at {request.headers.get('Host')}.")


def _check(tmp_path: Path, url: str, code: int | None, *more: Word) -> str:
    data = TinyRelease().write(tmp_path / "data")
    words = ["run", "occupations", "--data", data, *at(url), "-o", tmp_path / "run", "--retry-seconds", 2, *more]
    ran = command(*words, env={"PLANTED": KEY})
    later = [command("show", tmp_path / "run"), command("trajectory", tmp_path / "run", "11", "--json")]
    secrets = [KEY, PASSWORD, quote(KEY, safe=""), KEY.replace('"', '\\"')]
    assert holding(tmp_path, secrets) == []
    for said in (ran, *later):
        assert not [s for s in secrets if s in said.out + said.err]
    assert "Traceback" not in ran.err
    if code is not None:
        assert ran.code == code, ran.err
    return ran.err


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (Script(endpoint=Endpoint(key=KEY)), 0),
        (Script(agent=_says_the_key), 0),
        (Script(judge=behaviours.RefusesKey()), 2),
        (Script(agent=behaviours.Status(500)), 3),
        (Script(agent=behaviours.Html()), 3),
    ],
)
def test_a_key_from_the_environment(script: Script, code: int, tmp_path: Path) -> None:
    with ScriptedServer(script) as server:
        options = ["--api-key-env", "PLANTED", "--cache", tmp_path / "cache", "--retries", 2]
        _check(tmp_path, server.url, code, *options)
        assert {r.headers["Authorization"] for r in server.requests} == {f"Bearer {KEY}"}
    if code == 0:
        assert {r["outcome"] for r in samples_of(tmp_path / "run")} == {"pass"}


@pytest.mark.parametrize("place", ["http://user:{secret}@{host}/v1", "http://{host}/v1?key={secret}&v=2"])
@pytest.mark.parametrize(
    ("step", "code"),
    [((), 0), (behaviours.UnknownModel(), 2), (_refuses_with_the_url, 2), (behaviours.Status(503), 3)],
)
def test_a_secret_in_the_address(place: str, step: Step, code: int, tmp_path: Path) -> None:
    with ScriptedServer(Script(judge=step)) as server:
        host = server.url.removeprefix("http://").removesuffix("/v1")
        said = _check(tmp_path, place.format(host=host, secret=PASSWORD), code, "--retries", 1)
    # The address as such is named, so that the message helps.
    assert code != 2 or host in said


def test_a_key_and_a_password_exclude_each_other(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        url = server.url.replace("http://", f"http://user:{PASSWORD}@")
        said = _check(tmp_path, url, 2, "--api-key-env", "PLANTED")
        assert server.count() == 0
    assert "--agent-api-key-env" in said


def test_a_secret_in_the_address_of_an_endpoint_that_is_down(tmp_path: Path) -> None:
    said = _check(tmp_path, f"http://user:{PASSWORD}@127.0.0.1:9/v1?key={PASSWORD}", 2)
    assert "http://127.0.0.1:9/v1" in said


def test_the_command_to_resume_hides_the_address(tmp_path: Path) -> None:
    with ScriptedServer() as server:
        url = server.url.replace("http://", f"http://user:{PASSWORD}@")
        said = _check(tmp_path, url, 130, "--max-tokens", 100)
    assert "resume with:" in said
    assert os.fspath(tmp_path / "run") in said
