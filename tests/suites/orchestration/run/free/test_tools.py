"""Answering from the recording: which calls are recorded ones, and what they get."""

import asyncio
import json
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from tests.support.data import real_data_dir
from tests.support.orchestration import TinyTeam, call, card, note, user

from worktrial.language import Completion
from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import Language
from worktrial.suites.orchestration.run.free.tools import OneToolWorld, RecordedTools, clock_of, world_of
from worktrial.workplaces import LanguageSimulator, Observation, Origin

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


class _Player:
    """A model that plays the tools and keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    async def __call__(self, messages: Any, **more: Any) -> Completion:
        self.shown.append("\n".join(str(message["content"]) for message in messages))
        content = json.dumps({"answer": len(self.shown)})
        return Completion({"role": "assistant", "content": content})


def test_the_player_of_the_tools_is_shown_the_called_tool_and_what_was_done(tmp_path: Path) -> None:
    player = _Player()
    tools = _tools(tmp_path, None)
    world = OneToolWorld(tools._workplace, player, clock="2026-05-15T00:00:00", prompt="full")
    first = asyncio.run(world.call("when", {"day": "2026-03-04"}))
    second = asyncio.run(world.call("send", {"to": "Ada", "copies": 1, "refinedQuery": "x"}))
    assert (first.content, second.content) == ({"answer": 1}, {"answer": 2})
    assert '"name":"when"' in player.shown[0]
    assert '"name":"send"' not in player.shown[0].replace('"name":"send","arguments"', "")
    assert "Send two copies to Ida" in player.shown[0], "the recorded calls of every tool are facts"
    assert '"earlier":[{"tool":"when","arguments":{"day":"2026-03-04"},"result":{"answer":1}}]' in player.shown[1]


def test_what_the_player_is_shown_stays_bounded(tmp_path: Path) -> None:
    player = _Player()
    world = OneToolWorld(_tools(tmp_path, None)._workplace, player, clock="2026-05-15T00:00:00", prompt="full")
    for n in range(60):
        asyncio.run(world.call("send", {"to": f"Ada {n} " + "x" * 200, "copies": n, "refinedQuery": "x"}))
    assert max(map(len, player.shown)) < 15_000
    assert "Ada 58 " in player.shown[59]
    assert "Ada 0 " not in player.shown[59]


@pytest.mark.real_data
def test_the_player_is_shown_some_thousand_characters_for_a_call_of_the_release() -> None:
    release = load_release(real_data_dir() / "orchestrationbench", list(Language))
    sizes = []
    for scenario in release.scenarios[::10]:
        world = world_of(scenario, release.teams[scenario.language])
        for tool in world.tools[::10]:
            player = _Player()
            seen = OneToolWorld(world, player, clock="2026-05-15T00:00:00", prompt="full")._seen_from(tool.name, {})
            sizes.append(len(LanguageSimulator(seen, player, clock="2026-05-15T00:00:00")._prompting.system))
    assert median(sizes) < 7_000, "about 100,000 when every agent's tools were shown"


def test_nobody_to_ask_is_said_so(tools: RecordedTools) -> None:
    assert _ask(tools, "when", day="2026-03-04")["error"]["type"] == "nothing_known"
