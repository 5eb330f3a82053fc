"""What an endpoint is found to be able to do."""

import asyncio
from typing import Any

import pytest
from tests.engine.rig import KEY
from tests.support import behaviours
from tests.support.script import Endpoint, Script
from tests.support.scripted_server import ScriptedServer

from worktrial.engine.checkup import EndpointCheck, examine
from worktrial.errors import SettingError

ABILITIES = ["a plain reply", "a reply by JSON Schema", "a tool call", "log-probabilities"]


def examined(url: str, key: str | None = None, model: str | None = "agent-1") -> list[EndpointCheck]:
    return asyncio.run(examine(url, key, model))


def test_an_endpoint_that_can_do_everything() -> None:
    with ScriptedServer() as server:
        findings = examined(server.url, model="judge-1")
        assert len(examined(server.url, model=None)) == 1
    assert [f.text.split(":")[0] for f in findings[1:]] == ABILITIES
    assert findings[0].text.startswith(server.url)
    assert "; models: " in findings[0].text
    assert [f.good for f in findings] == [True, True, True, False, True], "the scripted judge calls no tools"
    assert [f.text.endswith(": yes") for f in findings[1:]] == [True, True, False, True]


@pytest.mark.parametrize("wire", ["anthropic", "gemini", "responses"])
def test_an_endpoint_of_another_wire(wire: str) -> None:
    with ScriptedServer() as server:
        findings = asyncio.run(examine(server.url, None, "agent-1", wire))
    assert findings[0].text == f"{server.url} answers"
    found = {f.text.split(":")[0]: f.good for f in findings[1:]}
    assert found == dict(zip(ABILITIES, [True, True, True, False], strict=True)), "the scripted agent tells no odds"


@pytest.mark.parametrize(
    ("endpoint", "lacks"),
    [
        (Endpoint(supports_json_schema=False), "a reply by JSON Schema"),
        (Endpoint(supports_tools=False), "a tool call"),
        (Endpoint(supports_logprobs=False), "log-probabilities"),
    ],
)
def test_a_missing_ability_is_no_failure(endpoint: Endpoint, lacks: str) -> None:
    with ScriptedServer(Script(endpoint=endpoint)) as server:
        findings = examined(server.url)
    assert lacks in [f.text.split(":")[0] for f in findings if not f.good]
    assert not any(f.needed for f in findings if not f.good)
    assert next(f for f in findings if f.text.startswith(lacks)).text.startswith(f"{lacks}: no")


@pytest.mark.parametrize(
    ("script", "shown"),
    [
        (Script(listing=behaviours.RefusesKey()), "refuses the key: Incorrect API key provided: [key]."),
        (Script(listing=behaviours.DropsConnection()), "does not answer"),
        (Script(agent=behaviours.UnknownModel()), "a plain reply: no"),
        (Script(agent=behaviours.Html()), "a plain reply: no"),
    ],
)
def test_what_is_wrong_is_told(script: Script, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED", KEY)
    with ScriptedServer(script) as server:
        findings = examined(server.url, "PLANTED")
    bad: Any = next(f for f in findings if not f.good)
    assert bad.needed
    assert shown in bad.text
    assert KEY not in "".join(f.text for f in findings)


def test_nothing_there() -> None:
    with ScriptedServer() as server:
        url = server.url
    assert [f.good for f in examined(url)] == [False]
    with pytest.raises(SettingError, match="not an address"):
        examined("localhost:8000")
