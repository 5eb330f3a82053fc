"""Answering from the recording: which calls are recorded ones, and what they get."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.support.orchestration import TinyTeam, call, card, note, user

from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.run.free.tools import RecordedTools, clock_of, world_of
from worktrial.workplaces import Observation, Origin

_CARD = card(
    "post_agent",
    "Sends.",
    send={"to": {"type": "string"}, "copies": {"type": "integer"}, "refinedQuery": {"type": "string"}},
    when={"day": {"type": "string"}},
    broken={"x": {"type": "no such type"}},
)


class _World:
    """Answers everything with the number of the question."""

    state = None

    def __init__(self) -> None:
        self.asked = 0

    async def call(self, tool: str, arguments: Any) -> Observation:
        self.asked += 1
        return Observation({"answer": self.asked}, Origin.SIMULATOR)


@pytest.fixture
def tools(tmp_path: Path) -> RecordedTools:
    return _tools(tmp_path, None)


def _tools(folder: Path, inner: Any) -> RecordedTools:
    said = {"to": "Ida", "copies": 2, "refinedQuery": "Send two copies to Ida"}
    rows = (
        note("- 오늘 날짜: 2026년 5월 15일"),
        user("Send it."),
        call("post_agent", "send", result={"sent": 1}, **said),
        call("post_agent", "when", result="tomorrow", day="2026-03-03"),
        call("post_agent", "send", result={"sent": 2}, **said),
        call("post_agent", "broken", result={"ok": True}, x="1"),
    )
    release = load_release(TinyTeam({"EN/1": rows}, [_CARD]).write(folder), [Language.EN])
    scenario, team = release.scenarios[0], release.teams[Language.EN]
    assert clock_of(scenario, "2020-01-01T00:00:00").startswith("2026-05-15")
    return RecordedTools(scenario, team, world_of(scenario, team), inner)


def _ask(tools: RecordedTools, tool: str, **arguments: Any) -> dict[str, Any]:
    return asyncio.run(tools.call(tool, arguments)).content


def test_a_call_is_used_once_in_order_and_repeats_get_the_last_result(tools: RecordedTools) -> None:
    said = {"to": "Ida", "copies": 2, "refinedQuery": "in other words"}
    assert [_ask(tools, "send", **said)["sent"] for _ in range(4)] == [1, 2, 2, 2]
    assert tools.found == (5, 0)


def test_a_result_that_is_no_object_becomes_one(tools: RecordedTools) -> None:
    assert _ask(tools, "when", day="2026-03-03") == {"result": "tomorrow"}


@pytest.mark.parametrize("changed", [{"copies": 3}, {"copies": True}, {"to": "Ada"}, {"extra": 1}, {"to": None}])
def test_any_other_argument_makes_it_another_call(tools: RecordedTools, changed: dict[str, Any]) -> None:
    said = {"to": "Ida", "copies": 2, "refinedQuery": "Send two copies to Ida"} | changed
    assert "error" in _ask(tools, "send", **said)
    assert tools.found is None


def test_equal_numbers_are_equal_and_the_restated_request_may_be_left_out(tools: RecordedTools) -> None:
    assert _ask(tools, "send", to=" Ida ", copies=2.0) == {"sent": 1}


def test_what_is_not_recorded_goes_to_the_world_if_it_can_be_made(tmp_path: Path) -> None:
    world = _World()
    tools = _tools(tmp_path, world)
    assert _ask(tools, "when", day="2026-03-04") == {"answer": 1}
    assert _ask(tools, "broken", x="2") == {"answer": 2}, "a broken schema allows everything"
    assert _ask(tools, "when", day=5)["error"]["type"] == "invalid_arguments"
    assert _ask(tools, "fly")["error"]["type"] == "unknown_tool"
    assert world.asked == 2


def test_nobody_to_ask_is_said_so(tools: RecordedTools) -> None:
    assert _ask(tools, "when", day="2026-03-04")["error"]["type"] == "nothing_known"
