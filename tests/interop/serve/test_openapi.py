"""Requests drawn from the server's own description: none is answered with a 500."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from tests.support.served import ServedSuite, served

from worktrial.interop.serve.openapi import described

EXAMPLES = 200


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedSuite]:
    folder: Path = tmp_path_factory.mktemp("served") / "run"
    with served(folder, "--repeats", "40", "--faults", "E0,E2", "--episodes", "50") as up:
        yield up


schema = schemathesis.openapi.from_dict(described())


@pytest.mark.slow
@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[*HealthCheck],
)
def test_no_request_breaks_the_server(case: Any, server: ServedSuite) -> None:
    """Addresses that are guessed, bodies that fit and bodies that do not; every answer is as described."""
    answer = case.call(base_url=server.url, headers={"Authorization": f"Bearer {server.token}"})
    if answer.status_code == 410:
        # A request that is well made: the examples before have taken all such samples.
        assert "no open job" in answer.json()["error"]
        return
    case.validate_response(answer)
    if answer.status_code == 201:
        # Room for those that come after.
        server.ask("DELETE", f"/episodes/{answer.json()['episode']}")


@pytest.mark.slow
@schema.include(path_regex="^/episodes/").parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[*HealthCheck],
)
def test_no_request_to_a_real_episode_breaks_it(case: Any, server: ServedSuite) -> None:
    status, opened = server.ask("POST", "/episodes", {})
    assert status == 201, opened
    case.path_parameters = {"episode": opened["episode"]}
    case.call_and_validate(base_url=server.url, headers={"Authorization": f"Bearer {server.token}"})
    server.ask("DELETE", f"/episodes/{opened['episode']}")


def test_the_description_is_json(server: ServedSuite) -> None:
    assert server.ask("GET", "/openapi.json") == (200, json.loads(json.dumps(described())))
