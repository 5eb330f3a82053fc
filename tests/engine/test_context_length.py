"""How much context an endpoint says that its model has."""

import asyncio
import json
from typing import Any

import pytest
from tests.support import behaviours
from tests.support.scripted_server import Script, ScriptedServer
from tests.support.wire import Reply

from worktrial.engine.context_length import context_length
from worktrial.engine.local.catalogue import LOCAL_CONTEXT
from worktrial.engine.roles import Role, RoleSettings


def told(listing: Any) -> int | None:
    with ScriptedServer(Script(listing=listing)) as server:
        settings = RoleSettings(role=Role.SYNTHESIZER, model="big", base_url=server.url)
        return asyncio.run(context_length(settings))


@pytest.mark.parametrize(
    ("entry", "tokens"),
    [
        ({"id": "big", "context_length": 131072}, 131072),
        ({"id": "big", "max_model_len": 32768}, 32768),
        ({"id": "big", "meta": {"n_ctx": 4096, "n_ctx_train": 131072}}, 4096),
        ({"id": "big", "context_length": "large"}, None),
        ({"id": "big", "context_length": 0}, None),
        ({"id": "small", "context_length": 8192}, None),
        ({"id": "big"}, None),
        ("big", None),
    ],
)
def test_the_list_of_models_says_it_under_the_names_that_endpoints_use(entry: Any, tokens: int | None) -> None:
    body = json.dumps({"object": "list", "data": [{"id": "other", "context_length": 5}, entry]}).encode()
    assert told(lambda request: Reply(body)) == tokens


@pytest.mark.parametrize("listing", [behaviours.RefusesKey(), behaviours.Html(), behaviours.DropsConnection()])
def test_an_endpoint_that_lists_no_models_says_nothing(listing: Any) -> None:
    assert told(listing) is None


def test_the_embedded_model_has_what_it_is_started_with() -> None:
    assert asyncio.run(context_length(RoleSettings(role=Role.SYNTHESIZER, model="local"))) == LOCAL_CONTEXT
