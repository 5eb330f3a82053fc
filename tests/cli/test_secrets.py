"""A key that is planted in a run is found nowhere afterwards."""

import os
from base64 import b64encode
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

from worktrial.engine.segments import segment_path

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


_LEAKY = """
import base64, html, itertools, json, os, urllib.parse

turn = itertools.count()

def work(assignment):
    secrets = os.environ["PLANTED"], os.environ["SPELLED"], "ann:" + os.environ["SPELLED"]
    forms = [base64.b64encode(secrets[2].encode()).decode()]
    for one in secrets:
        said = json.dumps(one)
        forms += [one, one.upper(), one.lower(), said, said.replace("/", "\\\\/")]
        forms += [json.dumps({"a": said}), repr(one)]
        forms += [urllib.parse.quote(one, safe=""), urllib.parse.quote(one, safe="").lower(), html.escape(one)]
    told = " and ".join(forms)
    print(told)
    assignment.call("look_at_" + told, {"why": told})
    if next(turn) == 0:
        raise LookupError(told)
    return told
"""


def test_no_spelling_of_a_secret_is_anywhere_after_a_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level("DEBUG")
    key, spelled = 'sk-Zebra/9+Zebra"9', 'Quagga/7 "Quagga7'
    out, agent = tmp_path / "out", tmp_path / "leaky.py"
    agent.write_text(_LEAKY)
    data, run = TinyRelease().write(tmp_path / "data"), out / "run"
    with ScriptedServer() as plain, ScriptedServer() as walled:
        address = walled.url.replace("//", f"//ann:{quote(spelled, safe='').replace('%2F', '%2f')}@")
        words: list[Word] = ["run", "occupations", "--data", data, *at(plain.url, agent=f"python:{agent}:work")]
        words += ["--simulator-api-key-env", "PLANTED", "--judge-base-url", address]
        words += ["--tasks", "11,7", "--max-invalid", 1, "-o", run, "--cache", out / "cache"]
        ran = [command(*words, env={"PLANTED": key, "SPELLED": spelled})]
    ran += [command("show", run), command("report", run, "-o", out / "report")]
    ran += [command("trajectory", run, task, *more) for task in ("11", "7") for more in ((), ("--json",))]
    for form in ("csv", "jsonl", "markdown"):
        ran.append(command("export", run, "--format", form, "-o", out / f"samples.{form}"))
    assert [(one.code, one.err) for one in ran if one.code] == []
    assert "agent_crash: LookupError" in (run / "samples.jsonl").read_text()
    assert "Traceback (most recent call last)" in segment_path(run, 1).read_text()
    assert list((out / "cache").rglob("*.json"))
    said = "".join([caplog.text, *capfd.readouterr(), *(one.out + one.err for one in ran)])
    basic = b64encode(f"ann:{spelled}".encode()).decode().rstrip("=")
    files = [path for path in out.rglob("*") if path.is_file()]
    for part in ("zebra", "quagga", basic.lower()):
        assert part not in said.lower()
        assert [path.name for path in files if part.encode() in path.read_bytes().lower()] == []


@pytest.mark.parametrize("key", ["sk-Zebra123456", "AIzaSyZebra", "AKIAZEBRAFODNN7EXAMP", "9f86d081884c7d65"])
def test_a_key_in_the_place_of_its_name_is_refused_and_not_repeated(key: str, tmp_path: Path) -> None:
    data = TinyRelease().write(tmp_path / "data")
    for words in (
        ("run", "occupations", "--data", data, *at("http://127.0.0.1:9/v1"), "-o", tmp_path / "run"),
        ("doctor", "--base-url", "http://127.0.0.1:9/v1"),
    ):
        ran = command(*words, "--api-key-env", key)
        assert ran.code == 2
        assert "never the key itself" in ran.said
        assert key not in ran.said
        assert holding(tmp_path, [key]) == []
