"""Calls held against a policy, and requests for a human."""

import asyncio
from typing import Any, ClassVar

import pytest

from worktrial.language import JsonValue
from worktrial.workplaces import Observation, Origin
from worktrial.workplaces.duties.human import NOBODY, HumanSession
from worktrial.workplaces.duties.policy import Policy
from worktrial.workplaces.duties.session import PolicySession

RULES = [
    {"name": "no-delete", "rule": "forbid", "tool": "delete", "why": "records are kept ten years"},
    {"name": "look-first", "rule": "confirm", "tool": "pay", "after": "look", "same": ["id"]},
]


class Desk:
    """A session that answers everything, `look` of a missing id with an error."""

    state: ClassVar = {"n": 1}

    def __init__(self) -> None:
        self.made: list[str] = []

    async def call(self, tool: str, arguments: JsonValue) -> Observation:
        self.made.append(tool)
        failed = tool == "look" and arguments["id"] == "missing"
        return Observation({"error": "not found"} if failed else {"ok": True}, Origin.EXECUTABLE)


def make(mode: str, *calls: tuple[str, Any]) -> tuple[Desk, PolicySession, list[Observation]]:
    desk = Desk()
    policy = Policy.model_validate({"name": "p", "mode": mode, "rules": RULES})
    seen: list[Observation] = []
    session = PolicySession(desk, policy, lambda: (len(seen), 7))

    async def work() -> None:
        for tool, arguments in calls:
            seen.append(await session.call(tool, arguments))

    asyncio.run(work())
    return desk, session, seen


CALLS = (("pay", {"id": 1}), ("look", {"id": 1}), ("pay", {"id": 1}), ("delete", {}))


def test_what_is_watched_is_recorded_and_carried_out() -> None:
    desk, session, seen = make("watch", *CALLS)
    assert desk.made == ["pay", "look", "pay", "delete"]
    assert all(o.content == {"ok": True} for o in seen)
    assert [(v.rule, v.kind, v.call, v.turn, v.tool, v.refused) for v in session.violations] == [
        ("look-first", "confirm", 0, 7, "pay", False),
        ("no-delete", "forbid", 3, 7, "delete", False),
    ]
    assert session.violations[0].arguments == {"id": 1}
    assert session.state == {"n": 1}


def test_what_is_enforced_reaches_nobody_and_says_why() -> None:
    desk, session, seen = make("enforce", *CALLS)
    assert desk.made == ["look", "pay"]
    assert [o.origin for o in seen] == [Origin.REFUSAL, Origin.EXECUTABLE, Origin.EXECUTABLE, Origin.REFUSAL]
    error = seen[3].content["error"]
    assert error["type"] == "policy_violation" and "records are kept ten years" in error["message"]
    assert [v.refused for v in session.violations] == [True, True]


def test_a_confirmation_that_failed_is_none() -> None:
    _, session, _ = make("watch", ("look", {"id": "missing"}), ("pay", {"id": "missing"}))
    assert [v.rule for v in session.violations] == ["look-first"]


@pytest.mark.parametrize("answer", [NOBODY, "Wait until noon."])
def test_a_human_answers_in_one_sentence_and_the_workplace_is_not_asked(answer: str) -> None:
    desk = Desk()
    session = HumanSession(desk, answer)
    asked = asyncio.run(session.call("request_human", {"about": "order 7", "reason": "It is above my limit."}))
    assert asked == Observation({"answer": answer}, Origin.HUMAN)
    vain = asyncio.run(session.call("request_human", {"about": "order 7"}))
    assert vain.origin is Origin.REFUSAL and vain.content["error"]["type"] == "invalid_arguments"
    assert desk.made == []
    assert asyncio.run(session.call("look", {"id": 1})).content == {"ok": True} and session.state == {"n": 1}
